import { afterEach, expect, test } from 'vitest'
import { COVERAGE_OF_KILLS, createCollector } from '../../../bench/soak/collector.ts'
import { createMortalMaker, GRACE_MS, SIGN_MS } from '../../../bench/soak/killed-makers.ts'
import { createRecords, createSuspensions, SUSPENSION_MS } from '../../../bench/soak/records.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodePostTrade } from '../../../src/protocol/wire/maker-messages.ts'
import {
  answer,
  createFakeConnectionPool,
  type FakeConnection,
  STREAM,
  UPGRADED,
  webSocketFrame,
} from './fake-connection-pool.ts'

const ADA = { makerId: 'ada', apiKey: 'key-of-ada', privateKey: `0x${'11'.repeat(32)}` } as const

/** The place of a maker that is killed, whose windows take six orders in 20 s. */
const INDEX = 1

/** The place of one that stays, and signs everything. */
const STAYS = 0
const REQUEST = 'aaaaaaaa-1'
const GONE = 'V11: ada was asked although it was gone for longer than its grace'

const ending: AbortController[] = []
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort()
})

/** What a record says of a quote that was asked for with the n-th order. */
type Outcome = { kind: string; n: number }

/** A record as a relay tells it, with a suspension that ends then, Unix milliseconds; null: with none. */
function recordOf(outcomes: readonly Outcome[], until: number | null = null): string {
  const newest = outcomes.map(({ kind, n }) => ({ at: timeOf(0), kind, requestId: `r${n}`, quoteId: `q${n}` }))
  const counts = { confirmed: 0, missed: 0, declined: 0, insolvent: 0, bad_signature: 0, cancelled: 0, defunded: 0 }
  const waits = { confirmP50Ms: null, confirmP90Ms: null, confirmP99Ms: null }
  const suspension = until === null ? null : { until: timeOf(until), because: newest }
  const record = { score: 50, windowMs: 1, outcomes: counts, ...waits, suspension, strikes: 0, newest }
  return JSON.stringify({ success: true, standing: { ...record, lastDay: { requests: 0, won: 0, winShare: null } } })
}

const confirmed = (n: number): Outcome => ({ kind: 'confirmed', n })
const missed = (n: number): Outcome => ({ kind: 'missed', n })
const timeOf = (ms: number): string => new Date(ms).toISOString()

