import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { type MakerProtections, NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL_BUY, createTestRelay, PUT_SELL, refusal, type TestRelay } from '../../support/test-relay.ts'

const ONE_A_MINUTE: MakerProtections = {
  ...NO_PROTECTIONS,
  windows: [{ ms: 60_000, maxAccepted: 1, maxContracts: null, maxNotional: null, maxCollateral: null }],
}

const leavingWithin = (graceMs: number, channels: 'any' | 'all' = 'all'): MakerProtections => ({
  ...NO_PROTECTIONS,
  cancelOnDisconnect: { graceMs, channels },
})

/** Ada trades a request of its own. */
async function trade(fixture: TestRelay, ada: Awaited<ReturnType<TestRelay['connect']>>): Promise<void> {
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const committing = fixture.commit(requestId)
  await settle()
  await ada.confirm()
  await committing
}

const passedOver = ({ auditLog }: TestRelay) => auditLog.filter(({ kind }) => kind === 'passed_over')

describe('a window of a maker', () => {
  it('once full is never exceeded: the commit proceeds to the next maker, without a miss (invariant V11)', async () => {
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    await fixture.relay.protections.put('ada', ONE_A_MINUTE)
    await trade(fixture, ada)
    const { requestId } = await fixture.open()
    const other = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('ada', other.requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const committing = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toHaveLength(1)
    await bob.confirm()
    expect((await committing).execution.acceptance.makerId).toBe('bob')
    expect(passedOver(fixture)).toMatchObject([{ makerId: 'ada', code: 'protection_tripped' }])
    expect(await fixture.ports.book.demoted()).toEqual([])
    expect((await fixture.relay.makerBook('ada')).quotes).toEqual([])
  })

  it('that trips is announced with its figures, refuses the next quote, and ends with a reset', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', ONE_A_MINUTE)
    await trade(fixture, ada)
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    expect(ada.messages.at(-1)).toMatchObject({
      kind: 'protection_tripped',
      trip: { until: null, used: { accepted: 1, contracts: 833n }, withNext: { accepted: 2 } },
    })
    expect((await fixture.relay.makerBook('ada')).quotes).toEqual([])
    expect(await refusal(fixture.quote('ada', requestId))).toBe('protection_tripped')
    const again = await fixture.connect('ada')
    expect(again.messages).toMatchObject([{ kind: 'protection_tripped' }])
    await fixture.relay.protections.reset('ada')
    expect(await fixture.quote('ada', requestId)).toBe(quoteId)
    const committing = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await committing).execution.acceptance.quoteId).toBe(quoteId)
  })

  it('that trips with a freeze lets quotes in again when it is over, and counts on', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', { ...ONE_A_MINUTE, freezeMs: 5_000 })
    await trade(fixture, ada)
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await refusal(fixture.commit(requestId))
    await fixture.clock.advance(4_999)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('protection_tripped')
    await fixture.clock.advance(1)
    await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    await fixture.clock.advance(60_000)
    await fixture.quote('ada', requestId)
    const committing = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await committing
  })

  it('is kept by two commits at the same time, and across a restart', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', ONE_A_MINUTE)
    const requests = [await fixture.open(), await fixture.open()]
    for (const { requestId } of requests) await fixture.quote('ada', requestId)
    const commits = requests.map(({ requestId }) => refusal(fixture.commit(requestId)))
    await settle()
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await Promise.all(commits)).sort()).toEqual(['no_valid_quotes', 'not refused'])
    const next = await fixture.restart(1_000)
    await next.connect('ada')
    const { requestId } = await next.open()
    expect(await refusal(next.quote('ada', requestId))).toBe('protection_tripped')
  })
})

