import { readFileSync } from 'node:fs'
import { json } from '../kit/plays.ts'
import { type Listening, openHttpServer } from '../kit/server.ts'

type Market = Record<string, unknown>

/** The markets of a fixture, which were written by hand from the documentation of the public API. */
export const gammaFixture = (name: 'markets' | 'markets-closed'): Market[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/gamma/${name}.json`, import.meta.url), 'utf8'))

export type GammaServer = Omit<Listening, 'port'> & {
  queries: URLSearchParams[]
  /** What is open now; a test may change it. */
  open: Market[]
}

/** Serves the fixtures as the public API does: open ones unless closed ones are asked for, by condition, page by page. */
export async function startGamma({ page = 3 } = {}): Promise<GammaServer> {
  const queries: URLSearchParams[] = []
  const closed = gammaFixture('markets-closed')
  const { url, close } = await openHttpServer((response, request) => {
    const { query } = request
    queries.push(query)
    const markets = query.get('closed') === 'true' ? closed : gamma.open
    const conditions = query.getAll('condition_ids')
    const chosen = markets.filter(({ conditionId }) => conditions.length === 0 || conditions.includes(`${conditionId}`))
    const offset = Number(query.get('offset') ?? 0)
    const limit = Math.min(page, Number(query.get('limit') ?? page))
    return json(chosen.slice(offset, offset + limit))(response, request)
  })
  const gamma = { url: `${url}/markets`, close, queries, open: gammaFixture('markets') }
  return gamma
}
