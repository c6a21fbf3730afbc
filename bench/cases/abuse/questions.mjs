import { randomBytes, randomUUID } from 'node:crypto'
import { openRequestBody } from '../../lab/scene.mjs'

/** A wallet that nobody has. */
const nobody = () => `0x${randomBytes(20).toString('hex')}`

/** A series that there is not. */
const noSeries = () => BigInt(`0x${randomBytes(32).toString('hex')}`).toString()

/** How often a route is asked whose answers the relay paces: about one a second. */
const PACED = 5

/** JSON of nearly 64 KiB with an escape in it, which keeps a reader from the quick way. */
const LONG = `{"\\u0041":[${'1,'.repeat(31_000)}1]}`

/** A thing of many fields that nothing knows. */
const STRANGE = `{${Array.from({ length: 5_000 }, (_, n) => `"f${n}":1`).join()}}`

/**
 * What somebody without a credential can ask of each route, in the form that costs most. `series`: one that is listed;
 * `request`: an open one. `most`: how often it is asked at most, null for as often as all others.
 * @typedef {{ what: string, method: string, path: string, text?: string, headers?: Record<string, string>, isStream?: boolean }} Question
 */
export function questions({ series, request }) {
  const get = (what, path, more = {}, most = null) => ({
    what,
    most,
    ask: () => ({ method: 'GET', path: path(), ...more }),
  })
  const post = (what, path, text, headers = {}, most = null) => ({
    what,
    most,
    ask: () => ({ method: 'POST', path: path(), text: text(), headers }),
  })
  const of = (path) => () => path
  const ofRequest = (end) => () => `/quote-requests/${request.requestId}/${end}`
  const good = { ...openRequestBody(series), wallet: nobody() }
  const market = { ...good.market, question: '\u{1f4c8}'.repeat(300) }
  return [
    get('GET /healthz', of('/healthz')),
    get('GET /', of('/')),
    get('GET /time', of('/time')),
    get('GET /readyz', of('/readyz')),
    get('GET /metrics', of('/metrics')),
    get('GET /maker/v1/status', of('/maker/v1/status')),
    get('GET /faucet/status', of('/faucet/status')),
    get('GET /openapi.json', of('/openapi.json')),
    get('GET /asyncapi.json', of('/asyncapi.json')),
    get('GET /reference', of('/reference')),
    get('GET /v1/markets', of('/v1/markets')),
    get('GET /v1/series', of('/v1/series')),
    get('GET /v1/series/{id}, one that there is not', () => `/v1/series/${noSeries()}`, {}, PACED),
    get('GET /v1/positions, a wallet that nobody has', () => `/v1/positions?wallet=${nobody()}`),
    post('POST /quote-requests, the longest good one', of('/quote-requests'), () =>
      JSON.stringify({ ...good, market }),
    ),
    post('POST /quote-requests, 64 KiB of something else', of('/quote-requests'), of(LONG)),
    get('GET /quote-requests/{id}/quotes', ofRequest('quotes')),
    get('GET /quote-requests/{id}/quotes, one that there is not', () => `/quote-requests/${randomUUID()}/quotes`),
    get('GET /quote-requests/{id}/stream, opened and closed', ofRequest('stream'), { isStream: true }),
    post('POST /quote-requests/{id}/commit, no quote', ofRequest('commit'), () => JSON.stringify({ wallet: nobody() })),
    post('POST /quote-requests/{id}/commit, 5,000 fields', ofRequest('commit'), of(STRANGE)),
    post(
      'POST /quote-requests/{id}/cancel, a wrong secret',
      ofRequest('cancel'),
      () => `{"takerSecret":"${randomUUID()}"}`,
    ),
    post(
      'POST /settlement/prepare, a series that there is not',
      of('/settlement/prepare'),
      () => `{"seriesId":"${noSeries()}"}`,
      {},
      PACED,
    ),
    post('POST /faucet, 64 KiB of something else', of('/faucet'), of(LONG)),
    get('GET /v1/mm/quotes, a key that is none', of('/v1/mm/quotes'), {
      headers: { 'x-api-key': `mk_live_${'x'.repeat(43)}` },
    }),
    post('POST /v1/mm/quotes, no key and 64 KiB', of('/v1/mm/quotes'), of(LONG)),
    get('GET /v1/user/profile, a token that is none', of('/v1/user/profile'), {
      headers: { authorization: `Bearer ${FORGED}` },
    }),
    get('GET /ops/v1/reviews, a token that is none', of('/ops/v1/reviews'), {
      headers: { authorization: 'Bearer no' },
    }),
    get('a path that there is not', () => `/${randomUUID()}`),
  ]
}

/** A token of the right form, signed by nobody. */
const FORGED = [
  { alg: 'ES256', kid: 'nobody' },
  { sub: 'nobody', exp: 4e9 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat(Buffer.alloc(64, 1).toString('base64url'))
  .join('.')