describe('a maker that cancels on disconnect', () => {
  it('is not asked when its grace is over, and its quotes go (invariant V11)', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(500))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    const committing = refusal(fixture.commit(requestId))
    await fixture.clock.advance(499)
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
    await fixture.clock.advance(251)
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(0)
    expect(await committing).toBe('no_valid_quotes')
    expect(passedOver(fixture)).toMatchObject([{ makerId: 'ada', code: 'protection_tripped' }])
    expect(await fixture.ports.book.demoted()).toEqual([])
    fixture.relay.stop()
  })

  it('is withdrawn for once as long as it stays away, and again after a fault', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const { book } = fixture.ports
    const { removeAll } = book
    const removed: string[] = []
    book.removeAll = (makerId, which) => {
      removed.push(makerId)
      return removed.length === 1 ? Promise.reject(new Error('no Redis now')) : removeAll(makerId, which)
    }
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(500))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(5_000)
    expect(removed).toEqual(['ada', 'ada'])
    await fixture.clock.advance(5_000)
    expect(removed).toEqual(['ada', 'ada'])
    fixture.relay.stop()
  })

  it('is refused a quote once its grace is over, until it is connected again: none is taken that no one is shown (invariant V16)', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(500))
    const { requestId } = await fixture.open()
    ada.disconnect()
    await fixture.clock.advance(499)
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(1)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('protection_tripped')
    await fixture.connect('ada')
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(0)
    await fixture.quote('ada', requestId)
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
  })

  it('keeps what it quotes when it is back, also where it was seen to be gone a moment before (invariant V16)', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(500))
    const { requestId } = await fixture.open()
    const { presence } = fixture.ports
    const { absences } = presence
    let tell = () => {}
    presence.absences = async (makerIds) => {
      const seen = absences(makerIds)
      await new Promise<void>((resolve) => {
        tell = resolve
      })
      return seen
    }
    ada.disconnect()
    await fixture.clock.advance(1_000)
    presence.absences = absences
    await fixture.connect('ada')
    await fixture.quote('ada', requestId)
    tell()
    await settle()
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
    fixture.relay.stop()
  })

  it('is connected once all nodes can know, and messages meanwhile come behind that', async () => {
    const fixture = createTestRelay()
    const { presence, bus } = fixture.ports
    const { join } = presence
    let joined = () => {}
    presence.join = async (...connection) => {
      await new Promise<void>((resolve) => {
        joined = resolve
      })
      return join(...connection)
    }
    const heard: string[] = []
    const opening = fixture.relay.openMakerChannel({
      makerId: 'ada',
      connectionId: 'one',
      onOpen: () => heard.push('connected'),
      onMessage: ({ kind }) => heard.push(kind),
    })
    await settle()
    await bus.publish('maker', 'ada', { kind: 'missed', requestId: 'one', quoteId: 'one' })
    expect(heard).toEqual([])
    joined()
    await opening
    expect(heard).toEqual(['connected', 'missed'])
  })

  it('has no quotes any more when it comes back too late, and keeps them within its grace', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(500))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(499)
    const back = await fixture.connect('ada')
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
    back.disconnect()
    await fixture.clock.advance(500)
    await fixture.connect('ada')
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(0)
  })

  it('from any channel needs stream and socket, from all of them one', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const leave = await fixture.relay.joinMakerStream('ada', {
      connectionId: 'one',
      hears: { packages: false, twoSided: false },
    })
    await fixture.relay.protections.put('ada', leavingWithin(500, 'any'))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    leave()
    await fixture.clock.advance(500)
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    await fixture.relay.protections.put('ada', leavingWithin(500, 'all'))
    await fixture.quote('ada', requestId)
    const committing = refusal(fixture.commit(requestId))
    await settle()
    await fixture.relay.decline({
      makerId: 'ada',
      quoteId: (await fixture.relay.makerBook('ada')).pending[0]?.quoteId ?? '',
    })
    expect(await committing).toBe('no_maker_confirmed')
  })

  it('from any channel has a grace for each, and is asked while none is away for longer (protect-1)', async () => {
    const fixture = createTestRelay()
    const { disconnect } = await fixture.connect('ada')
    const leaveStream = await fixture.relay.joinMakerStream('ada', {
      connectionId: 'one',
      hears: { packages: false, twoSided: false },
    })
    await fixture.relay.protections.put('ada', leavingWithin(500, 'any'))
    const [first, second] = [await fixture.open(), await fixture.open()]
    await fixture.quote('ada', first.requestId)
    await fixture.quote('ada', second.requestId)
    disconnect()
    await fixture.clock.advance(400)
    leaveStream()
    const back = await fixture.connect('ada')
    await fixture.clock.advance(499)
    const committing = fixture.commit(first.requestId)
    await settle()
    await back.confirm()
    expect((await committing).execution.acceptance.makerId).toBe('ada')
    await fixture.clock.advance(1)
    expect(await refusal(fixture.commit(second.requestId))).toBe('no_valid_quotes')
  })

  it('and one beside it that does not is asked as ever', async () => {
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    await fixture.relay.protections.put('ada', leavingWithin(0))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    ada.disconnect()
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const committing = fixture.commit(requestId)
    await settle()
    await bob.confirm()
    expect((await committing).execution.acceptance.makerId).toBe('bob')
  })
})

