import type { TakerBotEvent } from '../../bots/taker-bot.ts'
import { type Usd6, usd6 } from '../../client/index.ts'
import { describeFailure } from '../errors/describe-failure.ts'

/** What a crowd of takers did. Premiums are those of filled trades, in micro-dollars; `refusals` counts by code. */
export type Tally = {
  requests: number
  committed: number
  filled: number
  cancelled: number
  unquoted: number
  unfunded: number
  failed: number
  paid: Usd6
  received: Usd6
  refusals: Readonly<Record<string, number>>
}

/** What a crowd did that has done nothing. */
export const EMPTY_TALLY: Tally = {
  requests: 0,
  committed: 0,
  filled: 0,
  cancelled: 0,
  unquoted: 0,
  unfunded: 0,
  failed: 0,
  paid: usd6(0n),
  received: usd6(0n),
  refusals: {},
}

/** What counts who walked away, by the reason. */
const GONE = { no_quotes: 'unquoted', changed_mind: 'cancelled', no_funds: 'unfunded' } as const

/** Counts what a taker told of itself. */
export function count(tally: Tally, event: TakerBotEvent): Tally {
  switch (event.kind) {
    case 'opened':
      return { ...tally, requests: tally.requests + 1 }
    case 'shown':
      return tally
    case 'walked_away': {
      const counter = GONE[event.reason]
      return { ...tally, [counter]: tally[counter] + 1 }
    }
    case 'committed':
      return { ...tally, committed: tally.committed + 1 }
    case 'filled': {
      const { makerSelling, premiumAmount } = event.order
      return {
        ...tally,
        filled: tally.filled + 1,
        ...(makerSelling
          ? { paid: usd6(tally.paid + premiumAmount) }
          : { received: usd6(tally.received + premiumAmount) }),
      }
    }
    case 'failed': {
      const { code } = describeFailure(event.error)
      const refusals = { ...tally.refusals, [code]: (tally.refusals[code] ?? 0) + 1 }
      return { ...tally, failed: tally.failed + 1, refusals }
    }
  }
}
