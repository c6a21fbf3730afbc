import type { FinalOutcome } from '@rfqctl/protocol/domain/resolution'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { MarketSource } from '../../core/ports/sources.ts'
import { createJsonSource, type JsonSource, sourceFault } from '../json-source.ts'
import { type Fields, listIn, marketsIn, parseTime, questionOf } from './gamma.ts'

/**
 * Markets of a public prediction-market API. A market that is not plainly final (open, proposed, disputed, without a
 * status, 50-50, not binary) has no outcome. An answer of an unknown shape is refused with `price_source_unavailable`,
 * never guessed at.
 */
export function createHttpMarkets(parts: { url: string; source?: JsonSource }): MarketSource {
  const { url, source = createJsonSource({ url }) } = parts
  return {
    question: async (conditionId) => questionOf(await findMarket(source, conditionId)),
    async outcome(conditionId, yesTokenId) {
      const market = await findMarket(source, conditionId)
      return market === null ? null : outcomeOf(market, yesTokenId)
    },
  }
}

/** Asks for open and closed markets: the API leaves closed ones out by default. */
export async function findMarket(source: JsonSource, conditionId: Hex): Promise<Fields | null> {
  const query = { condition_ids: conditionId }
  return pick(await source.get(query), conditionId) ?? pick(await source.get({ ...query, closed: 'true' }), conditionId)
}

/** Null when there is none. A list of other markets comes from a source that does not filter. */
function pick(answer: unknown, conditionId: Hex): Fields | null {
  const markets = marketsIn(answer)
  const found = markets.find((market) => String(market.conditionId).toLowerCase() === conditionId)
  if (found === undefined && (answer as unknown[]).length > 0) throw sourceFault('its answer describes other markets')
  return found ?? null
}

function outcomeOf(market: Fields, yesTokenId: string): FinalOutcome | null {
  const { closed, umaResolutionStatus } = market
  if (typeof closed !== 'boolean') throw sourceFault('it does not say whether the market is closed')
  if (!closed || umaResolutionStatus !== 'resolved') return null
  const tokens = requiredList(market, 'clobTokenIds')
  const prices = requiredList(market, 'outcomePrices').map(priceOf)
  const yes = tokens.indexOf(yesTokenId)
  if (yes === -1 || tokens.length !== 2 || prices.length !== 2) return null
  const [yesPrice, noPrice] = [prices[yes], prices[1 - yes]]
  const isFinal = (yesPrice === 0 && noPrice === 1) || (yesPrice === 1 && noPrice === 0)
  return isFinal ? { yesPrice, closedAt: closedAtOf(market) } : null
}

function requiredList(market: Fields, field: string): readonly unknown[] {
  const list = listIn(market, field)
  if (list === null) throw sourceFault(`its ${field} is not a list`)
  return list
}

/** Takes a number, or the decimal text of one. */
function priceOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return Number(value)
  throw sourceFault('its outcomePrices are not numbers')
}

/** Unix seconds, rounded up: a market closed within the second after expiry closed after it; null when absent. */
function closedAtOf({ closedTime }: Fields): number | null {
  if (closedTime === undefined || closedTime === null || closedTime === '') return null
  const at = parseTime(closedTime)
  if (Number.isNaN(at)) throw sourceFault('its closedTime is not a time with a zone')
  return Math.ceil(at / 1_000)
}