/** A maker on connections that the test plays, by a clock that it sets, in milliseconds. */
function createPlay(index = INDEX) {
  const clock = { at: 100_000 }
  const over = new AbortController()
  ending.push(over)
  const collector = createCollector(() => clock.at, COVERAGE_OF_KILLS)
  const { connections, opened } = createFakeConnectionPool()
  const figures = { kills: 0, acceptances: 0, trips: 0, resets: 0, quotesSuspended: 0 }
  const suspensions = createSuspensions(collector)
  const maker = createMortalMaker(ADA, index, {
    ...{ pools: [connections], makers: [ADA], quotesPerRequest: 1, collector, suspensions, figures },
    ...{ lagMs: COVERAGE_OF_KILLS.lagMs, signal: over.signal },
  })
  let calls: FakeConnection
  let stream: FakeConnection
  let socket: FakeConnection
  let asked = 0
  return {
    clock,
    figures,
    kill: () => maker.die(0),
    begin: async () => {
      const first = opened.length
      const begun = maker.begin()
      calls = opened[first] as FakeConnection
      await expect.poll(() => calls.written.length).toBe(1)
      expect(calls.written[0]).toContain('PUT /v1/mm/protections ')
      calls.says(answer('{}'))
      await expect.poll(() => opened.length).toBe(first + 3)
      stream = opened[first + 1] as FakeConnection
      stream.says(`${STREAM}event: connected\ndata: {}\n\nevent: snapshot_complete\nid: 7\ndata: {}\n\n`)
      socket = opened[first + 2] as FakeConnection
      socket.says(UPGRADED + webSocketFrame(1, '{"type":"connected"}'))
      await begun
    },
    /** Its socket hears a message. */
    hear: (message: object) => socket.says(webSocketFrame(1, JSON.stringify(message))),
    /** It is asked to sign, by a decision of that time. */
    ask: (at: number) => {
      asked += 1
      const requestId = `r${asked}`
      const order = {
        maker: `0x${'1'.repeat(40)}`,
        seriesId: '7',
        optionAmount: contracts(10n),
        premiumAmount: usd6(1_000_000n),
        makerSelling: true,
        taker: `0x${'2'.repeat(40)}`,
        validUntil: 1_000,
        nonce: asked,
      }
      const domain = { name: 'n', version: '1', chainId: 1, verifyingContract: `0x${'3'.repeat(40)}` }
      const acceptance = { requestId, quoteId: `q${asked}`, order, domain, deadline: at + SIGN_MS }
      const message = encodePostTrade({ kind: 'accepted', acceptance } as Parameters<typeof encodePostTrade>[0])
      socket.says(webSocketFrame(1, JSON.stringify(message)))
    },
    /** Its n-th call, of which its protections are the first, is answered so; without an answer it only waits for the call. */
    answers: async (n: number, text?: string, status = 200) => {
      await expect.poll(() => calls.written.length).toBe(n)
      if (text !== undefined) calls.says(answer(text, status))
    },
    /** Its stream tells. */
    feed: (event: string, id: number) =>
      stream.says(`event: ${event}\nid: ${id}\ndata: {"requestId":"${REQUEST}","side":"buy"}\n\n`),
    /** A taker is shown its quote, and the request ends. */
    show: (quoteId: string) => {
      const moment = collector.moment()
      const shown = { by: 'stream', asked: moment, answered: moment, quoteId, quoteCount: 1 } as const
      collector.observe({ kind: 'quote_shown', requestId: REQUEST, ...shown })
    },
    /** A taker commits, and is not answered yet. */
    commit: (requestId: string) => {
      const none = { answered: null, status: 0, executionId: null, quoteId: null, limitPrice: null, revealed: null }
      collector.observe({ kind: 'commit', requestId, wallet: 'w', sent: collector.moment(), ...none })
    },
    /** Its record is read of two nodes. */
    read: async (one: string, other = one) => {
      const node = { pools: [connections, connections], makers: [ADA], collector, suspensions }
      const first = opened.length
      const reading = createRecords(node).run(AbortSignal.abort())
      for (const [n, text] of [one, other].entries()) {
        await expect.poll(() => opened.length).toBe(first + n + 1)
        opened.at(-1)?.says(answer(text))
      }
      await expect.poll(() => opened[first]?.written.length).toBe(2)
      opened[first]?.says(answer(one))
      await reading
    },
    /** What is found of an invariant once all is over. */
    judged: (invariant: string) => {
      collector.judgeRecords()
      collector.settle(Number.POSITIVE_INFINITY)
      return collector.report().examples.filter((text) => text.startsWith(invariant))
    },
    broken: () => collector.report().broken,
    found: () => collector.report().examples.filter((text) => text.startsWith('V11')),
  }
}

test('a relay that keeps to the protections of makers that are killed breaks nothing', async () => {
  const { clock, begin, kill, ask, found, figures } = createPlay()
  await begin()
  for (const at of [104_000, 105_000, 106_000]) ask(at)
  clock.at = 110_000
  await kill()
  clock.at = 116_000
  await begin()
  ask(110_000 + GRACE_MS)
  ask(119_000)
  expect(found()).toEqual([])
  expect(figures).toMatchObject({ kills: 1, acceptances: 5 })
})

test('a relay that ignores a window is found', async () => {
  const { begin, ask, found } = createPlay()
  await begin()
  for (let n = 0; n < 7; n += 1) ask(104_000 + 1_000 * n)
  expect(found()).toEqual(['V11: ada was asked 7 times within 20000 ms'])
})

test('a relay that ignores that a maker was killed is found, when the maker is back and learns of it', async () => {
  const { clock, begin, kill, ask, found } = createPlay()
  await begin()
  clock.at = 110_000
  await kill()
  clock.at = 116_000
  await begin()
  ask(115_000)
  expect(found()).toEqual([GONE])
})

test('a trip is counted once, however often it is announced', async () => {
  const { begin, kill, hear, figures } = createPlay()
  const figuresOf = { accepted: 6, contracts: 60, notional: 6, collateral: 0 }
  const window = { ms: 20_000, maxAccepted: 6, maxContracts: null, maxNotional: null, maxCollateral: null }
  const trip = { at: new Date(0).toISOString(), until: new Date(4_000).toISOString(), window }
  const message = { type: 'protection:tripped', trip: { ...trip, used: figuresOf, withNext: figuresOf } }
  await begin()
  hear(message)
  await kill()
  await begin()
  hear(message)
  expect(figures.trips).toBe(1)
})