describe('bounds on single quotes', () => {
  it('refuse one that is too large, or too far from a reference price of its series or market', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const { seriesId } = fixture.register(CALL_BUY)
    const reference = { price: usd6(120_000n), maxDeviation: usd6(10_000n), expiresAt: null }
    const conditionId = CALL_BUY.market.conditionId.toLowerCase()
    await fixture.relay.protections.put('ada', {
      ...NO_PROTECTIONS,
      maxQuoteSize: contracts(2_000n),
      references: [
        { ...reference, scope: 'market', id: conditionId, price: usd6(300_000n) },
        { ...reference, scope: 'series', id: seriesId },
      ],
    })
    const quoting = (price: bigint, size = 1_000n) =>
      refusal(fixture.quote('ada', requestId, { price: usd6(price), size: contracts(size) }))
    expect(await quoting(120_000n, 2_000n)).toBe('not refused')
    expect(await quoting(120_000n, 2_001n)).toBe('outside_protections')
    expect(await quoting(130_000n)).toBe('not refused')
    expect(await quoting(130_001n)).toBe('outside_protections')
    expect(await quoting(109_999n)).toBe('outside_protections')
    const put = await fixture.open(PUT_SELL)
    expect(await refusal(fixture.quote('ada', put.requestId, { price: usd6(120_000n) }))).toBe('outside_protections')
    expect(await refusal(fixture.quote('ada', put.requestId, { price: usd6(300_000n) }))).toBe('not refused')
    expect(await refusal(fixture.quote('bob', requestId, { price: usd6(500_000n) }))).toBe('not refused')
  })

  it('refuse quotes on a reference price that has expired, and hold at a commit, too', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    const { seriesId } = fixture.register(CALL_BUY)
    await fixture.quote('ada', requestId)
    const expiresAt = fixture.clock.now() + 1_000
    const reference = { scope: 'series' as const, id: seriesId, price: usd6(120_000n), maxDeviation: usd6(0n) }
    await fixture.relay.protections.put('ada', { ...NO_PROTECTIONS, references: [{ ...reference, expiresAt }] })
    await fixture.clock.advance(1_000)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('outside_protections')
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    expect(passedOver(fixture)).toMatchObject([{ code: 'outside_protections' }])
    expect(ada.accepted()).toEqual([])
  })
})

describe('a mass withdraw', () => {
  it('takes all quotes, or those of a series or market, but none that is out for signature', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const [call, put, held] = [await fixture.open(), await fixture.open(PUT_SELL), await fixture.open()]
    const quoteId = await fixture.quote('ada', call.requestId)
    for (const { requestId } of [put, held]) await fixture.quote('ada', requestId)
    await fixture.quote('bob', call.requestId)
    const committing = fixture.commit(held.requestId)
    await settle()
    const { seriesId } = fixture.register(PUT_SELL)
    expect(await fixture.relay.withdrawQuotes({ makerId: 'ada', seriesId: '1' })).toBe(0)
    expect(await fixture.relay.withdrawQuotes({ makerId: 'ada', seriesId })).toBe(1)
    expect(await fixture.relay.withdrawQuotes({ makerId: 'ada', conditionId: `0x${'22'.repeat(32)}` })).toBe(0)
    expect(await fixture.relay.withdrawQuotes({ makerId: 'ada' })).toBe(1)
    await ada.confirm()
    await committing
    expect(await fixture.quote('ada', call.requestId)).toBe(quoteId)
    expect((await fixture.relay.makerBook('bob')).quotes).toHaveLength(1)
  })
})

