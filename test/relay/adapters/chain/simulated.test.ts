import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import { createSimulatedChain } from '../../../../src/relay/adapters/chain/simulated.ts'
import { termsAt, WALLET } from './terms.ts'

const NOW = 1_800_000_000_999

describe('the simulated chain', () => {
  const { chain, seriesIndex } = createSimulatedChain({
    chainId: 80_002,
    seriesAt: () => [termsAt(4_500), termsAt(4_501)],
    clock: { now: () => NOW },
  })

  it('says that it is simulated, with zero addresses', () => {
    expect(chain.mode).toBe('simulated')
    expect(chain.environment).toEqual({
      chainId: 80_002,
      settlementAddress: zeroAddress,
      coreAddress: zeroAddress,
      stablecoinAddress: zeroAddress,
    })
  })

  it("takes the relay's clock for its time, in whole seconds", async () => {
    expect(await chain.time('latest')).toBe(1_800_000_000)
  })

  it('lists the given series, unsettled, and knows no other', async () => {
    const first = { ...termsAt(4_500), seriesId: seriesIdOf(termsAt(4_500)), halted: false, resolutionBps: null }
    await seriesIndex.refresh()
    expect(await seriesIndex.list()).toEqual([first, expect.objectContaining({ strikeBps: 4_501 })])
    expect(await seriesIndex.find(first.seriesId)).toEqual(first)
    expect(await chain.series(first.seriesId, 'latest')).toEqual(first)
    expect(await seriesIndex.find('1')).toBeNull()
    expect(await chain.series('1', 'latest')).toBeNull()
  })

  it('lets every wallet pay everything, and no nonce be used', async () => {
    const { balance, allowance } = await chain.funds(WALLET, 'core', 'latest')
    expect(balance).toBeGreaterThan(10n ** 30n)
    expect(allowance).toBeGreaterThan(10n ** 30n)
  })

  it('lists further series over time, keeps the former ones, and forgets them a week after their expiry', async () => {
    let now = NOW
    const expiry = () => Math.floor(now / 1_000) + 600
    const { seriesIndex } = createSimulatedChain({
      chainId: 80_002,
      seriesAt: () => [{ ...termsAt(4_500), expiry: expiry() }],
      clock: { now: () => now },
    })
    const expiries = async () => (await seriesIndex.list()).map((series) => series.expiry)
    const first = expiry()
    expect(await expiries()).toEqual([first])
    now += 300_000
    expect(await expiries()).toEqual([first, expiry()])
    now += 8 * 86_400_000
    expect(await expiries()).toEqual([expiry()])
  })
})
