import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { createSimulatedChain } from '../../../src/adapters/chain/simulated.ts'
import { seriesIdOf } from '../../../src/domain/series.ts'
import { termsAt, WALLET } from './terms.ts'

describe('the simulated chain', () => {
  const series = [termsAt(4_500), termsAt(4_501)]
  const { chain, seriesIndex } = createSimulatedChain({
    chainId: 80_002,
    series,
    clock: { now: () => 1_800_000_000_999 },
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
    expect(await chain.series(first.seriesId)).toEqual(first)
    expect(await seriesIndex.find('1')).toBeNull()
    expect(await chain.series('1')).toBeNull()
  })

  it('lets every wallet pay everything, and no nonce be used', async () => {
    const { balance, allowance } = await chain.funds(WALLET, 'core', 'latest')
    expect(balance).toBeGreaterThan(10n ** 30n)
    expect(allowance).toBeGreaterThan(10n ** 30n)
    expect(await chain.usedNonces(WALLET, [1, 2])).toEqual(new Set())
  })
})
