import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import { createLocalLive } from '../../../src/relay/adapters/live/memory/live.ts'
import { createMemoryStore } from '../../../src/relay/adapters/store/memory.ts'
import { createBackgroundTasks } from '../../../src/relay/core/background-tasks.ts'
import { createMakerRecords } from '../../../src/relay/core/maker-records.ts'
import type { Takeover } from '../../../src/relay/core/ports/live.ts'
import type { Clock } from '../../../src/relay/core/ports/runtime.ts'
import type { Store } from '../../../src/relay/core/ports/store.ts'
import { anAcceptance, aRequest } from '../../ports/store.fixtures.ts'
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import {
  createTestRelay,
  DEMOTION,
  makerAccount,
  OTHER_TAKER,
  RELAY_SETTINGS,
  refusal,
  TAKER,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

const SUSPENSION_MS = 900_000
/** Two bad outcomes suspend a maker that has nothing else. */
const STRICT = { ...RELAY_SETTINGS.breaker, suspensionMs: SUSPENSION_MS, minOutcomes: 2, below: 60 }
const strict = (options: Parameters<typeof createTestRelay>[0] = {}) =>
  createTestRelay({ ...options, settings: { breaker: STRICT, ...options.settings } })

const UNAVAILABLE = () => Promise.reject(new RfqError('store_unavailable'))

const recordOf = async ({ ports }: Pick<TestRelay, 'ports'>, makerId = 'ada') =>
  (await ports.store.makerRecords.find(makerId)).outcomes.map(({ kind }) => kind)

/** Ada is asked to sign; what came of the commit is the refusal that its taker got. */
async function ask(fixture: TestRelay, name = 'ada', wallet: Address | null = TAKER) {
  const { requestId } = await fixture.open({ wallet })
  const quoteId = await fixture.quote(name, requestId)
  const outcome = refusal(fixture.commit(requestId))
  await settle()
  return { requestId, quoteId, outcome }
}

/** Ada lets the deadline pass, and the relay looks what became of it. */
async function passDeadline({ clock }: TestRelay): Promise<void> {
  await clock.advance(RELAY_SETTINGS.makerConfirmationMs)
  await clock.advance(40_000)
}

/** The next look for an order waits until the returned function is called. */
function holdReads({ ports }: TestRelay): () => void {
  const { findByQuote } = ports.store.acceptances
  let read = () => {}
  const held = new Promise<void>((resolve) => {
    read = resolve
  })
  ports.store.acceptances.findByQuote = async (...args) => {
    ports.store.acceptances.findByQuote = findByQuote
    await held
    return findByQuote(...args)
  }
  return read
}

const JUNK = `0x${'11'.repeat(65)}`

describe('the record of a maker', () => {
  it('counts what it confirms, with the time that it took, and what it declines', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const first = await ask(fixture)
    await fixture.clock.advance(700)
    await ada.confirm()
    expect(await first.outcome).toBe('not refused')
    const second = await ask(fixture)
    await fixture.relay.decline({ makerId: 'ada', quoteId: second.quoteId })
    await second.outcome
    expect((await fixture.ports.store.makerRecords.find('ada')).outcomes).toMatchObject([
      { kind: 'confirmed', requestId: first.requestId, quoteId: first.quoteId, waitedMs: 700 },
      { kind: 'declined', requestId: second.requestId, quoteId: second.quoteId },
    ])
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['confirmed', 'declined'])
  })

  it('counts an order that it received and left unanswered, and the maker learns so at once', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId, quoteId, outcome } = await ask(fixture)
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(ada.messages.at(-1)).toEqual({ kind: 'missed', requestId, quoteId })
    await fixture.clock.advance(8_000)
    expect(await recordOf(fixture)).toEqual(['missed'])
  })

  it('is not looked at any more when the relay has stopped, whose store is closed', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { outcome } = await ask(fixture)
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs)
    await outcome
    fixture.relay.stop()
    let reads = 0
    fixture.ports.store.acceptances.findByQuote = async () => {
      reads += 1
      return null
    }
    await fixture.clock.advance(60_000)
    expect([reads, await recordOf(fixture)]).toEqual([0, []])
  })

  it('counts orders that it leaves unanswered within one time to sign as one miss, and a later one as another', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    for (let i = 0; i < 3; i += 1) {
      await ask(fixture)
      await fixture.clock.advance(3_000)
    }
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['missed'])
    await ask(fixture)
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['missed', 'missed'])
  })

  it('counts an order whose maker closes its socket after receiving it', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await ask(fixture)
    ada.disconnect()
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['missed'])
  })

  it('counts wrong signatures of an order once, and nothing more when it then runs out', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    for (let i = 0; i < 3; i += 1) {
      const confirming = fixture.relay.confirm({ makerId: 'ada', quoteId, signature: JUNK })
      expect(await refusal(confirming)).toBe('invalid_signature')
    }
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['bad_signature'])
  })

  it('counts a right signature that follows a wrong one beside it', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: JUNK }))).toBe('invalid_signature')
    await ada.confirm()
    expect(await recordOf(fixture)).toEqual(['bad_signature', 'confirmed'])
  })

  it('counts a wrong signature of an order that is then declined once', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: JUNK }))).toBe('invalid_signature')
    await fixture.relay.decline({ makerId: 'ada', quoteId })
    await settle()
    expect(await recordOf(fixture)).toEqual(['bad_signature'])
  })

  it.each([
    ['a stranger answers in its place', 'bob', 0],
    ['its own answer comes too late', 'ada', RELAY_SETTINGS.makerConfirmationMs],
  ])('counts a miss while %s', async (_, makerId, afterMs) => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    await fixture.clock.advance(afterMs)
    const read = holdReads(fixture)
    const confirming = refusal(fixture.relay.confirm({ makerId, quoteId, signature: JUNK }))
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['missed'])
    read()
    expect(await confirming).toBe('no_pending_acceptance')
  })

  it('counts a wrong signature that was looked at too late as wrong, and its order once', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    const read = holdReads(fixture)
    const confirming = refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: JUNK }))
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs + 1_000)
    read()
    expect(await confirming).toBe('invalid_signature')
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['bad_signature'])
  })

  it('counts a decline that was looked at too late as one, and no miss', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    const read = holdReads(fixture)
    const declining = refusal(fixture.relay.decline({ makerId: 'ada', quoteId }))
    await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs + 1_000)
    read()
    expect(await declining).toBe('not refused')
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual(['declined'])
  })

  it('counts a wallet that cannot pay what it quoted, once however often a taker commits', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    fixture.chain.wallets.set(walletOf('ada'), { core: { balance: usd6(1n), allowance: usd6(10n ** 15n) } })
    for (let i = 0; i < 3; i += 1) expect(await refusal(fixture.commit(requestId))).toBe('maker_insufficient_balance')
    expect(await recordOf(fixture)).toEqual(['insolvent'])
  })

  it('counts an order that it signed and then cancelled in place of its confirmation', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    const { outcome } = await ask(fixture)
    await ada.confirm()
    await outcome
    expect(await recordOf(fixture)).toEqual(['confirmed'])
    fixture.chain.use(ada.accepted()[0]?.order ?? expect.fail(), 'cancelled')
    await fixture.clock.advance(5_000)
    expect(await recordOf(fixture)).toEqual(['cancelled'])
  })

  it('counts an ask that finds it absent for longer than a restart of ours takes', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(RELAY_SETTINGS.makerAbsentMs)
    const outcome = refusal(fixture.commit(requestId))
    await fixture.clock.advance(RELAY_SETTINGS.makerOfflineGraceMs)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(await recordOf(fixture)).toEqual(['missed'])
  })

  it('counts an absence once, however many asks find it', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const requests = [await fixture.open(), await fixture.open(), await fixture.open()]
    for (const { requestId } of requests) await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(RELAY_SETTINGS.makerAbsentMs)
    for (const { requestId } of requests) {
      const outcome = refusal(fixture.commit(requestId))
      await fixture.clock.advance(RELAY_SETTINGS.makerConfirmationMs * 2)
      await outcome
    }
    expect(fixture.auditLog.filter(({ kind }) => kind === 'passed_over')).toHaveLength(3)
    expect(await recordOf(fixture)).toEqual(['missed'])
  })
})

