import type { ListerNews } from '@rfqctl/agents/lister/ports'
import { duration, optionText, shortId } from '@rfqctl/lib/format'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Colors } from '../terminal/colors.ts'

export function newsJson(news: ListerNews, quietMs: number): Record<string, unknown> {
  switch (news.kind) {
    case 'series_listed':
      return { type: 'series_created', seriesId: news.seriesId, ...news.series, txHash: news.hash }
    case 'series_halted':
      return { type: news.kind, conditionId: news.conditionId, seriesIds: news.seriesIds, quietMs, txHash: news.hash }
    case 'market_quiet':
      return { type: news.kind, conditionId: news.conditionId, seriesIds: news.seriesIds, quietMs }
    case 'postponed':
      return { type: `${news.what}_postponed`, error: textOf(news.error), code: codeOf(news.error) }
  }
}

export function newsLine(news: ListerNews, quietMs: number, colors: Colors): string {
  switch (news.kind) {
    case 'series_listed': {
      const { series, hash } = news
      const until = utcText(series.expiry * 1_000)
      return `${colors.green('registered')} ${optionText(series)} on "${safeText(series.question)}", expires ${until}, in ${hash}`
    }
    case 'series_halted':
      return `${colors.yellow('halted')} ${news.seriesIds.length} series of market ${shortId(news.conditionId)} in ${news.hash}: no price for ${duration(quietMs)}`
    case 'market_quiet':
      return `${colors.yellow('quiet')} market ${shortId(news.conditionId)}: no price for ${duration(quietMs)}, ${news.seriesIds.length} series still trade; the guardian halts them: rfqctl chain halt`
    case 'postponed':
      return `${colors.yellow('postponed')} ${WHAT[news.what]}: ${textOf(news.error)}`
  }
}

const WHAT: Readonly<Record<Extract<ListerNews, { kind: 'postponed' }>['what'], string>> = {
  listing: 'the listing',
  watching: 'the look at quiet markets',
  prices: 'the judgement of markets whose prices were asked for',
  registration: 'a registration',
  halt: 'a halt',
}

/** The first line of a chain's error says what happened; for a source, the cause does. */
function textOf({ message, cause }: Error): string {
  const because = cause instanceof Error ? `: ${cause.message.split('\n')[0]}` : ''
  return `${message.split('\n')[0]}${because}`
}

const codeOf = (error: Error): string | null => ('code' in error ? String(error.code) : null)
