import { afterEach, expect, test } from 'vitest'
import { COVERAGE_OF_KILLS, createCollector } from '../../../bench/soak/collector.ts'
import { createMortalMaker, GRACE_MS, SIGN_MS } from '../../../bench/soak/killed-makers.ts'
import { contracts, usd6 } from '../../../src/domain/units.ts'
import { encodePostTrade } from '../../../src/wire/maker-messages.ts'
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
const GONE = 'V11: ada was asked although it was gone for longer than its grace'

const ending: AbortController[] = []
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort()
})

/** A maker on connections that the test plays, by a clock that it sets, in milliseconds. */
function createPlay() {
  const clock = { at: 100_000 }
  const over = new AbortController()
  ending.push(over)
  const collector = createCollector(() => clock.at, COVERAGE_OF_KILLS)
  const { connections, opened } = createFakeConnectionPool()
  const figures = { kills: 0, acceptances: 0, trips: 0, resets: 0 }
  const maker = createMortalMaker(ADA, INDEX, {
    ...{ pools: [connections], makers: [ADA], quotesPerRequest: 1, collector, figures },
    ...{ lagMs: COVERAGE_OF_KILLS.lagMs, signal: over.signal },
  })
  let socket: FakeConnection
  let asked = 0
  return {
    clock,
    figures,
    kill: () => maker.die(0),
    begin: async () => {
      const first = opened.length
      const begun = maker.begin()
      const calls = opened[first] as FakeConnection
      await expect.poll(() => calls.written.length).toBe(1)
      expect(calls.written[0]).toContain('PUT /v1/mm/protections ')
      calls.says(answer('{}'))
      await expect.poll(() => opened.length).toBe(first + 3)
      opened[first + 1]?.says(`${STREAM}event: connected\ndata: {}\n\nevent: snapshot_complete\nid: 7\ndata: {}\n\n`)
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

test('a relay that ignores that a maker was killed is found, when the maker is back and hears of it', async () => {
  const { clock, begin, kill, ask, found } = createPlay()
  await begin()
  clock.at = 110_000
  await kill()
  clock.at = 116_000
  await begin()
  ask(115_000)
  expect(found()).toEqual([GONE])
})

test('a trip is counted once, however often it is heard of', async () => {
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
