import { describe, expect, it } from 'vitest'
import type { CommitLease, CommitLeases, Takeover } from '../../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, OTHER_TAKER, refusal, TAKER, type TestRelay } from '../../support/test-relay.ts'

/** What other nodes left, as a test says it; `told` are the requests whose end was told. */
function createFakeTakeover() {
  const overdue: Acceptance[] = []
  const told: string[] = []
  let silent: Awaited<ReturnType<Takeover['unannounced']>> = []
  let quotedBy: Awaited<ReturnType<Takeover['quotedBy']>> = []
  const takeover: Takeover = {
    endOverdue: async () => overdue.splice(0),
    unannounced: async () => silent.filter(({ requestId }) => !told.includes(requestId)),
    quotedBy: async () => quotedBy,
    announced: (requestId) => void told.push(requestId),
  }
  return {
    takeover,
    overdue,
    told,
    leaveSilent: (...requests: typeof silent) => {
      silent = requests
    },
    leaveQuoters: (...quoters: typeof quotedBy) => {
      quotedBy = quoters
    },
  }
}

async function started(options: Parameters<typeof createTestRelay>[0] = {}): Promise<TestRelay> {
  const fixture = createTestRelay(options)
  await fixture.relay.start()
  return fixture
}

/** A relay beside others, which finds what a test says that they have left. */
async function withOrphans() {
  const fixture = createTestRelay({ ports: { takeover: createFakeTakeover().takeover } })
  const { book } = fixture.ports
  const orphans: string[] = []
  book.orphans = async () => orphans
  await fixture.relay.start()
  return { fixture, book, orphan: (requestId: string) => void orphans.push(requestId) }
}

