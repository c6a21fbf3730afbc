import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { MakerEvent } from '../../../src/relay/core/ports/live.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

const TTL_MS = 300_000
const CONFIRMATION_MS = 10_000

/** A fixture that was killed while ada, the best of two, was asked to sign; bob has quoted as well. */
async function killedWhileAsking(downMs: number) {
  const fixture = createTestRelay()
  const { requestId, takerSecret } = await fixture.open()
  const ada = await fixture.connect('ada')
  await fixture.connect('bob')
  const adaQuote = await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  const bobQuote = await fixture.quote('bob', requestId)
  fixture.commit(requestId).catch(() => {})
  await settle()
  const after = await fixture.restart(downMs)
  return { after, requestId, takerSecret, adaQuote, bobQuote, asked: ada.accepted() }
}

const topOf = (fixture: TestRelay, requestId: string) => fixture.relay.readRequest({ requestId, takerSecret: null })

async function outcomesOf(fixture: TestRelay, makerId: string) {
  const query = { makerId, after: null, since: null, status: null, limit: 100 } as const
  return (await fixture.relay.makerHistory(query)).map(({ status, requestId, quoteId }) => ({
    status,
    requestId,
    quoteId,
  }))
}

describe('a maker that is asked to sign when the relay is killed', () => {
  it('is asked again, cannot move its quote, and can sign until the deadline', async () => {
    const { after, requestId, takerSecret, adaQuote, asked } = await killedWhileAsking(4_000)
    const ada = await after.connect('ada')
    expect(ada.accepted()).toEqual(asked)
    expect(await refusal(after.quote('ada', requestId))).toBe('quote_locked')
    expect(await refusal(after.relay.withdrawQuote({ makerId: 'ada', quoteId: adaQuote }))).toBe('quote_not_found')
    expect(await refusal(after.relay.cancelRequest({ requestId, takerSecret }))).toBe('commit_in_progress')
    expect((await topOf(after, requestId)).confirming).toBe(true)
    await after.clock.advance(CONFIRMATION_MS - 4_001)
    expect((await topOf(after, requestId)).confirming).toBe(true)
    await ada.confirm()
    expect(await topOf(after, requestId)).toMatchObject({ status: 'committed', confirming: false })
    expect((await after.commit(requestId)).execution.acceptance.quoteId).toBe(adaQuote)
  })

  it('is let go at the deadline: it has missed, and quotes again behind the others under its quoteId', async () => {
    const { after, requestId, adaQuote, bobQuote } = await killedWhileAsking(4_000)
    await after.clock.advance(CONFIRMATION_MS - 4_000)
    expect((await topOf(after, requestId)).confirming).toBe(false)
    expect(await after.quote('ada', requestId, { price: usd6(1n) })).toBe(adaQuote)
    expect(await after.quote('bob', requestId)).toBe(bobQuote)
    expect((await topOf(after, requestId)).best?.makerId).toBe('bob')
    const again = await after.restart()
    await again.quote('ada', requestId, { price: usd6(1n) })
    await again.quote('bob', requestId)
    expect((await topOf(again, requestId)).best?.makerId).toBe('bob')
  })

  it('is let go when it declines', async () => {
    const { after, requestId, adaQuote } = await killedWhileAsking(0)
    await after.relay.decline({ makerId: 'ada', quoteId: adaQuote })
    await settle()
    expect((await topOf(after, requestId)).confirming).toBe(false)
    expect(await after.quote('ada', requestId)).toBe(adaQuote)
  })

  it('is asked once by a commit that waits for it, though it quotes again as soon as it has declined', async () => {
    const { after, requestId, adaQuote } = await killedWhileAsking(0)
    const [ada, bob] = [await after.connect('ada'), await after.connect('bob')]
    await after.quote('bob', requestId)
    const commit = after.commit(requestId)
    await settle()
    await after.relay.decline({ makerId: 'ada', quoteId: adaQuote })
    await after.quote('ada', requestId, { price: usd6(1n) })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(ada.accepted()).toHaveLength(1)
  })

  it('leaves a commit that waits for it without a maker when no other has quoted', async () => {
    const { after, requestId } = await killedWhileAsking(0)
    const ada = await after.connect('ada')
    const commit = refusal(after.commit(requestId))
    await after.clock.advance(CONFIRMATION_MS - 1)
    expect(await refusal(after.quote('ada', requestId))).toBe('quote_locked')
    await after.clock.advance(1)
    expect(await commit).toBe('no_maker_confirmed')
    expect(ada.accepted()).toHaveLength(1)
  })

  it('is not asked again when its deadline passed meanwhile: it has missed', async () => {
    const { after, requestId, adaQuote } = await killedWhileAsking(CONFIRMATION_MS)
    const ada = await after.connect('ada')
    expect(ada.messages).toEqual([])
    expect(await topOf(after, requestId)).toMatchObject({ status: 'open', confirming: false })
    expect(after.auditLog.filter(({ kind }) => kind === 'missed')).toHaveLength(1)
    await after.quote('bob', requestId)
    expect(await after.quote('ada', requestId, { price: usd6(1n) })).toBe(adaQuote)
    expect((await topOf(after, requestId)).best?.makerId).toBe('bob')
  })

  it('holds the request open beyond its time, as without the kill', async () => {
    const fixture = createTestRelay({ settings: { quoteRequestTtlMs: 5_000 } })
    const { requestId } = await fixture.open()
    await fixture.connect('ada')
    await fixture.quote('ada', requestId)
    fixture.commit(requestId).catch(() => {})
    await settle()
    const after = await fixture.restart(6_000)
    expect(await topOf(after, requestId)).toMatchObject({ status: 'open', confirming: true })
    await (await after.connect('ada')).confirm()
    expect(await topOf(after, requestId)).toMatchObject({ status: 'committed' })
  })
})

