import { custom } from 'viem'
import { describe, expect, it } from 'vitest'
import { createChainTime } from '../../src/client/chain-time.ts'
import { createFakeClock } from '../support/fake-clock.ts'

/** A chain whose next block has a time, Unix seconds, that the test moves. */
function openChain() {
  const clock = createFakeClock()
  const node = { next: Math.floor(clock.now() / 1_000), reads: 0, isDown: false }
  const transport = custom(
    {
      request: async ({ method, params }: { method: string; params?: unknown }) => {
        expect({ method, params }).toEqual({ method: 'eth_getBlockByNumber', params: ['pending', false] })
        node.reads += 1
        if (node.isDown) throw new Error('down')
        return { timestamp: `0x${node.next.toString(16)}`, transactions: [] }
      },
    },
    { retryCount: 0 },
  )
  return { clock, node, read: createChainTime({ transport }, clock) }
}

describe('the time of a chain that may have been moved', () => {
  it("is the clock's until the chain is ahead of it", async () => {
    const { clock, node, read } = openChain()
    expect(await read()).toBe(clock.now())
    node.next += 21 * 3_600
    await clock.advance(201)
    expect(await read()).toBe(node.next * 1_000)
  })

  it('is asked of the node a few times a second, however many ask', async () => {
    const { clock, node, read } = openChain()
    await Promise.all(Array.from({ length: 50 }, read))
    await clock.advance(200)
    await read()
    expect(node.reads).toBe(1)
    await clock.advance(1)
    await read()
    expect(node.reads).toBe(2)
  })

  it('is not made up while the node is away, and is there when it is back', async () => {
    const { clock, node, read } = openChain()
    node.isDown = true
    await expect(read()).rejects.toThrow('down')
    node.isDown = false
    await clock.advance(201)
    expect(await read()).toBe(clock.now())
  })

  it("is the clock's where there is no chain", async () => {
    const clock = createFakeClock()
    expect(await createChainTime({}, clock)()).toBe(clock.now())
  })
})