describe('the record of a maker never counts (invariant V12)', () => {
  it('an ask that finds no socket of one that was here a moment ago', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    const outcome = refusal(fixture.commit(requestId))
    await fixture.clock.advance(RELAY_SETTINGS.makerOfflineGraceMs)
    await outcome
    expect(await recordOf(fixture)).toEqual([])
  })

  it('an ask that finds a maker whose connections no one remembers', async () => {
    const clock = createFakeClock()
    const live = createLocalLive({
      clock,
      log: createFakeLog(),
      epoch: 1,
      demotion: DEMOTION,
      recordQuoter: () => {},
    })
    const presence = {
      ...live.presence,
      hasSocket: async () => false,
      absences: async () => [{ stream: 0, socket: 0 }],
    }
    const fixture = createTestRelay({ ports: { presence } })
    await ask(fixture)
    await passDeadline(fixture)
    expect(fixture.auditLog.map(({ kind }) => kind)).toContain('passed_over')
    expect(await recordOf(fixture)).toEqual([])
  })

  it('an absence that one of several nodes tells of: it may be that node that is gone', async () => {
    const fixture = createTestRelay({ ports: { takeover: {} as Takeover } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(RELAY_SETTINGS.makerAbsentMs)
    const outcome = refusal(fixture.commit(requestId))
    await fixture.clock.advance(RELAY_SETTINGS.makerOfflineGraceMs)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(await recordOf(fixture)).toEqual([])
  })

  it('an order that it did not receive', async () => {
    const live = createFixtureLive()
    const bus: typeof live.bus = {
      ...live.bus,
      // Lost on its way to the node that has the maker's socket.
      publish: async (topic, key, message) => (topic === 'maker' ? undefined : live.bus.publish(topic, key, message)),
    }
    const fixture = createTestRelay({ ports: { bus } })
    const ada = await fixture.connect('ada')
    await ask(fixture)
    await passDeadline(fixture)
    expect(ada.accepted()).toEqual([])
    expect(fixture.auditLog.map(({ kind }) => kind)).toContain('missed')
    expect(await recordOf(fixture)).toEqual([])
  })

  it.each([100, 2_000])('an order whose node was killed after sending it, and is back after %i ms', async (downMs) => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    await ask(fixture)
    const next = await fixture.restart(downMs)
    await next.connect('ada')
    await passDeadline(next)
    expect(fixture.auditLog.map(({ kind }) => kind)).toContain('missed')
    expect(await recordOf(next)).toEqual([])
  })

  it('a signature that came in time and could not be kept', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await ask(fixture)
    const { confirm } = fixture.ports.store.acceptances
    fixture.ports.store.acceptances.confirm = UNAVAILABLE
    await expect(ada.confirm()).rejects.toMatchObject({ code: 'store_unavailable' })
    fixture.ports.store.acceptances.confirm = confirm
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual([])
  })

  it.each(['confirm', 'decline'] as const)('a %s that met an outage of the store', async (verb) => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    const { findByQuote } = fixture.ports.store.acceptances
    fixture.ports.store.acceptances.findByQuote = UNAVAILABLE
    const signature = await ada.sign()
    const input = { makerId: 'ada', quoteId }
    const answer = verb === 'confirm' ? fixture.relay.confirm({ ...input, signature }) : fixture.relay.decline(input)
    expect(await refusal(answer)).toBe('store_unavailable')
    fixture.ports.store.acceptances.findByQuote = findByQuote
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual([])
  })

  it('a good signature whose node dies before it is kept: the others have their messages', async () => {
    const fixture = createTestRelay({ ports: { takeover: {} as Takeover } })
    const ada = await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    const told: unknown[] = []
    fixture.ports.bus.subscribe('suspensions', 'all', (message) => told.push(message))
    fixture.ports.store.acceptances.confirm = () => new Promise(() => {})
    void fixture.relay.confirm({ makerId: 'ada', quoteId, signature: await ada.sign() })
    await settle()
    expect(told).toEqual([{ kind: 'answered', quoteId }])
  })

  it('a signature that came in time and was looked at too late', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { quoteId } = await ask(fixture)
    const read = holdReads(fixture)
    const confirming = refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: await ada.sign() }))
    await passDeadline(fixture)
    read()
    expect(await confirming).toBe('no_pending_acceptance')
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual([])
  })

  it("a refusal of the relay's own: its operator has blocked the maker", async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { outcome } = await ask(fixture)
    await fixture.relay.blocks.decide({ makerId: 'ada', isBlocked: true, by: 'operator', reason: 'why' })
    await outcome
    await passDeadline(fixture)
    expect(fixture.auditLog.map(({ kind }) => kind)).toContain('declined')
    expect(await recordOf(fixture)).toEqual([])
  })

  it('that its wallet waits for takers that do not fill', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const [first, second] = [await fixture.open(), await fixture.open()]
    for (const { requestId } of [first, second]) await fixture.quote('ada', requestId)
    // Enough for one of them: 833 options lock 0.55 dollars each.
    fixture.chain.wallets.set(walletOf('ada'), { core: { balance: usd6(500_000_000n), allowance: usd6(10n ** 15n) } })
    const outcome = refusal(fixture.commit(first.requestId))
    await settle()
    await ada.confirm()
    await outcome
    expect(await refusal(fixture.commit(second.requestId, { wallet: OTHER_TAKER }))).toBe('maker_insufficient_balance')
    expect(await recordOf(fixture)).toEqual(['confirmed'])
  })

  it.each([1_000, 200_000])('that a fill took what its other quotes offered, %i ms ago', async (agoMs) => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    const requests = [await fixture.open(), await fixture.open(), await fixture.open()]
    for (const { requestId } of requests) await fixture.quote('ada', requestId)
    const [first, ...others] = requests.map(({ requestId }) => requestId)
    const trade = refusal(fixture.commit(first ?? ''))
    await settle()
    await ada.confirm()
    expect(await trade).toBe('not refused')
    fixture.chain.use(ada.accepted()[0]?.order ?? expect.fail())
    fixture.chain.wallets.set(walletOf('ada'), { core: { balance: usd6(1n), allowance: usd6(10n ** 15n) } })
    await fixture.clock.advance(agoMs)
    for (const requestId of others) expect(await refusal(fixture.commit(requestId))).toBe('maker_insufficient_balance')
    await settle()
    expect(await recordOf(fixture)).toEqual(['confirmed'])
  })

  it('a decline of an order for a taker that it is not shown before', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { outcome, quoteId } = await ask(fixture, 'ada', null)
    await fixture.relay.decline({ makerId: 'ada', quoteId })
    expect(await outcome).toBe('no_maker_confirmed')
    await passDeadline(fixture)
    expect(await recordOf(fixture)).toEqual([])
  })

  /** Two makers of one wallet are asked, and sign one after the other. */
  async function bothSign(fixture: TestRelay) {
    const makers = [await fixture.connect('ada'), await fixture.connect('bob')]
    const requests = [await fixture.open(), await fixture.open()]
    for (const [i, name] of (['ada', 'bob'] as const).entries()) {
      await fixture.quote(name, requests[i]?.requestId ?? '', { maker: walletOf('ada') })
    }
    fixture.chain.wallets.set(walletOf('ada'), { core: { balance: usd6(500_000_000n), allowance: usd6(10n ** 15n) } })
    const outcomes = requests.map(({ requestId }) => refusal(fixture.commit(requestId)))
    await settle()
    const answers: string[] = []
    for (const [i, makerId] of ['ada', 'bob'].entries()) {
      const { order, domain, quoteId } = makers[i]?.accepted()[0] ?? expect.fail()
      const signature = await makerAccount('ada').signTypedData(orderTypedData(order, domain))
      answers.push(await refusal(fixture.relay.confirm({ makerId, quoteId, signature })))
    }
    await Promise.all(outcomes)
    return answers
  }

  it('that its wallet was promised by another maker that signed first', async () => {
    const fixture = createTestRelay()
    expect(await bothSign(fixture)).toEqual(['not refused', 'maker_insufficient_balance'])
    expect([await recordOf(fixture), await recordOf(fixture, 'bob')]).toEqual([['confirmed'], []])
  })

  it('without a chain, two makers of one wallet both sign', async () => {
    const fixture = createTestRelay({ mode: 'simulated', ports: { orderEvents: null } })
    expect(await bothSign(fixture)).toEqual(['not refused', 'not refused'])
  })

  it('that a taker leaves too many orders unfilled', async () => {
    const fixture = createTestRelay({ settings: { maxUnfilledOrders: 1 } })
    const ada = await fixture.connect('ada')
    const first = await ask(fixture)
    await ada.confirm()
    await first.outcome
    const second = await ask(fixture)
    expect(await second.outcome).toBe('too_many_unfilled_orders')
    expect(await recordOf(fixture)).toEqual(['confirmed'])
  })

  it('an outage of the chain at the commit', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    fixture.chain.down = true
    expect(await refusal(fixture.commit(requestId))).toBe('chain_unavailable')
    expect(await recordOf(fixture)).toEqual([])
  })

  it('anything of makers without a key, which are no one in particular', async () => {
    const fixture = createTestRelay()
    await fixture.connect('anonymous')
    const { outcome, quoteId } = await ask(fixture, 'anonymous')
    await fixture.relay.decline({ makerId: 'anonymous', quoteId })
    await outcome
    expect(await recordOf(fixture, 'anonymous')).toEqual([])
  })
})

