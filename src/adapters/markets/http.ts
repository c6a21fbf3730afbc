import type { FinalOutcome } from '../../domain/resolution.ts'
import type { Hex } from '../../domain/units.ts'
import type { MarketSource } from '../../relay/ports/sources.ts'
import { createJsonSource, type JsonSource, sourceFault } from '../json-source.ts'

type Fields = Readonly<Record<string, unknown>>

/** As long as a question of a quote request may be. */
const MAX_QUESTION_LENGTH = 300

/**
 * Markets of a public prediction-market API. What is not plainly final (open, proposed, disputed, without a status,
 * 50-50, not binary) has no outcome; an answer of another shape than the known one is refused with
 * `price_source_unavailable`, never read in a way that suits it.
 */
export function createHttpMarkets({
  url,
  source = createJsonSource({ url }),
}: {
  url: string
  source?: JsonSource
}): MarketSource {
  /** The API leaves closed markets out unless they are asked for. */
  async function find(conditionId: Hex): Promise<Fields | null> {
    const query = { condition_ids: conditionId }
    return (
      pick(await source.get(query), conditionId) ?? pick(await source.get({ ...query, closed: 'true' }), conditionId)
    )
  }

  return {
    question: async (conditionId) => questionOf(await find(conditionId)),
    async outcome(conditionId, yesTokenId) {
      const market = await find(conditionId)
      return market === null ? null : outcomeOf(market, yesTokenId)
    },
  }
}

/** The market that was asked for; null when there is none. A list of others comes from a source that does not filter. */
function pick(answer: unknown, conditionId: Hex): Fields | null {
  if (!Array.isArray(answer)) throw sourceFault('its answer is not a list of markets')
  const markets = answer.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
  const found = markets.find((market) => String(market.conditionId).toLowerCase() === conditionId)
  if (found === undefined && answer.length > 0) throw sourceFault('its answer describes other markets')
  return found ?? null
}

/** Strangers' text: on one line, without what could change how the rest is shown. */
function questionOf(market: Fields | null): string | null {
  if (typeof market?.question !== 'string') return null
  const text = market.question.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const cut = [...text].slice(0, MAX_QUESTION_LENGTH).join('')
  return cut === '' ? null : cut
}

function outcomeOf(market: Fields, yesTokenId: string): FinalOutcome | null {
  const { closed, umaResolutionStatus } = market
  if (typeof closed !== 'boolean') throw sourceFault('it does not say whether the market is closed')
  if (!closed || umaResolutionStatus !== 'resolved') return null
  const tokens = listIn(market, 'clobTokenIds')
  const prices = listIn(market, 'outcomePrices').map(priceOf)
  const yes = tokens.indexOf(yesTokenId)
  if (yes === -1 || tokens.length !== 2 || prices.length !== 2) return null
  const [yesPrice, noPrice] = [prices[yes], prices[1 - yes]]
  const isFinal = (yesPrice === 0 && noPrice === 1) || (yesPrice === 1 && noPrice === 0)
  return isFinal ? { yesPrice, closedAt: closedAtOf(market) } : null
}

/** A list, or the JSON of a list in a string, which is how the API gives them. */
function listIn(market: Fields, field: string): readonly unknown[] {
  const value = market[field]
  const list = typeof value === 'string' ? parseJson(value) : value
  if (!Array.isArray(list)) throw sourceFault(`its ${field} is not a list`)
  return list
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A number, or the decimal text of one. */
function priceOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return Number(value)
  throw sourceFault('its outcomePrices are not numbers')
}

/** ISO 8601 or Postgres' own form, always with a zone: without one a time is a guess. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)$/

/** Unix seconds, rounded up, so that what closed within the second after expiry closed after it; null when not given. */
function closedAtOf({ closedTime }: Fields): number | null {
  if (closedTime === undefined || closedTime === null || closedTime === '') return null
  const [, day, time, zone = ''] = TIME.exec(String(closedTime)) ?? []
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2')
  const at = Date.parse(`${day}T${time}${offset}`)
  if (Number.isNaN(at)) throw sourceFault('its closedTime is not a time with a zone')
  return Math.ceil(at / 1_000)
}
