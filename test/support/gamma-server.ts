import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Market = Record<string, unknown>

/** The markets of a fixture, which were written by hand from the documentation of the public API. */
export const gammaFixture = (name: 'markets' | 'markets-closed'): Market[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/gamma/${name}.json`, import.meta.url), 'utf8'))

/** A public API of markets on loopback. */
export type GammaServer = {
  url: string
  queries: URLSearchParams[]
  /** What is open now; a test may change it. */
  open: Market[]
  stop: () => void
}

/** Serves the fixtures as the public API does: open ones unless closed ones are asked for, by condition, page by page. */
export async function startGamma({ page = 3 } = {}): Promise<GammaServer> {
  const queries: URLSearchParams[] = []
  const served = { open: gammaFixture('markets'), closed: gammaFixture('markets-closed') }
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://gamma').searchParams
    queries.push(query)
    const markets = query.get('closed') === 'true' ? served.closed : gamma.open
    const conditions = query.getAll('condition_ids')
    const chosen = markets.filter(({ conditionId }) => conditions.length === 0 || conditions.includes(`${conditionId}`))
    const offset = Number(query.get('offset') ?? 0)
    const limit = Math.min(page, Number(query.get('limit') ?? page))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(chosen.slice(offset, offset + limit)))
  })
  const gamma = { url: '', queries, open: served.open, stop: () => {} }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  gamma.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/markets`
  gamma.stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return gamma
}