describe('work that another node left behind', () => {
  it('an overdue confirmation is ended, its maker has missed, and the next commit asks another one', async () => {
    const others = createFakeTakeover()
    const fixture = await started({ ports: { takeover: others.takeover } })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    await fixture.ports.book.lock({ requestId, makerId: 'ada', quoteId })
    await fixture.quote('bob', requestId)
    others.overdue.push({ acceptanceId: 'left', requestId, quoteId, makerId: 'ada' } as Acceptance)
    const heard: string[] = []
    fixture.ports.bus.subscribe('acceptance', 'left', (outcome) => heard.push(outcome))
    await fixture.clock.advance(250)
    expect(heard).toEqual(['timed_out'])
    expect(await fixture.ports.book.find(requestId)).toMatchObject({ signing: null })
    const commit = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toEqual([])
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })

  it('a notice to losers that a dead node owed goes out without a second delay', async () => {
    const others = createFakeTakeover()
    const waits: number[] = []
    const { unannounced } = others.takeover
    others.takeover.unannounced = (delayMs) => {
      waits.push(delayMs)
      return unannounced(delayMs)
    }
    const fixture = await started({ settings: { feedbackDelayMs: 60_000 }, ports: { takeover: others.takeover } })
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('bob', requestId)
    await fixture.ports.store.requests.close(requestId, 'expired')
    await fixture.ports.book.close(requestId, 'expired')
    others.leaveQuoters({ makerId: 'bob', quoteId })
    others.leaveSilent({ requestId, status: 'expired' })
    await fixture.clock.advance(2_000)
    expect(bob.messages).toMatchObject([{ kind: 'rejected', requestId, reason: 'request_expired' }])
    expect(waits[0]).toBe(60_000)
  })

  it.each([
    ['has missed where its own order was just ended', 0, 'bob'],
    ['has not where only an earlier order of it was', 1, 'ada'],
  ])('a maker whose quote is still held as a commit begins %s', async (_, olderByMs, asked) => {
    const fixture = await started()
    const makers = { ada: await fixture.connect('ada'), bob: await fixture.connect('bob') }
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    await fixture.ports.book.lock({ requestId, makerId: 'ada', quoteId })
    await fixture.quote('bob', requestId)
    const { acceptances } = fixture.ports.store
    const { findByQuote } = acceptances
    const ended = { quoteId, state: 'timed_out', createdAt: fixture.clock.now() - olderByMs } as Acceptance
    acceptances.findByQuote = (id) => (id === quoteId ? Promise.resolve(ended) : findByQuote(id))
    const commit = fixture.commit(requestId)
    await settle()
    acceptances.findByQuote = findByQuote
    await makers[asked as 'ada' | 'bob'].confirm()
    expect((await commit).execution.acceptance.makerId).toBe(asked)
  })

  it('a trade that was confirmed and announced to no one is announced to all, once', async () => {
    const others = createFakeTakeover()
    const fixture = await started({ ports: { takeover: others.takeover } })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId)
    const { book } = fixture.ports
    const { close } = book
    book.close = () => Promise.reject(new Error('this node has no Redis'))
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await fixture.clock.advance(500)
    expect((await commit).execution.acceptance.makerId).toBe('ada')
    expect(bob.messages).toEqual([])
    book.close = close
    others.leaveSilent({ requestId, status: 'committed' })
    await fixture.clock.advance(3_000)
    expect(others.told).toEqual([requestId])
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted', 'confirmed'])
    expect(bob.messages.map(({ kind }) => kind)).toEqual(['rejected'])
  })

  it('an end that its node announced to some is announced to the others, and to no one twice', async () => {
    const others = createFakeTakeover()
    const fixture = await started({ ports: { takeover: others.takeover } })
    const makers = {
      ada: await fixture.connect('ada'),
      bob: await fixture.connect('bob'),
      cyd: await fixture.connect('cyd'),
    }
    const { requestId, takerSecret } = await fixture.open()
    const quoters = []
    for (const makerId of ['ada', 'bob', 'cyd'])
      quoters.push({ makerId, quoteId: await fixture.quote(makerId, requestId) })
    const { bus } = fixture.ports
    const { reject } = bus
    // The node dies after the first message.
    bus.reject = async (rejections) => {
      await reject(rejections.slice(0, 1))
      await new Promise<void>(() => {})
    }
    void fixture.relay.cancelRequest({ requestId, takerSecret })
    await settle()
    const told = () => Object.values(makers).map(({ messages }) => messages.length)
    expect(told()).toEqual([1, 0, 0])
    expect(others.told).toEqual([])
    bus.reject = reject
    others.leaveSilent({ requestId, status: 'cancelled' })
    others.leaveQuoters(...quoters)
    await fixture.clock.advance(3_000)
    expect(told()).toEqual([1, 1, 1])
    expect(others.told).toEqual([requestId])
    expect(makers.cyd.messages).toEqual([
      { kind: 'rejected', requestId, quoteId: quoters[2]?.quoteId, reason: 'request_cancelled' },
    ])
  })

  it('a trade whose makers were not informed has one winner also when another node announces it', async () => {
    const others = createFakeTakeover()
    const fixture = await started({ ports: { takeover: others.takeover } })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    const quoters = []
    for (const makerId of ['ada', 'bob']) quoters.push({ makerId, quoteId: await fixture.quote(makerId, requestId) })
    const { bus } = fixture.ports
    const { publish, reject } = bus
    const commit = fixture.commit(requestId)
    await settle()
    // The node that takes the signature dies before its first message.
    bus.publish = () => new Promise<void>(() => {})
    bus.reject = () => new Promise<void>(() => {})
    void ada.confirm()
    await fixture.clock.advance(500)
    expect((await commit).execution.acceptance.makerId).toBe('ada')
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted'])
    Object.assign(bus, { publish, reject })
    others.leaveSilent({ requestId, status: 'committed' })
    others.leaveQuoters(...quoters)
    await fixture.clock.advance(3_000)
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted', 'confirmed'])
    expect(bob.messages.map(({ kind }) => kind)).toEqual(['rejected'])
  })

  it('a request that is past its time is expired, and a quote that no commit holds any more is released', async () => {
    const { fixture, book, orphan } = await withOrphans()
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    await book.lock({ requestId, makerId: 'ada', quoteId })
    orphan(requestId)
    await fixture.clock.advance(1_000)
    expect(await book.find(requestId)).toMatchObject({ status: 'open', signing: null })
    await fixture.clock.advance(300_000)
    expect((await book.find(requestId))?.status).toBe('expired')
  })

  it('a quote that is out for signature stays held', async () => {
    const { fixture, book, orphan } = await withOrphans()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    orphan(requestId)
    await fixture.clock.advance(3_000)
    expect(await book.find(requestId)).toMatchObject({ signing: { quoteId } })
    await ada.confirm()
    await commit
  })
})