const createFixtureLive = () =>
  createLocalLive({
    clock: createFakeClock(),
    log: createFakeLog(),
    epoch: 1,
    demotion: DEMOTION,
    recordQuoter: () => {},
  })

/** Records on a clock of their own, of one order that its maker was told and that timed out. */
async function watchOne({
  toldAfterMs = 0,
  lateMs = 0,
  timeMs = RELAY_SETTINGS.makerConfirmationMs,
}: {
  toldAfterMs?: number
  lateMs?: number
  timeMs?: number
}) {
  const clock: FakeClock = createFakeClock()
  const tired: Clock = { ...clock, schedule: (at, run) => clock.schedule(at + lateMs, run) }
  const store: Store = createMemoryStore({ clock })
  const live = createLocalLive({
    clock,
    log: createFakeLog(),
    epoch: 1,
    demotion: DEMOTION,
    recordQuoter: () => {},
  })
  const log = createFakeLog()
  const records = createMakerRecords({
    ...live,
    store,
    clock: tired,
    log,
    background: createBackgroundTasks({ log, clock: tired }),
    audit: { record: () => {} },
    takeover: null,
    settings: RELAY_SETTINGS,
  })
  const request = aRequest(clock.now())
  await store.requests.insert(request)
  const acceptance = anAcceptance(request, { now: clock.now(), deadline: clock.now() + timeMs })
  await store.acceptances.insert(acceptance)
  await clock.advance(toldAfterMs)
  records.told(acceptance)
  await clock.advance(timeMs - toldAfterMs)
  await store.acceptances.end(acceptance.acceptanceId, 'timed_out')
  await clock.advance(40_000)
  return (await store.makerRecords.find(acceptance.makerId)).outcomes.map(({ kind }) => kind)
}

