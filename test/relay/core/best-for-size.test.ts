import { describe, expect, it } from 'vitest'
import { sidesOf } from '../../../src/protocol/domain/request.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, PUT_SELL, walletOf } from '../../support/test-relay.ts'

describe('the best quote for the size, as a poll shows it', () => {
  async function open(terms = CALL_BUY) {
    const fixture = createTestRelay()
    const { requestId } = await fixture.relay.openRequest({ ...terms, locked: false })
    const quote = (makerId: string, price: number, size: number, expiresInMs: number | null = null) =>
      fixture.relay.submitQuote({
        requestId,
        makerId,
        submission: {
          maker: walletOf(makerId),
          side: sidesOf(terms.trade)[0] ?? 'buy',
          price: usd6(BigInt(price)),
          size: contracts(BigInt(size)),
          expiresInMs,
        },
      })
    const poll = async () => {
      const { best, bestForSize } = await fixture.relay.readRequest({ requestId, takerSecret: null })
      return { best: best?.makerId ?? null, bestForSize: bestForSize?.makerId ?? null }
    }
    return { fixture, quote, poll }
  }

  it('is the best one where that fills half of what the budget buys', async () => {
    const { quote, poll } = await open()
    expect(await poll()).toEqual({ best: null, bestForSize: null })
    await quote('maker-1', 120_000, 417)
    expect(await poll()).toEqual({ best: 'maker-1', bestForSize: 'maker-1' })
  })

  it('passes over quotes of next to nothing at a better price, and none is shown when all are such', async () => {
    const { quote, poll } = await open()
    await quote('junk-1', 100, 1)
    await quote('junk-2', 200, 1)
    expect(await poll()).toEqual({ best: 'junk-1', bestForSize: null })
    await quote('maker-1', 130_000, 1_000)
    await quote('maker-2', 120_000, 1_000)
    expect(await poll()).toEqual({ best: 'junk-1', bestForSize: 'maker-2' })
  })

  it('passes over a quote whose time is up', async () => {
    const { fixture, quote, poll } = await open()
    await quote('junk', 100, 1)
    await quote('maker-1', 120_000, 1_000, 1_000)
    await quote('maker-2', 130_000, 1_000)
    await fixture.clock.advance(1_000)
    expect(await poll()).toEqual({ best: 'junk', bestForSize: 'maker-2' })
  })

  it('is the best one on a sale, where smaller quotes are refused', async () => {
    const { quote, poll } = await open(PUT_SELL)
    await quote('maker-1', 120_000, 1_000)
    expect(await poll()).toEqual({ best: 'maker-1', bestForSize: 'maker-1' })
  })
})
