import { describe, expect, it } from 'vitest'
import type { PublicTrade } from '../../../src/protocol/domain/public-trade.ts'
import { CALL_BUY, createTestRelay, PUT_SELL, type TestRelay } from '../../support/test-relay.ts'

const ALL = { conditionId: null, seriesId: null, before: null }
const DELAY_MS = 60_000

async function started(): Promise<TestRelay> {
  const fixture = createTestRelay()
  await fixture.relay.start()
  return fixture
}

describe('the tape', () => {
  it('shows a signed trade once it is old enough, with the state of its order', async () => {
    const fixture = await started()
    const { order } = await fixture.trade()
    await fixture.clock.advance(DELAY_MS - 1)
    expect(await fixture.relay.listTrades(ALL)).toEqual({ trades: [], next: null })
    await fixture.clock.advance(1)
    const { trades } = await fixture.relay.listTrades(ALL)
    expect(trades).toMatchObject([{ seriesId: order.seriesId, side: 'buy', size: order.optionAmount, state: 'open' }])
    fixture.chain.use(order)
    await fixture.clock.advance(DELAY_MS)
    expect((await fixture.relay.listTrades(ALL)).trades).toMatchObject([{ state: 'filled' }])
  })

  it('does not show when its maker cancelled an order', async () => {
    const fixture = await started()
    const { order } = await fixture.trade()
    fixture.chain.use(order, 'cancelled')
    const stateAt = async (validForS: number) => {
      await fixture.clock.advance((order.validUntil + validForS) * 1_000 - fixture.clock.now())
      return (await fixture.relay.listTrades(ALL)).trades.map(({ state }) => state)
    }
    expect(await stateAt(-1)).toEqual(['open'])
    expect(await stateAt(1)).toEqual(['expired'])
  })

  it('shows those of a market or a series alone', async () => {
    const fixture = await started()
    const { order } = await fixture.trade()
    await fixture.clock.advance(DELAY_MS)
    const { conditionId } = CALL_BUY.market
    const other = fixture.register(PUT_SELL).seriesId
    const of = async (filter: Partial<typeof ALL | { conditionId: string; seriesId: string }>) =>
      (await fixture.relay.listTrades({ ...ALL, ...filter } as typeof ALL)).trades.map(({ seriesId }) => seriesId)
    expect(await of({ conditionId, seriesId: order.seriesId })).toEqual([order.seriesId])
    expect(await of({ conditionId: `0x${'99'.repeat(32)}` })).toEqual([])
    expect(await of({ seriesId: other })).toEqual([])
  })

  it('has pages of a hundred, which lead to all trades once, newest first', async () => {
    const fixture = await started()
    const { newest } = fixture.ports.store.executions
    const first = await fixture.trade()
    await fixture.clock.advance(DELAY_MS)
    const [one] = await newest({ until: fixture.clock.now(), before: null, limit: 1 })
    if (one === undefined) throw new Error('no trade was signed')
    const copies = Array.from({ length: 150 }, (_, i) => ({
      ...one,
      execution: { ...one.execution, executionId: `trade-${i}`, executedAt: one.execution.executedAt - i },
    }))
    fixture.ports.store.executions.newest = async ({ before, limit }) => {
      const from =
        before === null ? 0 : copies.findIndex(({ execution }) => execution.executionId === before.tradeId) + 1
      return copies.slice(from, from + limit)
    }
    const listed: PublicTrade[] = []
    const page = await fixture.relay.listTrades(ALL)
    listed.push(...page.trades)
    expect([listed.length, page.next?.tradeId]).toEqual([100, 'trade-99'])
    const rest = await fixture.relay.listTrades({ ...ALL, before: page.next })
    expect([rest.trades.length, rest.next]).toEqual([50, null])
    expect(rest.trades[0]).toMatchObject({ tradeId: 'trade-100', seriesId: first.order.seriesId })
  })
})