describe('a miss', () => {
  it('counts where the maker had its time and the relay was there', async () => {
    expect(await watchOne({ toldAfterMs: 500, lateMs: 500 })).toEqual(['missed'])
  })

  it('does not count for an order that came late (invariant V12)', async () => {
    expect(await watchOne({ toldAfterMs: 501 })).toEqual([])
  })

  it('does not count of one that had less than the time of a maker to sign (invariant V12)', async () => {
    expect(await watchOne({ timeMs: RELAY_SETTINGS.makerConfirmationMs - 1 })).toEqual([])
  })

  it('does not count where the process stood still at the deadline (invariant V12)', async () => {
    expect(await watchOne({ lateMs: 501 })).toEqual([])
  })
})

describe('a suspension', () => {
  /** Ada declines twice. */
  async function suspended(fixture: TestRelay) {
    const ada = await fixture.connect('ada')
    for (let i = 0; i < 2; i += 1) {
      const { quoteId, outcome } = await ask(fixture)
      await fixture.relay.decline({ makerId: 'ada', quoteId })
      await outcome
    }
    return ada
  }

  it('withdraws the quotes of its maker, refuses others, and is announced with its reason', async () => {
    const fixture = strict()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const ada = await suspended(fixture)
    const until = fixture.clock.now() + SUSPENSION_MS
    expect(ada.messages.at(-1)).toMatchObject({ kind: 'suspended', until, because: [{ kind: 'declined' }, {}] })
    expect((await fixture.relay.makerBook('ada')).quotes).toEqual([])
    const refused = await fixture.quote('ada', requestId).catch((fault: unknown) => fault)
    expect(refused).toMatchObject({
      code: 'maker_suspended',
      data: {
        until: new Date(until).toISOString(),
        because: [{ kind: 'declined', requestId: expect.any(String) }, {}],
      },
    })
    const again = await fixture.connect('ada')
    expect(again.messages).toMatchObject([{ kind: 'suspended', until }])
  })

  it('ends by the clock, which its maker learns', async () => {
    const fixture = strict()
    const ada = await suspended(fixture)
    const { requestId } = await fixture.open()
    await fixture.clock.advance(SUSPENSION_MS - 300_000)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('request_expired')
    const later = await fixture.open()
    await fixture.clock.advance(300_000 - 1)
    expect(await refusal(fixture.quote('ada', later.requestId))).toBe('maker_suspended')
    await fixture.clock.advance(1)
    expect(ada.messages.at(-1)).toEqual({ kind: 'reinstated', at: fixture.clock.now() })
    const last = await fixture.open()
    await fixture.quote('ada', last.requestId)
  })

  it('has commits pass over its maker without a miss, also on a node that does not know it yet (invariant V12)', async () => {
    const fixture = strict()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    // Another node counts, and its message is lost.
    for (const quoteId of ['one', 'two']) {
      await fixture.ports.store.makerRecords.note('ada', { kind: 'declined', requestId, quoteId }, STRICT)
    }
    const committing = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toEqual([])
    await bob.confirm()
    expect((await committing).execution.acceptance.makerId).toBe('bob')
    expect(fixture.auditLog.filter(({ kind }) => kind === 'passed_over')).toMatchObject([
      { makerId: 'ada', code: 'maker_suspended' },
    ])
    expect(await fixture.ports.book.demoted()).toEqual([])
    expect(await recordOf(fixture)).toEqual(['declined', 'declined'])
    expect(await refusal(fixture.quote('ada', (await fixture.open()).requestId))).toBe('maker_suspended')
  })

  it('outlives a restart', async () => {
    const fixture = strict()
    await suspended(fixture)
    const next = await fixture.restart(1_000)
    const { requestId } = await next.open()
    expect(await refusal(next.quote('ada', requestId))).toBe('maker_suspended')
  })

  it('withdraws the quotes of its maker later, where the book could not be written', async () => {
    const fixture = strict()
    await fixture.relay.start()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { removeAll } = fixture.ports.book
    fixture.ports.book.removeAll = UNAVAILABLE
    await suspended(fixture)
    await fixture.clock.advance(20_000)
    expect((await fixture.relay.makerBook('ada')).quotes).not.toEqual([])
    fixture.ports.book.removeAll = removeAll
    await fixture.clock.advance(20_000)
    expect((await fixture.relay.makerBook('ada')).quotes).toEqual([])
  })

  it('that an operator ends is over on every node, and its maker learns so', async () => {
    const fixture = strict()
    const ada = await suspended(fixture)
    await fixture.clock.advance(1_000)
    await fixture.relay.blocks.decide({ makerId: 'ada', isBlocked: false, by: 'operator', reason: 'an outage' })
    await settle()
    expect(ada.messages.at(-1)).toEqual({ kind: 'reinstated', at: fixture.clock.now() })
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
  })

  it('is taken up from the store, where its message was lost, and so is its end', async () => {
    const fixture = strict()
    await fixture.relay.start()
    const { requestId } = await fixture.open()
    for (const quoteId of ['one', 'two']) {
      await fixture.ports.store.makerRecords.note('ada', { kind: 'declined', requestId, quoteId }, STRICT)
    }
    await fixture.clock.advance(20_000)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_suspended')
    await fixture.ports.store.makerRecords.reinstate('ada')
    await fixture.clock.advance(20_000)
    await fixture.quote('ada', requestId)
  })

  it('is never with the settings of the specification', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    for (let i = 0; i < 12; i += 1) {
      const { quoteId, outcome } = await ask(fixture)
      await fixture.relay.decline({ makerId: 'ada', quoteId })
      await outcome
    }
    expect(await recordOf(fixture)).toHaveLength(12)
    await ask(fixture)
  })
})

it('an outcome that could not be written is counted when it comes again', async () => {
  const fixture = createTestRelay()
  await fixture.connect('ada')
  const { quoteId } = await ask(fixture)
  const { note } = fixture.ports.store.makerRecords
  fixture.ports.store.makerRecords.note = UNAVAILABLE
  const confirm = () => refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature: JUNK }))
  await confirm()
  await settle()
  fixture.ports.store.makerRecords.note = note
  await confirm()
  expect(await recordOf(fixture)).toEqual(['bad_signature'])
})

it('a store that keeps no record holds no answer up, and no one back', async () => {
  const fixture = strict()
  const ada = await fixture.connect('ada')
  fixture.ports.store.makerRecords.note = () => new Promise(() => {})
  const first = await ask(fixture)
  await ada.confirm()
  expect(await first.outcome).toBe('not refused')
  fixture.ports.store.makerRecords.note = UNAVAILABLE
  const second = await ask(fixture)
  await ada.confirm()
  expect(await second.outcome).toBe('not refused')
  expect(fixture.log.lines.map(({ event }) => event)).toContain('outcome_not_noted')
})
