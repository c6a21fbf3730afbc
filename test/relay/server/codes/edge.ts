import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import { answerBrokenRequest } from '../../../../src/relay/server/failures.ts'
import { fakeIdentity } from '../../../support/fake-identity.ts'
import { createFakeMemory } from '../../../support/fake-memory.ts'
import { TAKER } from '../../../support/test-relay.ts'
import { ADA, OPEN_MODE, openBody, startServer } from '../support.ts'
import { calling, type Producers, parseAnswer } from './produce.ts'

const SIGNED_IN = { headers: { authorization: 'Bearer token-of-ada' } }
const NO_KEY_OF_HERS = '/v1/user/api-keys/00000000-0000-4000-8000-000000000000'

/** What is refused before a use case is reached: by the framework, by limits, for want of a credential. */
export const EDGE: Producers<
  | 'invalid_request'
  | 'invalid_json'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'too_many_connections'
  | 'too_many_requests'
  | 'overloaded'
  | 'shutting_down'
  | 'not_ready'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_access_token'
  | 'identity_not_configured'
  | 'identity_unavailable'
  | 'api_key_not_found'
  | 'too_many_api_keys'
  | 'maker_id_taken'
  | 'maker_id_settled'
  | 'operator_token_required'
  | 'taker_secret_required'
  | 'origin_not_allowed'
  | 'maker_blocked'
  | 'store_unavailable'
> = {
  invalid_request: calling('POST', '/quote-requests', { body: {} }),
  invalid_json: calling('POST', '/quote-requests', { text: '{' }),
  unsupported_media_type: calling('POST', '/faucet', { text: 'x', headers: { 'content-type': 'text/plain' } }),
  payload_too_large: calling('POST', '/faucet', { text: ' '.repeat(65_537) }),
  not_found: calling('GET', '/nowhere'),
  method_not_allowed: calling('PUT', '/time'),
  // Node finds it after 10 s of real time; the conformance suite waits for that.
  request_timeout: async () => {
    const socket = Object.assign(new PassThrough(), { bytesWritten: 0 }) as unknown as Socket
    answerBrokenRequest(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    return parseAnswer(await textOf(socket))
  },
  too_many_connections: async () => {
    const { stream, call } = await startServer({ server: { maxStreamsPerKey: 1 } })
    await stream('/v1/mm/quote-requests/stream', ADA)
    return call('GET', '/v1/mm/quote-requests/stream', { headers: ADA })
  },
  too_many_requests: async () => {
    const { call } = await startServer({ server: { requestRate: { perS: 1, burst: 1 } } })
    await call('POST', '/quote-requests', { body: openBody() })
    return call('POST', '/quote-requests', { body: openBody() })
  },
  maker_blocked: async () => {
    const { relay, call } = await startServer()
    await relay.blocks.decide({ makerId: 'ada', isBlocked: true, by: 'operator', reason: '' })
    return call('GET', '/v1/mm/quotes', { headers: ADA })
  },
  overloaded: async () => {
    const memory = createFakeMemory()
    const { call } = await startServer({ fixture: { ports: { memory } } })
    await call('POST', '/quote-requests', { body: openBody() })
    memory.collected(0.9)
    return call('POST', '/quote-requests', { body: openBody() })
  },
  shutting_down: async () => {
    const fixture = await startServer()
    const socket = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
    await socket.next()
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    const committing = fixture.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER } })
    await socket.next()
    const closing = fixture.server.close()
    const refused = await fixture.call('GET', '/time')
    await fixture.relay.decline({ makerId: 'ada', quoteId })
    await Promise.all([committing, closing])
    return refused
  },
  not_ready: async () => {
    const { chain, call } = await startServer()
    chain.down = true
    return call('GET', '/readyz')
  },
  internal_error: async () => {
    const history = () => Promise.reject(new Error('a fault of our own'))
    const { call, chain, register } = await startServer({ fixture: { ports: { prices: { history } } } })
    const { seriesId } = register()
    chain.aheadS = 3_600
    return call('POST', '/settlement/prepare', { body: { seriesId } })
  },
  invalid_api_key: calling('GET', '/v1/mm/quotes', { headers: { 'x-api-key': 'wrong' } }),
  invalid_access_token: calling('GET', '/v1/user/profile', {}, { fixture: { ports: { identity: fakeIdentity } } }),
  identity_not_configured: calling('GET', '/v1/user/profile', SIGNED_IN),
  identity_unavailable: calling('GET', '/v1/user/profile', SIGNED_IN, {
    fixture: { ports: { identity: { verify: () => Promise.reject(new RfqError('identity_unavailable')) } } },
  }),
  api_key_not_found: calling('DELETE', NO_KEY_OF_HERS, SIGNED_IN, { fixture: { ports: { identity: fakeIdentity } } }),
  too_many_api_keys: async () => {
    const { call } = await startServer({
      relay: { maxApiKeysPerUser: 1 },
      fixture: { ports: { identity: fakeIdentity } },
    })
    await call('POST', '/v1/user/api-keys', { ...SIGNED_IN, body: {} })
    return call('POST', '/v1/user/api-keys', { ...SIGNED_IN, body: {} })
  },
  maker_id_taken: calling(
    'POST',
    '/v1/user/api-keys',
    { ...SIGNED_IN, body: { makerId: 'operator' } },
    { fixture: { ports: { identity: fakeIdentity } } },
  ),
  maker_id_settled: async () => {
    const { call } = await startServer({ fixture: { ports: { identity: fakeIdentity } } })
    await call('POST', '/v1/user/api-keys', { ...SIGNED_IN, body: {} })
    return call('POST', '/v1/user/api-keys', { ...SIGNED_IN, body: { makerId: 'ada-desk' } })
  },
  operator_token_required: calling('GET', '/ops/v1/reviews'),
  taker_secret_required: async () => {
    const { open, call } = await startServer()
    const { requestId } = await open({ locked: true })
    return call('GET', `/quote-requests/${requestId}/quotes`)
  },
  origin_not_allowed: calling(
    'GET',
    '/maker/v1/ws',
    { headers: { origin: 'https://evil.example' } },
    { relay: OPEN_MODE },
  ),
  store_unavailable: async () => {
    const fixture = await startServer()
    fixture.ports.store.requests.insert = () => Promise.reject(new RfqError('store_unavailable'))
    return fixture.call('POST', '/quote-requests', { body: openBody() })
  },
}
