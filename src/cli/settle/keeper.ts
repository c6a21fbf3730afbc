import { createKeeper, type KeeperNews, usd6ToNumber } from '@rfqctl/client/index'
import { duration, plural, resolution, shortId, usd } from '@rfqctl/lib/format'
import { requireSandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, type CliAccount, openAccount } from '../context/account.ts'
import { chainSetup, publicClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { createWalletNames } from '../context/wallet-names.ts'
import { listSeriesRows } from '../show/series-listing.ts'
import type { Colors } from '../terminal/colors.ts'

type Options = RelayOptions &
  ChainOptions &
  AccountOptions & { claim?: string; claimKeyFile?: readonly string[]; every: number; for?: number; once?: boolean }

/** Settles what expires, and claims for the wallets whose keys it has. */
export const runKeeper: Run<Options> = async (cli, options) => {
  const { account } = await openAccount(cli, options)
  const claimants = await claimantsOf(cli, options)
  const chain = await chainSetup(cli, options, account.address)
  const settlementKey = cli.environment.SETTLEMENT_API_KEY || undefined
  const names = await readNames(cli, options)
  let count = 0
  const keeper = createKeeper({
    url: relayUrl(cli, options),
    chain,
    account,
    claimants: claimants.map((claimant) => claimant.account),
    ...(settlementKey === undefined ? {} : { settlementKey }),
    onNews: (news) => {
      count += 1
      cli.out.print(keeperJson(news), keeperLine(news, names, cli.out.colors))
    },
  })
  cli.out.note(
    `the keeper is ready: it settles series as they expire, and claims for ${plural(claimants.length, 'wallet')}`,
  )
  if (options.once === true) {
    await keeper.runRound({ signal: cli.stop })
    if (count === 0) cli.out.note('nothing is due')
    return
  }
  await runFor(options.for ?? null, cli.stop, (signal) => keeper.runRounds({ everyMs: options.every, signal }))
}

/** Names as of now; a series listed later, or while the relay is down, is shown by its id. */
async function readNames(cli: Cli, options: Options): Promise<KeeperNames> {
  const { rows } = await listSeriesRows(cli, options, publicClient(cli, options)).catch(() => ({ rows: [] }))
  const names = new Map<string, string>(rows.map(({ seriesId, name }) => [seriesId, name]))
  const wallets = createWalletNames(cli, options)
  return { series: (seriesId) => names.get(seriesId) ?? shortId(seriesId), wallet: wallets.of }
}

async function claimantsOf(cli: Cli, options: Options): Promise<CliAccount[]> {
  const { claim, claimKeyFile = [] } = options
  const names = claim === 'all' ? sandboxNames(cli, options) : (claim?.split(',') ?? [])
  const { keyFile: _, keyStdin: __, ...rest } = options
  const named = names.map((account) => openAccount(cli, { ...rest, account }))
  const own = claimKeyFile.map((keyFile) => openAccount(cli, { ...rest, keyFile }))
  return Promise.all([...named, ...own])
}

function sandboxNames(cli: Cli, options: Options): string[] {
  const { makers, takers } = requireSandbox(dataDirOf(cli, options))
  return [...makers, ...takers].map(({ name }) => name)
}

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

export type KeeperNames = { series: (seriesId: string) => string; wallet: (address: string) => string }

export function keeperLine(news: KeeperNews, names: KeeperNames, colors: Colors): string {
  switch (news.kind) {
    case 'settled':
      return `${colors.green('settled')} ${names.series(news.seriesId)} at ${resolution(news.resolutionBps)} in ${news.hash}`
    case 'claimed':
      return `${colors.green('claimed')} ${usd(news.paid)} of ${news.side} for ${names.wallet(news.wallet)} from ${names.series(news.seriesId)}`
    case 'settlement_postponed':
      return `${colors.yellow('postponed')} ${names.series(news.seriesId)}: ${failureText(news)}`
    case 'claim_postponed':
      return `${colors.yellow('postponed')} the claim of ${names.wallet(news.wallet)} from ${names.series(news.seriesId)}: ${failureText(news)}`
    case 'round_failed':
      return `${colors.red('failed')} ${failureText(news)}`
  }
}

/** The first line of a chain's error says what happened. */
export const failureText = ({ error, retryInMs }: { error: Error; retryInMs: number }): string =>
  `${error.message.split('\n')[0]} Trying again in ${duration(retryInMs)}.`

const codeOf = (error: Error): string | null => ('code' in error ? String(error.code) : null)