describe('protections in a store that was restored from a backup', () => {
  const SMALL: MakerProtections = { ...NO_PROTECTIONS, maxQuoteSize: contracts(10n) }

  /** Ada allowed small quotes, and then all. */
  async function allowedAll() {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { protections } = fixture.ports.store
    const former = await fixture.relay.protections.put('ada', SMALL)
    await fixture.relay.protections.put('ada', NO_PROTECTIONS)
    const { requestId } = await fixture.open()
    return {
      fixture,
      former,
      protections,
      quotes: () => refusal(fixture.quote('ada', requestId)),
      tell: () => fixture.ports.bus.publish('protections', 'all', { kind: 'changed', makerId: 'ada' }),
    }
  }

  it('count as the store has them, with their lower version', async () => {
    const { former, protections, quotes, tell } = await allowedAll()
    protections.find = async () => former
    await tell()
    await settle()
    expect(await quotes()).toBe('outside_protections')
    protections.find = async () => null
    await tell()
    await settle()
    expect(await quotes()).toBe('not refused')
  })

  it('count so for all makers when all are read again', async () => {
    const { fixture, former, protections, quotes } = await allowedAll()
    protections.list = async () => [former]
    await fixture.relay.start()
    expect(await quotes()).toBe('outside_protections')
    protections.list = async () => []
    await fixture.relay.start()
    expect(await quotes()).toBe('not refused')
  })

  it('are none of those that were read before others were put', async () => {
    const { fixture, former, protections, quotes, tell } = await allowedAll()
    const { find } = protections
    let answer = () => {}
    protections.find = () => {
      protections.find = find
      return new Promise((resolve) => {
        answer = () => resolve(former)
      })
    }
    await tell()
    await fixture.relay.protections.put('ada', NO_PROTECTIONS)
    answer()
    await settle()
    expect(await quotes()).toBe('not refused')
  })
})

describe('protections that have changed on another node', () => {
  it('withdraw nothing of a maker by what they were, while they cannot be read', async () => {
    const fixture = createTestRelay()
    const { protections } = fixture.ports.store
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(1_000))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { find } = protections
    protections.find = () => Promise.reject(new RfqError('store_unavailable'))
    await fixture.ports.bus.publish('protections', 'all', { kind: 'changed', makerId: 'ada' })
    ada.disconnect()
    await fixture.clock.advance(10_000)
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
    protections.find = find
    await fixture.ports.bus.publish('protections', 'all', { kind: 'changed', makerId: 'ada' })
    await fixture.clock.advance(1_000)
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(0)
  })
  it('withdraw nothing of a maker by what they were, although no message says that they have changed', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(1_000))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.ports.store.protections.put('ada', leavingWithin(5_000))
    ada.disconnect()
    const quotes = async () => (await fixture.relay.makerBook('ada')).quotes
    await fixture.clock.advance(4_000)
    expect(await quotes()).toHaveLength(1)
    await fixture.clock.advance(2_000)
    expect(await quotes()).toHaveLength(0)
  })
  it('withdraw nothing when their maker is back, by what they were: they are read first (invariant V16)', async () => {
    const fixture = createTestRelay()
    const { protections } = fixture.ports.store
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(1_000))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { find } = protections
    protections.find = () => Promise.reject(new RfqError('store_unavailable'))
    await protections.put('ada', NO_PROTECTIONS)
    await fixture.ports.bus.publish('protections', 'all', { kind: 'changed', makerId: 'ada' })
    ada.disconnect()
    await fixture.clock.advance(10_000)
    expect(await refusal(fixture.connect('ada'))).toBe('store_unavailable')
    protections.find = find
    await fixture.connect('ada')
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
  })
  it('withdraw nothing by what they were, where others are put while this node reads who is gone', async () => {
    const fixture = createTestRelay()
    const { presence } = fixture.ports
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', leavingWithin(1_000))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { absences } = presence
    let answer = () => {}
    presence.absences = (makerIds) =>
      new Promise((resolve) => {
        answer = () => resolve(absences(makerIds))
      })
    ada.disconnect()
    await fixture.clock.advance(10_000)
    presence.absences = absences
    await fixture.relay.protections.put('ada', NO_PROTECTIONS)
    answer()
    await settle()
    expect((await fixture.relay.makerBook('ada')).quotes).toHaveLength(1)
  })
  it('count on all nodes although their store has not answered whether it took them', async () => {
    const fixture = createTestRelay()
    const { protections } = fixture.ports.store
    const { put } = protections
    protections.put = async (...args) => {
      await put(...args)
      throw new RfqError('store_unavailable')
    }
    const { requestId } = await fixture.open()
    const answer = refusal(fixture.relay.protections.put('ada', { ...NO_PROTECTIONS, maxQuoteSize: contracts(10n) }))
    expect(await answer).toBe('store_unavailable')
    await settle()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('outside_protections')
  })
})
