import { type KeeperNews, usd6ToNumber } from '../../client/index.ts'
import type { Colors } from '../terminal/colors.ts'
import { duration, resolution, usd } from '../terminal/format.ts'

/** What a keeper did, for programs. */
export function keeperJson(news: KeeperNews): Record<string, unknown> {
  if (news.kind === 'settled') {
    const { seriesId, resolutionBps, hash } = news
    return { type: news.kind, seriesId, resolutionBps, txHash: hash }
  }
  if (news.kind === 'claimed') {
    const { wallet, seriesId, side, amount, paid, hash } = news
    return {
      type: news.kind,
      wallet,
      seriesId,
      kind: side,
      optionAmount: Number(amount),
      paid: usd6ToNumber(paid),
      txHash: hash,
    }
  }
  const { kind, error, retryInMs, ...whose } = news
  return { type: kind, ...whose, error: error.message, code: codeOf(error), retryInMs }
}

/** How people call series and wallets. */
export type KeeperNames = { series: (seriesId: string) => string; wallet: (address: string) => string }

/** What a keeper did, in a line. */
export function keeperLine(news: KeeperNews, names: KeeperNames, colors: Colors): string {
  switch (news.kind) {
    case 'settled':
      return `${colors.green('settled')} ${names.series(news.seriesId)} at ${resolution(news.resolutionBps)} in ${news.hash}`
    case 'claimed':
      return `${colors.green('claimed')} ${usd(news.paid)} of ${news.side} for ${names.wallet(news.wallet)} from ${names.series(news.seriesId)}`
    case 'settlement_postponed':
      return `${colors.yellow('postponed')} ${names.series(news.seriesId)}: ${faultWords(news)}`
    case 'claim_postponed':
      return `${colors.yellow('postponed')} the claim of ${names.wallet(news.wallet)} from ${names.series(news.seriesId)}: ${faultWords(news)}`
    case 'round_failed':
      return `${colors.red('failed')} ${faultWords(news)}`
  }
}

/** A chain's error has many lines; the first one says what it was. */
const faultWords = ({ error, retryInMs }: { error: Error; retryInMs: number }): string =>
  `${error.message.split('\n')[0]} Trying again in ${duration(retryInMs)}.`

const codeOf = (error: Error): string | null => ('code' in error ? String(error.code) : null)
