import { beforeEach, describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  CALL_BUY,
  createTestRelay,
  EXPIRY_S,
  refusal,
  START_MS,
  TAKER,
  type TestRelay,
} from '../../support/test-relay.ts'

const CUTOFF_S = 600
const END_MS = (EXPIRY_S - CUTOFF_S) * 1_000

describe('a core that ends trading before the expiry', () => {
  let fixture: TestRelay
  beforeEach(() => {
    fixture = createTestRelay()
    fixture.chain.tradingCutoffS = CUTOFF_S
  })

  it('makes requests be refused from then on, by the clock and by chain time', async () => {
    await fixture.clock.advance(END_MS - START_MS - 1)
    expect(await refusal(fixture.open())).toBe('not refused')
    await fixture.clock.advance(1)
    await expect(fixture.open()).rejects.toMatchObject({
      code: 'option_expired',
      message: 'Trading of the option ended at 2026-01-01T00:50:00Z, before its expiry.',
      data: { expiry: EXPIRY_S, now: EXPIRY_S - CUTOFF_S },
    })
    await fixture.clock.advance(CUTOFF_S * 1_000)
    await expect(fixture.open()).rejects.toMatchObject({ message: 'The expiry of the option is in the past.' })
    const other = createTestRelay()
    other.chain.tradingCutoffS = CUTOFF_S
    other.chain.aheadS = 3_000
    expect(await refusal(other.open())).toBe('option_expired')
  })

  it('ends a request, which then takes neither a quote nor a commit', async () => {
    await fixture.clock.advance(END_MS - START_MS - 60_000)
    const { requestId } = await fixture.open()
    const { request } = await fixture.relay.readRequest({ requestId, takerSecret: null })
    expect(request.expiresAt).toBe(END_MS)
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(60_000)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('request_expired')
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
  })

  it('lets no maker be asked once the chain has come so far', async () => {
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    fixture.chain.aheadS = 3_000
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
    await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
    expect(ada.accepted()).toEqual([])
  })

  it('ends an order, firm or not, and leaves time for a fill after the signature', async () => {
    await fixture.clock.advance(END_MS - START_MS - 6_000)
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open({ wallet: TAKER })
    const { order } = await fixture.quoteFirm('bob', requestId, { price: usd6(130_000n) })
    expect(order.validUntil).toBe(EXPIRY_S - CUTOFF_S)
    await fixture.quote('ada', requestId)
    const commit = refusal(fixture.commit(requestId, { limitPrice: usd6(120_000n) }))
    await settle()
    const [asked] = ada.accepted()
    expect([asked?.order.validUntil, asked?.deadline]).toEqual([EXPIRY_S - CUTOFF_S, END_MS - 2_000])
    await fixture.clock.advance(4_000)
    const confirming = fixture.relay.confirm({
      makerId: 'ada',
      quoteId: asked?.quoteId ?? '',
      signature: await ada.sign(asked),
    })
    expect(await refusal(confirming)).toBe('no_pending_acceptance')
    expect(await commit).not.toBe('not refused')
  })

  it('lets no firm order be taken that could not be filled before then', async () => {
    await fixture.clock.advance(END_MS - START_MS - 2_000)
    const { requestId } = await fixture.open({ wallet: TAKER })
    await fixture.quoteFirm('ada', requestId)
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
  })

  it('lets an order be returned again only until then', async () => {
    await fixture.clock.advance(END_MS - START_MS - 60_000)
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(CALL_BUY)
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await commit
    fixture.chain.aheadS = 59
    expect(await refusal(fixture.commit(requestId))).toBe('not refused')
    fixture.chain.aheadS = 60
    expect(await refusal(fixture.commit(requestId))).toBe('already_committed')
  })
})