test('a record that counts what its maker did breaks nothing (invariant V12)', async () => {
  const { begin, ask, answers, kill, read, judged, broken } = createPlay(STAYS)
  await begin()
  ask(100_000)
  await answers(2, '{}')
  // Its answer to the next one is lost with it.
  ask(100_000)
  await answers(3)
  await kill()
  await read(recordOf([confirmed(1), missed(2)]))
  expect(judged('V12')).toEqual([])
  expect(broken()).toBe(0)
})

test.each<[string, Outcome[]]>([
  ['V12: the record of ada counts missed of q1, which it did not do', [missed(1)]],
  ['V12: the record of ada counts missed of q9, which it did not do', [missed(9)]],
  ['V12: the record of ada counts declined of q1, which it did not do', [{ kind: 'declined', n: 1 }]],
  ['V12: the record of ada counts insolvent of q2, which it did not do', [{ kind: 'insolvent', n: 2 }]],
])('a relay that counts what its maker did not do is found: %s', async (sentence, outcomes) => {
  const { begin, ask, answers, read, judged } = createPlay(STAYS)
  await begin()
  ask(100_000)
  await answers(2, '{}')
  ask(100_000)
  await answers(3)
  await read(recordOf(outcomes))
  expect(judged('V12')).toEqual([sentence])
})

test('a relay that counts a miss of an order that its maker cannot have received is not found, where a maker was killed meanwhile', async () => {
  const { begin, commit, kill, read, judged } = createPlay(STAYS)
  await begin()
  commit('r9')
  await kill()
  await read(recordOf([missed(9)]))
  expect(judged('V12')).toEqual([])
})

test('nodes that tell a record differently are found (invariant V12)', async () => {
  const { begin, read, judged } = createPlay(STAYS)
  await begin()
  await read(recordOf([]), recordOf([], 200_000))
  expect(judged('V12')[0]).toMatch(/^V12: two nodes tell the record of ada as/)
})

test('a suspended maker is not asked, whether it learned of it before or after (invariant V12)', async () => {
  const { begin, ask, read, judged } = createPlay(STAYS)
  await begin()
  for (const at of [98_000, 104_000, 109_000]) ask(at)
  await read(recordOf([missed(1)], 100_000 + SUSPENSION_MS))
  ask(104_500)
  expect(judged('V12: ada was asked')).toEqual(Array(2).fill('V12: ada was asked while it was suspended'))
})

test('a maker that did nothing wrong is not suspended (invariant V12)', async () => {
  const { begin, ask, answers, read, judged } = createPlay(STAYS)
  await begin()
  ask(100_000)
  await answers(2, '{}')
  await read(recordOf([confirmed(1)], 111_000))
  await read(recordOf([], 121_000))
  expect(judged('V12')).toEqual([
    'V12: ada was suspended for confirmed of q1, which it did not do',
    'V12: ada was suspended for nothing',
  ])
})

test('quotes of a maker that is suspended are refused (invariant V12), and not shown (invariant V7)', async () => {
  const { clock, figures, begin, feed, answers, show, read, judged, broken } = createPlay(STAYS)
  await begin()
  feed('quote_request', 8)
  await answers(2, '{"quoteId":"q"}')
  await expect.poll(() => judged('V')).toEqual([])
  await read(recordOf([missed(1)], 100_000 + SUSPENSION_MS))
  clock.at = 104_000
  show('q')
  feed('quote_request', 9)
  await answers(3, JSON.stringify({ code: 'maker_suspended', until: timeOf(110_000), because: [] }), 403)
  await expect.poll(() => figures.quotesSuspended).toBe(1)
  feed('quote_request', 10)
  await answers(4, '{"quoteId":"q"}')
  await expect.poll(() => judged('V12: a quote')).toEqual(['V12: a quote of ada was taken while it was suspended'])
  feed('quote_request_expired', 11)
  expect(judged('V7')).toEqual([`V7: ${REQUEST} showed the quote of ada after its end`])
  expect(broken()).toBe(0)
})
