import { call, encodeRequest, openHttpConnection } from '../load/http-connection.mjs'

/** The wallet of every taker. */
export const TAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** The toy wallet of every maker, funded on an embedded chain. */
export const MAKER = {
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
}

/** Where quotes go. */
export const QUOTES_PATH = '/v1/mm/quotes'

/** Makers with keys of their own, as an operator would configure them. */
export const makerKeys = (count) =>
  Array.from({ length: count }, (_, i) => ({ apiKey: `mk_bench_${i}_0123456789`, makerId: `maker-${i}` }))

/** The series of a relay that lives longest, a call. */
export async function longestSeries(port) {
  const { series } = await callOnce(port, encodeRequest('GET', '/v1/series?optionType=call'))
  const [longest] = series.toSorted((a, b) => b.expiry - a.expiry)
  if (longest === undefined) throw new Error('the relay lists no series')
  return longest
}

/** A taker that buys options of a series. */
export const openRequestBody = (series, budgetUsd = 10) => ({
  market: { conditionId: series.conditionId, yesTokenId: series.yesClobTokenId, question: 'Will it rain tomorrow?' },
  option: { strikeBps: series.strikeBps, expiryMs: series.expiry * 1_000, optionType: series.optionType },
  trade: { side: 'buy', budgetUsd },
})

/** A taker that buys or sells as many options as `openRequestBody` buys at ten cents, and leaves its side to its commit. */
export const twoSidedRequestBody = (series) => ({ ...openRequestBody(series), trade: { side: 'both', size: 100 } })

/** Opens a request and tells its id. */
export async function openRequest(port, series) {
  const answer = await callOnce(port, encodeRequest('POST', '/quote-requests', { body: openRequestBody(series) }))
  return String(answer.requestId)
}

/** The body of a maker's quote. */
export const quoteBody = ({ requestId, maker = MAKER.address, price = randomPrice(), size = 1_000, ...more }) => ({
  requestId,
  quote: { maker, side: 'buy', price, size, expires_in_ms: null, ...more },
})

/** The same on a request for both sides: one price is what the maker takes, two cents below it what it pays. */
export function twoSidedQuoteBody({ requestId, maker = MAKER.address, size = 1_000 }) {
  const ask = randomPrice()
  const bid = Math.round((ask - 0.02) * 1e6) / 1e6
  return { requestId, quote: { maker, side: 'both', bid, ask, size, expires_in_ms: null } }
}

/** A maker's quote as bytes. */
export const quoteRequest = ({ apiKey, ...quote }) =>
  encodeRequest('POST', QUOTES_PATH, { headers: { 'x-api-key': apiKey }, body: quoteBody(quote) })

/** A price between 0.05 and 0.15 of up to six decimals, as models make them: below the max payoff of any fixture. */
export const randomPrice = () => Math.round((0.05 + Math.random() * 0.1) * 1e6) / 1e6

/** Sends one request on a connection of its own; fails unless it is answered by 200. */
export async function callOnce(port, request) {
  const connection = openHttpConnection(port)
  const { status, body } = await call(connection, request)
  const text = body.toString()
  connection.close()
  if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
  return JSON.parse(text)
}
