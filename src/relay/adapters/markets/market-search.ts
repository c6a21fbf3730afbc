import type { SourceMarket } from '@rfqctl/protocol/domain/listing'
import { parseUint256 } from '@rfqctl/protocol/domain/series'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { createJsonSource, type JsonSource } from '../json-source.ts'
import { type Fields, listIn, marketsIn, parseTime, questionOf } from './gamma.ts'
import { findMarket } from './http.ts'

export type MarketSearch = ReturnType<typeof createMarketSearch>

/** Markets per answer: each takes up to 15 KB with the event that it belongs to. */
const PAGE = 50

/** Bound per search. */
const MAX_PAGES = 20

/** Default query for open markets; the address may override each part. */
const OPEN = { active: 'true', closed: 'false', archived: 'false', order: 'volume24hr', ascending: 'false' }

/** The query of the URL is kept: `?tag_id=…` narrows a search down. Fails with `price_source_unavailable`. */
export function createMarketSearch(parts: { url: string; source?: JsonSource }) {
  const { url, source = createJsonSource({ url }) } = parts
  const own = new URL(url).searchParams
  const asked = Object.entries(OPEN).filter(([name]) => !own.has(name))

  /** Open markets, the most traded first, whose question or slug has every word of `text`; null: all. At most `max`. */
  async function search({ text, max }: { text: string | null; max: number }): Promise<SourceMarket[]> {
    const words = text?.toLowerCase().split(/\s+/) ?? []
    const found = new Map<Hex, SourceMarket>()
    let offset = 0
    for (let page = 0; page < MAX_PAGES && found.size < max; page += 1) {
      const query = { ...Object.fromEntries(asked), limit: String(PAGE), offset: String(offset) }
      const answer = marketsIn(await source.get(query))
      if (answer.length === 0) break
      offset += answer.length
      for (const fields of answer) {
        const market = describe(fields)
        // Markets change their places while pages are read.
        if (market !== null && hasWords(fields, words)) found.set(market.conditionId, market)
      }
    }
    return [...found.values()].slice(0, max)
  }

  return {
    search,
    /** Open or closed; null where there is none. */
    async find(conditionId: Hex): Promise<SourceMarket | null> {
      const fields = await findMarket(source, conditionId)
      return fields === null ? null : describe(fields)
    },
  }
}

const hasWords = ({ question, slug }: Fields, words: readonly string[]): boolean => {
  const text = `${question} ${slug}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Null for a market without a question or condition: it cannot be named. */
function describe(fields: Fields): SourceMarket | null {
  const question = questionOf(fields)
  const conditionId = String(fields.conditionId).toLowerCase()
  if (question === null || !/^0x[0-9a-f]{64}$/.test(conditionId)) return null
  const endsAt = Math.floor(parseTime(fields.endDate) / 1_000)
  return {
    question,
    conditionId: conditionId as Hex,
    yesTokenId: yesTokenOf(fields),
    endsAt: Number.isNaN(endsAt) ? null : endsAt,
    unfit: unfitnessOf(fields),
  }
}

/** Null where the outcomes are not yes and no. */
function yesTokenOf(fields: Fields): string | null {
  const outcomes = (listIn(fields, 'outcomes') ?? []).map((outcome) => String(outcome).toLowerCase())
  const tokens = listIn(fields, 'clobTokenIds') ?? []
  const yes = outcomes.indexOf('yes')
  if (outcomes.length !== 2 || tokens.length !== 2 || outcomes[1 - yes] !== 'no') return null
  const token = parseUint256(String(tokens[yes]))
  return token === '0' ? null : token
}

/** Names of the API. From the first step on, the outcome is about to be known. */
const RESOLUTION_STEPS: readonly unknown[] = ['proposed', 'challenged', 'disputed', 'reproposed', 'resolved']

/** Why a market has no price to settle by, as a fact; null where it has one. */
function unfitnessOf({ closed, active, archived, enableOrderBook, acceptingOrders, umaResolutionStatus }: Fields) {
  if (closed !== false) return closed === true ? 'it is closed' : 'the source does not say that it is open'
  if (active === false || archived === true) return 'it is not active'
  if (umaResolutionStatus !== undefined && umaResolutionStatus !== null && umaResolutionStatus !== '') {
    return `its resolution is ${RESOLUTION_STEPS.includes(umaResolutionStatus) ? umaResolutionStatus : 'under way'}`
  }
  if (enableOrderBook === false) return 'it has no order book, and so no price'
  return acceptingOrders === false ? 'it takes no orders, and so has no price' : null
}
