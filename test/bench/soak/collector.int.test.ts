import { afterEach, expect, test } from 'vitest'
import { COVERAGE, COVERAGE_OF_KILLS, createCollector } from '../../../bench/soak/collector.ts'
import { connectMakers } from '../../../bench/soak/makers.ts'
import { createRounds, PATIENCE } from '../../../bench/soak/takers.ts'
import type { ListedSeries } from '../../../src/client/index.ts'
import {
  answer,
  createFakeConnectionPool,
  type FakeConnection,
  STREAM,
  UPGRADED,
  webSocketFrame,
} from './fake-connection-pool.ts'

const REQUEST = 'aaaaaaaa-1'
const MAKER = { makerId: 'ada', apiKey: 'key-of-ada', privateKey: `0x${'11'.repeat(32)}` } as const
const SERIES = {
  conditionId: 'c',
  yesTokenId: 'y',
  optionType: 'call',
  strikeBps: 1,
  expiry: 1,
} as unknown as ListedSeries

const ending: AbortController[] = []
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort()
})

const event = (name: string, data: object, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** What a relay tells the maker and the taker of one request; a test changes one of them. */
const HONEST = {
  makersConnected: 1,
  /** On the maker's stream. */
  feed: event('quote_request', { requestId: REQUEST, side: 'buy' }, 1),
  feedEnd: event('quote_request_expired', { requestId: REQUEST }, 2),
  /** On the taker's stream. */
  best: event('best_quote', { bestQuote: { quote_id: 'q' }, quoteCount: 1 }),
  takerEnd: event('closed', {}),
  /** On the maker's socket. */
  told: webSocketFrame(
    1,
    JSON.stringify({ type: 'quote:confirmed', requestId: REQUEST, quoteId: 'q', executionId: 'e' }),
  ),
  execution: 'e',
  /** The same commit, asked for again. */
  again: 'e',
}

/** Makers and takers of a soak on connections that the test plays: a request is opened, quoted, traded and over. */
async function play(changes: Partial<typeof HONEST> = {}) {
  const said = { ...HONEST, ...changes }
  const collector = createCollector(() => 1_000)
  const over = new AbortController()
  ending.push(over)
  const { signal } = over
  const { connections, opened } = createFakeConnectionPool()
  /** The first connection on which this was called. */
  const connection = async (call: string): Promise<FakeConnection> => {
    const find = () => opened.find(({ written }) => written[0]?.startsWith(call))
    await expect.poll(find).toBeDefined()
    return find() as FakeConnection
  }
  const connected = connectMakers({ pools: [connections], makers: [MAKER], quotesPerRequest: 1, collector, signal })
  const [calls, feed, socket] = opened as [FakeConnection, FakeConnection, FakeConnection]
  feed.says(STREAM + event('snapshot_complete', {}, 0))
  socket.says(UPGRADED + webSocketFrame(1, '{"type":"connected"}'))
  await connected

  const terms = {
    privateKey: `0x${'22'.repeat(32)}` as const,
    series: SERIES,
    quotesPerRequest: 1,
    patience: PATIENCE,
    ttlMs: null,
  }
  const makersSince = () => [1, 1] as const
  const rounds = createRounds({ pools: [connections], makersSince, ...terms, collector, signal })
  void rounds.run(20)
  const taker = await connection('POST /quote-requests ')
  taker.says(answer(JSON.stringify({ requestId: REQUEST, makersConnected: said.makersConnected, takerSecret: 's' })))
  feed.says(said.feed)
  await expect.poll(() => calls.written.length).toBe(1)
  calls.says(answer('{"quoteId":"q"}'))
  const stream = await connection(`GET /quote-requests/${REQUEST}/stream`)
  stream.says(STREAM + said.best)
  const committed = (execution: string) =>
    answer(JSON.stringify({ quote: { quote_id: 'q', price: 0.05 }, execution: { execution_id: execution } }))
  await expect.poll(() => taker.written.length).toBe(2)
  taker.says(committed(said.execution))
  await expect.poll(() => taker.written.length).toBe(3)
  taker.says(committed(said.again))
  socket.says(said.told)
  stream.says(said.takerEnd)
  feed.says(said.feedEnd)
  await expect.poll(() => collector.report().scores.V10?.checks).toBe(1)
  over.abort()
  return collector
}

/** What is found once all is over. */
async function found(changes: Partial<typeof HONEST>): Promise<readonly string[]> {
  const collector = await play(changes)
  collector.settle(2_000)
  return collector.report().examples
}

test('a request is checked once it ended long enough ago, and forgotten', async () => {
  const collector = await play()
  collector.settle(1_000)
  expect(collector.report().checked).toBe(0)
  collector.settle(1_001)
  collector.settle(1_001)
  expect(collector.report()).toMatchObject({ checked: 1, violations: 0, broken: 0, examples: [] })
})

test('blind spots of a soak are declared', () => {
  expect(Object.keys(COVERAGE.unseen)).toEqual(['V5', 'V11', 'V12', 'V16'])
  expect(Object.keys(COVERAGE_OF_KILLS.unseen)).toEqual(['V5', 'V16'])
})

test.each<[string, Partial<typeof HONEST>]>([
  ['V3: ada heard twice on one socket how aaaaaaaa-1 ended', { told: HONEST.told.repeat(2) }],
  ['V4: ada was not told that aaaaaaaa-1 is over', { feedEnd: '' }],
  ['V4: the stream of the taker of aaaaaaaa-1 went on after its end', { takerEnd: HONEST.takerEnd + HONEST.best }],
  ['V6: ada got the id 1 after 1', { feed: HONEST.feed + event('quote_request', { requestId: 'b' }, 1) }],
  ['V6: ada missed between 1 and 3', { feedEnd: event('quote_request_expired', { requestId: REQUEST }, 3) }],
  [
    'V7: aaaaaaaa-1 showed another, which nobody quoted',
    { best: event('best_quote', { bestQuote: { quote_id: 'another' }, quoteCount: 1 }) },
  ],
  ['V9: 2 makers were told of aaaaaaaa-1, and 1 to 1 were connected', { makersConnected: 2 }],
  [
    'V14: ada heard that an order of aaaaaaaa-1 ended, which it never signed',
    {
      told:
        HONEST.told + webSocketFrame(1, JSON.stringify({ type: 'order:expired', requestId: REQUEST, quoteId: 'q' })),
    },
  ],
  ['V10: the commit of aaaaaaaa-1 was answered by e, and later by f', { again: 'f' }],
])('a wrong event on the wire is found: %s', async (sentence, changes) => {
  expect(await found(changes)).toContain(sentence)
})

test('calls that failed are counted beside the invariants', () => {
  const collector = createCollector(() => 1_000)
  collector.failed('a quote', new Error('answered by 500'))
  expect(collector.report()).toMatchObject({ broken: 1, violations: 0, examples: ['a quote: answered by 500'] })
})

test.each([
  ['404 Not Found', 0],
  ['503 Service Unavailable', 1],
])('a taker that went on may find its stream gone, and not broken: %s', async (status, broken) => {
  const collector = createCollector(() => 1_000)
  const over = new AbortController()
  ending.push(over)
  const { connections, opened } = createFakeConnectionPool()
  const calls = (call: string) => opened.find(({ written }) => written[0]?.startsWith(call))
  const terms = { privateKey: `0x${'22'.repeat(32)}` as const, series: SERIES, quotesPerRequest: 1 }
  const patience = { ...PATIENCE, quotesMs: 1, isContent: true }
  const shared = { pools: [connections], makersSince: () => [1, 1] as const, collector, signal: over.signal }
  void createRounds({ ...terms, ...shared, patience, ttlMs: null }).run(20)
  await expect.poll(() => calls('POST /quote-requests ')).toBeDefined()
  const taker = calls('POST /quote-requests ') as FakeConnection
  taker.says(answer(JSON.stringify({ requestId: REQUEST, makersConnected: 1, takerSecret: 's' })))
  // It has no quote, and cancels.
  await expect.poll(() => taker.written.length).toBe(2)
  const stream = calls(`GET /quote-requests/${REQUEST}/stream`) as FakeConnection
  stream.says(`HTTP/1.1 ${status}\r\n\r\n`)
  stream.ends(new Error('the relay closed a connection'))
  expect(collector.report().broken).toBe(broken)
})

test.each([
  ['before its time is displaced', 60_000, { displaced: 1, expired: 0 }],
  ['when its time is over has expired', 1_000, { displaced: 0, expired: 1 }],
])("a hoarder's request that ends %s", async (_, ttlMs, ended) => {
  const over = new AbortController()
  ending.push(over)
  const { connections, opened } = createFakeConnectionPool()
  const calls = (call: string) => opened.find(({ written }) => written[0]?.startsWith(call))
  const rounds = createRounds({
    ...{ privateKey: `0x${'22'.repeat(32)}`, series: SERIES, quotesPerRequest: 1, patience: PATIENCE, ttlMs },
    ...{
      pools: [connections],
      makersSince: () => [1, 1],
      collector: createCollector(() => 1_000),
      signal: over.signal,
    },
  })
  void rounds.run(20)
  await expect.poll(() => calls('POST /quote-requests ')).toBeDefined()
  const taker = calls('POST /quote-requests ') as FakeConnection
  expect(taker.written[0]).toContain('x-forwarded-for: 192.0.2.1\r\n')
  taker.says(answer(JSON.stringify({ requestId: REQUEST, makersConnected: 1, takerSecret: 's' })))
  await expect.poll(() => calls(`GET /quote-requests/${REQUEST}/stream`)).toBeDefined()
  const stream = calls(`GET /quote-requests/${REQUEST}/stream`) as FakeConnection
  stream.says(`${STREAM}event: best_quote\ndata: {"bestQuote":{"quote_id":"q"},"quoteCount":1}\n\n`)
  stream.says(`event: closed\ndata: {"requestId":"${REQUEST}"}\n\n`)
  expect(rounds.figures()).toMatchObject(ended)
})

/** A request whose firm quote was taken by a commit; `told`: the order that its maker hears of. */
function tradeFirm(told: object = {}, replaced = false) {
  const collector = createCollector(() => 1_000)
  const { observe, moment } = collector
  const order = {
    ...{ maker: '0xaa', seriesId: '1', optionAmount: '20', premiumAmount: '1000000', makerSelling: true },
    ...{ taker: '0xbb', validUntil: 1_000, nonce: 1 },
  }
  const names = { requestId: REQUEST, makerId: 'ada', quoteId: 'q' }
  const terms = { wallet: '0xaa', price: 50_000n, size: 1_000n, livesMs: null, countsFrom: null, isRefused: false }
  const quote = () => observe({ kind: 'quote', ...names, ...terms, sent: moment(), answered: moment() })
  observe({ kind: 'request_opened', requestId: REQUEST, side: 'buy', budget: 1_000_000n, size: null })
  quote()
  const madeFirm = { order, signature: 'ab', sent: moment(), answered: moment(), status: 200 }
  observe({ kind: 'quote_sealed', ...names, ...madeFirm })
  if (replaced) quote()
  const commit = {
    ...{ kind: 'commit' as const, requestId: REQUEST, wallet: '0xbb', limitPrice: null, revealed: null, isFirm: true },
    ...{ sent: moment(), answered: moment(), status: 200, executionId: 'e', quoteId: 'q' },
  }
  observe(commit)
  collector.tookFirm(commit)
  const heard = { ...names, socket: 'ada', outcome: 'confirmed' as const, order: { ...order, ...told } }
  observe({ kind: 'quote_ended', ...heard })
  observe({ kind: 'taker_event', stream: 's', event: 'closed', requestId: REQUEST, moment: moment() })
  collector.settle(2_000)
  return collector.report()
}

test('an order signed beforehand comes back (invariant V13)', () => {
  const { scores, examples } = tradeFirm()
  expect(examples).toEqual([])
  expect(scores.V13?.checks).toBeGreaterThan(0)
})

test('another order than the one signed beforehand, or that of a quote that was replaced, is found (invariant V13)', () => {
  const another = `V13: ${REQUEST} returned an order that no one signed beforehand for q`
  expect(tradeFirm({ premiumAmount: '2' }).examples).toContain(another)
  const replaced = `V13: ${REQUEST} returned a firm signature of ada whose quote was replaced`
  expect(tradeFirm({}, true).examples).toContain(replaced)
})