describe('an order whose deadline has passed', () => {
  it('is sent to no one, though its end is not stored yet', async () => {
    const { after, requestId } = await killedWhileAsking(0)
    after.ports.store.acceptances.end = async () => false
    await after.clock.advance(CONFIRMATION_MS)
    expect(await after.ports.store.acceptances.findActive(requestId)).not.toBeNull()
    expect((await after.connect('ada')).messages).toEqual([])
  })
})

describe('makers that had quoted before a kill', () => {
  it('keep their quoteIds, and each learns once how the request ended', async () => {
    const fixture = createTestRelay()
    const opened = await fixture.open()
    const { requestId } = opened
    for (const name of ['ada', 'bob', 'eve']) await fixture.connect(name)
    const quoteIds = [await fixture.quote('ada', requestId), await fixture.quote('bob', requestId)]
    const after = await fixture.restart()
    const makers = { ada: await after.connect('ada'), bob: await after.connect('bob'), eve: await after.connect('eve') }
    expect(await after.quote('ada', requestId)).toBe(quoteIds[0])
    const eveQuote = await after.quote('eve', requestId)
    await after.relay.cancelRequest(opened)
    const ofRequest = { status: 'rejected', requestId }
    for (const [makerId, quoteId] of [
      ['ada', quoteIds[0]],
      ['bob', quoteIds[1]],
      ['eve', eveQuote],
    ] as const) {
      expect(makers[makerId as keyof typeof makers].messages).toEqual([
        { kind: 'rejected', requestId, quoteId, reason: 'request_cancelled' },
      ])
      expect(await outcomesOf(after, makerId as string)).toEqual([{ ...ofRequest, quoteId }])
    }
    const later = await after.restart()
    expect(await outcomesOf(later, 'bob')).toHaveLength(1)
  })

  it.each([
    { how: 'a commit', status: 'committed' as const },
    { how: 'a cancel', status: 'cancelled' as const },
  ])('find in their history how it ended, when the kill came right after $how', async ({ status }) => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const ada = await fixture.connect('ada')
    const adaQuote = await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    const bobQuote = await fixture.quote('bob', requestId)
    // What is told after the answer is not told any more.
    fixture.ports.book.close = () => new Promise(() => {})
    if (status === 'cancelled') await fixture.ports.store.requests.close(requestId, status)
    else {
      const committed = fixture.commit(requestId)
      await settle()
      await ada.confirm()
      await committed
    }
    expect(await outcomesOf(fixture, 'bob')).toEqual([])
    const isWon = status === 'committed'
    for (const after of [await fixture.restart(), await fixture.restart()]) {
      expect(await outcomesOf(after, 'bob')).toEqual([{ status: 'rejected', requestId, quoteId: bobQuote }])
      expect(await outcomesOf(after, 'ada')).toEqual([
        { status: isWon ? 'confirmed' : 'rejected', requestId, quoteId: adaQuote },
      ])
      expect(await after.ports.store.quoters.list()).toEqual(new Map())
    }
  })
})

describe('requests that ended while the relay was down', () => {
  it('are in no snapshot, are announced as over, and their makers are informed', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const open = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    const events: MakerEvent[] = []
    const after = await fixture.restart(TTL_MS)
    after.relay.listenMakerFeed((event) => events.push(event))
    const ada = await after.connect('ada')
    expect(await after.relay.openMakerFeed(null)).toMatchObject({ kind: 'snapshot', requests: [] })
    await after.clock.advance(0)
    const over = events.flatMap((event) => (event.kind === 'quote_request_expired' ? [event.requestId] : []))
    expect(over.sort()).toEqual([requestId, open.requestId].sort())
    expect(ada.messages).toEqual([{ kind: 'rejected', requestId, quoteId, reason: 'request_expired' }])
    expect(await outcomesOf(after, 'ada')).toEqual([{ status: 'rejected', requestId, quoteId }])
    expect(await refusal(topOf(after, requestId))).toBe('request_expired')
  })
})
