import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DevClient } from '../../../src/onchain/devnet/client.ts'
import { createSeriesLister } from '../../../src/onchain/devnet/series-lister.ts'
import type { SeriesTerms } from '../../../src/protocol/domain/series.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'

const OWNER = '0x00000000000000000000000000000000000000a1'
const CORE = '0x00000000000000000000000000000000000000c0'

/** A chain whose last block is as old as the test says; what was sent to it is counted. */
function fakeChain() {
  const chain = { lastBlock: 1_000, next: 1_000, sent: 0, isDown: false }
  const client = {
    getBlock: async ({ blockTag }: { blockTag: string }) => {
      if (chain.isDown) throw new Error('down')
      return { timestamp: BigInt(blockTag === 'pending' ? chain.next : chain.lastBlock) }
    },
    getLogs: async () => [],
    getTransactionCount: async () => 0,
    sendTransaction: async () => {
      chain.sent += 1
      return '0x1'
    },
    waitForTransactionReceipt: async () => ({ status: 'success' }),
  }
  return { chain, client: client as unknown as DevClient }
}

const termsAt = (expiry: number): SeriesTerms => ({
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '1',
  strikeBps: 5_000 as StrikeBps,
  expiry,
  optionType: 'call',
})

describe('the series of an embedded chain', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function open() {
    const { chain, client } = fakeChain()
    const times: number[] = []
    const seriesAt = (time: number) => {
      times.push(time)
      return [termsAt(Math.floor(time / 600) * 600 + 600)]
    }
    return { chain, times, lister: createSeriesLister({ client, owner: OWNER, coreAddress: CORE, seriesAt }) }
  }

  it('are planned for the time of the next block: the last one is as old as the break was long', async () => {
    const { chain, times, lister } = open()
    chain.next = 5_000
    await lister.listDue()
    expect(times).toEqual([5_000])
  })

  it('are registered once, and the next ones when they are due', async () => {
    const { chain, lister } = open()
    await lister.listDue()
    const listing = lister.keepListing()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(chain.sent).toBe(1)
    chain.next += 600
    await vi.advanceTimersByTimeAsync(15_000)
    expect(chain.sent).toBe(2)
    await listing.stop()
    chain.next += 600
    await vi.advanceTimersByTimeAsync(60_000)
    expect(chain.sent).toBe(2)
  })

  it('are asked for again after the chain was away', async () => {
    const { chain, lister } = open()
    await lister.listDue()
    const listing = lister.keepListing()
    chain.next += 600
    chain.isDown = true
    await vi.advanceTimersByTimeAsync(30_000)
    expect(chain.sent).toBe(1)
    chain.isDown = false
    await vi.advanceTimersByTimeAsync(15_000)
    expect(chain.sent).toBe(2)
    await listing.stop()
  })
})
