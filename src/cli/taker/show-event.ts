import type { TakerBotEvent } from '../../bots/taker-bot.ts'
import { usd6ToNumber } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { quoteJson, termsJson, termsWords } from '../show/show-trade.ts'
import type { Colors } from '../terminal/colors.ts'
import { priceText, shortId, usd } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'
import type { Tally } from './tally.ts'

/** What a simulated taker did, for programs. */
export function takerEventJson(taker: string, event: TakerBotEvent): Record<string, unknown> {
  const base = { type: event.kind, taker }
  switch (event.kind) {
    case 'opened': {
      const { requestId, seriesId, makersConnected, terms } = event.request
      return { ...base, requestId, seriesId, makersConnected, trade: termsJson(terms).trade }
    }
    case 'shown': {
      const { requestId, quote, quoteCount } = event
      return { ...base, requestId, bestQuote: quote === null ? null : quoteJson(quote), quoteCount }
    }
    case 'walked_away':
      return { ...base, requestId: event.requestId, reason: event.reason }
    case 'committed':
      return { ...base, requestId: event.requestId, quote: quoteJson(event.commitment.quote) }
    case 'filled':
      return {
        ...base,
        requestId: event.requestId,
        optionAmount: Number(event.order.optionAmount),
        premium: usd6ToNumber(event.order.premiumAmount),
        fillHash: event.fill.fill.transactionHash,
      }
    case 'failed': {
      const { code, message } = describeFailure(event.error)
      return { ...base, requestId: event.requestId, doing: event.doing, code, error: message }
    }
  }
}

/** What a simulated taker did, in a line for people; null for what would drown the rest. */
export function takerEventLine(taker: string, event: TakerBotEvent, colors: Colors): string | null {
  const words = eventWords(event, colors)
  return words === null ? null : `${colors.bold(taker)}  ${words}`
}

const GONE_WORDS = {
  no_quotes: 'no maker quoted',
  changed_mind: 'changed its mind',
  no_funds: 'does not have that much left',
} as const

function eventWords(event: TakerBotEvent, colors: Colors): string | null {
  switch (event.kind) {
    case 'opened':
      return `asks ${shortId(event.request.requestId)}: ${termsWords(event.request.terms)}`
    case 'shown':
      return null
    case 'walked_away':
      return colors.dim(`cancels ${shortId(event.requestId)}: ${GONE_WORDS[event.reason]}`)
    case 'committed': {
      const { quote } = event.commitment
      return `took ${shortId(event.requestId)}: ${quote.fillContracts} at ${priceText(quote.price)}, signed by ${safeText(quote.makerId)}`
    }
    case 'filled':
      return colors.green(`filled ${shortId(event.requestId)} for ${usd(event.order.premiumAmount)}`)
    case 'failed':
      return colors.red(`could not ${event.doing}: ${describeFailure(event.error).message}`)
  }
}

/** What a crowd did, for programs, in dollars. */
export const tallyJson = ({ paid, received, ...counts }: Tally) => ({
  type: 'summary',
  ...counts,
  paid: usd6ToNumber(paid),
  received: usd6ToNumber(received),
})

/** What a crowd did, for people. */
export function tallyLines(tally: Tally, colors: Colors): string[] {
  const refusals = Object.entries(tally.refusals).map(([code, times]) => `${code} ${times}`)
  return [
    '',
    ...factLines(
      [
        ['requests', String(tally.requests)],
        ['committed', String(tally.committed)],
        ['filled', `${tally.filled}, ${usd(tally.paid)} paid and ${usd(tally.received)} received`],
        ['cancelled', String(tally.cancelled)],
        ['unquoted', String(tally.unquoted)],
        ['unfunded', String(tally.unfunded)],
        ['failed', refusals.length === 0 ? '0' : `${tally.failed}: ${refusals.join(', ')}`],
      ],
      colors,
    ),
  ]
}
