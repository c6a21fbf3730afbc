import { describe, expect, test } from 'vitest'
import { apiKeyOf } from '../../../src/protocol/domain/api-key.ts'
import { bucketOf } from '../../../src/relay/server/client-address.ts'
import { createAllowances } from '../../../src/relay/server/plugins/request-rates.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { ADA, openBody, startServer } from './support.ts'

const opening = () => ({ body: openBody() })

describe('the allowance of a client', () => {
  test('is its burst at once, and its rate from then on', async () => {
    const clock = createFakeClock()
    const { take } = createAllowances({ perS: 2, burst: 3 }, clock)
    expect([take('a', 1), take('a', 1), take('a', 1), take('a', 1)]).toEqual([0, 0, 0, 500])
    await clock.advance(500)
    expect([take('a', 1), take('a', 1)]).toEqual([0, 500])
    await clock.advance(60_000)
    expect([take('a', 3), take('a', 1)]).toEqual([0, 500])
  })

  test('is its own', () => {
    const { take } = createAllowances({ perS: 1, burst: 1 }, createFakeClock())
    expect([take('a', 1), take('b', 1), take('a', 1)]).toEqual([0, 0, 1_000])
  })

  test('costs nothing where it does not suffice', async () => {
    const clock = createFakeClock()
    const { take } = createAllowances({ perS: 1, burst: 4 }, clock)
    expect([take('a', 3), take('a', 2), take('a', 2), take('a', 1)]).toEqual([0, 1_000, 1_000, 0])
  })

  test('lets a request through that costs more than a burst, alone', () => {
    const { take } = createAllowances({ perS: 1, burst: 2 }, createFakeClock())
    expect([take('a', 5), take('a', 5)]).toEqual([0, 2_000])
  })

  test('is kept over generations of other clients', async () => {
    const clock = createFakeClock()
    const { take } = createAllowances({ perS: 1, burst: 10 }, clock)
    await clock.advance(9_000)
    take('a', 10)
    await clock.advance(2_000)
    take('b', 1)
    expect(take('a', 3)).toBe(1_000)
    await clock.advance(9_000)
    take('b', 1)
    expect(take('a', 10)).toBe(0)
  })

  test('is remembered for a bounded number of clients', () => {
    const { take } = createAllowances({ perS: 1, burst: 1 }, createFakeClock())
    take('a', 1)
    for (let i = 0; i < 60_000; i += 1) take(String(i), 1)
    expect(take('a', 1)).toBe(1_000)
    for (let i = 0; i < 60_000; i += 1) take(`again ${i}`, 1)
    expect(take('a', 1)).toBe(0)
  })
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['no address at all', 'unknown'],
])('%s counts as %s', (address, bucket) => expect(bucketOf(address)).toBe(bucket))

describe('a route that costs', () => {
  test('is refused with Retry-After beyond the rate of its client, and served again after it', async () => {
    const { call, clock } = await startServer({ server: { requestRate: { perS: 1, burst: 2 } } })
    const answers = [await call('POST', '/quote-requests', opening()), await call('POST', '/quote-requests', opening())]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const refused = await call('POST', '/quote-requests', opening())
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'access-control-allow-origin': '*' },
      body: { code: 'too_many_requests', retryable: true, retryAfterS: 1 },
    })
    await clock.advance(1_000)
    expect((await call('POST', '/quote-requests', opening())).status).toBe(200)
  })

  test('does not stop what is cheap, or what carries a key', async () => {
    const { call } = await startServer({ server: { requestRate: { perS: 1, burst: 1 } } })
    await call('POST', '/quote-requests', opening())
    expect((await call('GET', '/healthz')).status).toBe(200)
    expect((await call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': 'key-of-ada' } })).status).toBe(200)
  })

  test.each([
    ['unknown', { 'x-api-key': apiKeyOf(7n) }],
    ['mistyped', { 'x-api-key': 'mk_live_x' }],
    ['missing', {}],
  ])('is a key that is %s, and not one that is known', async (_, headers) => {
    const { call, socket } = await startServer({ server: { requestRate: { perS: 1, burst: 3 } } })
    const statuses: number[] = []
    for (let n = 0; n < 4; n += 1) statuses.push((await call('GET', '/v1/mm/quotes', { headers })).status)
    expect(statuses).toEqual([401, 401, 401, 429])
    expect((await call('GET', '/v1/mm/quotes', { headers: ADA })).status).toBe(200)
    const { next } = socket('/maker/v1/ws', { headers: { 'x-api-key': apiKeyOf(8n) } })
    expect(await next()).toBe(1008)
    expect(await socket('/maker/v1/ws', { headers: ADA }).next()).toMatchObject({ type: 'connected' })
  })

  test('counts for the client that a trusted proxy names', async () => {
    const server = { requestRate: { perS: 1, burst: 1 }, trustProxy: '127.0.0.1' }
    const { call } = await startServer({ server })
    const from = (client: string) =>
      call('POST', '/quote-requests', { ...opening(), headers: { 'x-forwarded-for': client } })
    expect((await from('203.0.113.1')).status).toBe(200)
    expect((await from('203.0.113.2')).status).toBe(200)
    expect((await from('203.0.113.1')).status).toBe(429)
  })

  test('warns once that clients behind a proxy count as one when no proxy is trusted', async () => {
    const { call, log } = await startServer({ server: { requestRate: { perS: 1, burst: 1 } } })
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    await call('POST', '/quote-requests', { ...opening(), headers })
    expect((await call('POST', '/quote-requests', { ...opening(), headers })).status).toBe(429)
    expect(log.lines.filter(({ event }) => event === 'forwarded_for_ignored')).toMatchObject([{ level: 'warn' }])
  })
})
