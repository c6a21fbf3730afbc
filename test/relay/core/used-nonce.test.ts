import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, TAKER, type TestRelay } from '../../support/test-relay.ts'

const kindsOf = async (fixture: TestRelay, makerId: string) =>
  (await fixture.ports.store.makerRecords.find(makerId)).outcomes.map(({ kind }) => kind)

const PASSED = { kind: 'passed_over', makerId: 'ada', code: 'nonce_used' }

describe('an order that its maker has signed beforehand, and taken back on chain', () => {
  it.each(['cancelled', 'filled'] as const)('is not handed out once its nonce is %s (invariant V13)', async (how) => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ wallet: TAKER })
    const { order } = await fixture.quoteFirm('ada', requestId)
    await fixture.quoteFirm('bob', requestId, { price: usd6(130_000n) })
    fixture.chain.unfinal = 100
    fixture.chain.use(order, how)
    const { acceptance } = (await fixture.commit(requestId)).execution
    expect(acceptance.makerId).toBe('bob')
    expect(fixture.auditLog).toContainEqual(expect.objectContaining(PASSED))
  })

  it('leaves its request without a quote, and its maker without a mark (invariant V12)', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ wallet: TAKER })
    const { order } = await fixture.quoteFirm('ada', requestId)
    fixture.chain.use(order, 'cancelled')
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).best).toBeNull()
    await fixture.clock.advance(60_000)
    expect(await kindsOf(fixture, 'ada')).toEqual([])
  })
})

describe('a maker that has missed an order, and cancelled its nonce on chain', () => {
  /** Ada misses her order, which is taken back or not, and quotes again. */
  async function missed(isCancelled: boolean) {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(10_000)
    expect(await commit).toBe('no_maker_confirmed')
    for (const { order } of ada.accepted()) if (isCancelled) fixture.chain.use(order, 'cancelled')
    await fixture.quote('ada', requestId)
    return { fixture, ada, requestId }
  }

  it('is not asked for another with it: the next best is', async () => {
    const { fixture, ada, requestId } = await missed(true)
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    await fixture.quote('ada', requestId)
    const bob = await fixture.connect('bob')
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId)
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(ada.accepted()).toHaveLength(1)
    expect(fixture.auditLog).toContainEqual(expect.objectContaining(PASSED))
    expect(await kindsOf(fixture, 'ada')).toEqual([])
  })

  it('is asked again where it has not', async () => {
    const { fixture, ada, requestId } = await missed(false)
    const commit = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toHaveLength(2)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })
})