describe('a message that was lost on its way from another node', () => {
  it('is an order that its maker gets within 500 ms, once', async () => {
    const others = createFakeTakeover()
    const fixture = await started({ ports: { takeover: others.takeover } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { bus } = fixture.ports
    bus.publish = async () => {}
    const commit = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toEqual([])
    await fixture.clock.advance(500)
    await fixture.clock.advance(1_000)
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    await fixture.clock.advance(500)
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })
})

describe('a commit that another node runs', () => {
  /** Leases that answer as a test says, one after the other. */
  const answering = (...answers: CommitLease[]): CommitLeases => ({
    begin: async () => answers.shift() ?? { kind: 'begun', isOwner: async () => true, end: async () => {} },
    isRunning: async () => false,
    onEnd: () => () => {},
  })
  const running = (wallet = TAKER): CommitLease => ({ kind: 'running', leaseId: 'theirs', terms: `${wallet}|||` })

  it('is joined on the same terms, and ends here as it ends there', async () => {
    const outcome = { kind: 'refused', code: 'no_maker_confirmed', detail: 'Nobody signed.', data: {} } as const
    const fixture = createTestRelay({
      ports: { leases: answering(running(), running(), { kind: 'ended', outcome }) },
    })
    const { requestId } = await fixture.open()
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(1_000)
    expect(await commit).toBe('no_maker_confirmed')
  })

  it('ends here at once with the message of its end, without polling for it', async () => {
    const outcome = { kind: 'refused', code: 'no_maker_confirmed', detail: 'Nobody signed.', data: {} } as const
    let tellEnd = () => {}
    const leases: CommitLeases = {
      ...answering(running(), { kind: 'ended', outcome }),
      isRunning: () => Promise.reject(new Error('nobody needs to ask')),
      onEnd: (leaseId, listener) => {
        expect(leaseId).toBe('theirs')
        tellEnd = listener
        return () => {}
      },
    }
    const fixture = createTestRelay({ ports: { leases } })
    const { requestId } = await fixture.open()
    const commit = refusal(fixture.commit(requestId))
    await settle()
    tellEnd()
    expect(await commit).toBe('no_maker_confirmed')
  })

  it('is waited for as long as it runs', async () => {
    const leases: CommitLeases = { ...answering(running()), isRunning: async () => true }
    const fixture = createTestRelay({ ports: { leases } })
    const { requestId } = await fixture.open()
    let ended = false
    void refusal(fixture.commit(requestId)).finally(() => {
      ended = true
    })
    await fixture.clock.advance(10_000)
    expect(ended).toBe(false)
  })

  it('is refused to other terms', async () => {
    const fixture = createTestRelay({ ports: { leases: answering(running(OTHER_TAKER)) } })
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.commit(requestId))).toBe('commit_in_progress')
  })

  it('is taken over when that node is gone, the quote that it held included', async () => {
    const fixture = createTestRelay({ ports: { leases: answering(running()) } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.ports.book.lock({ requestId, makerId: 'ada', quoteId: await fixture.quote('ada', requestId) })
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(500)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('climbs no further once another node has taken it over', async () => {
    const lost: CommitLease = { kind: 'begun', isOwner: async () => false, end: async () => {} }
    const fixture = createTestRelay({ ports: { leases: answering(lost) } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('commit_in_progress')
    expect(ada.accepted()).toEqual([])
  })
})
