import { TransactionReceiptNotFoundError } from 'viem'
import { describe, expect, test } from 'vitest'
import { waitUntilFinal } from '../../../src/onchain/deploy/finality.ts'
import type { Hex } from '../../../src/protocol/domain/units.ts'

type Client = Parameters<typeof waitUntilFinal>[0]

/** A chain that grows by a block each time it is asked for its end; `finalizedBehind`: null where it does not tell. */
function chain(
  mined: Record<Hex, bigint>,
  { head, finalizedBehind }: { head: bigint; finalizedBehind: bigint | null },
) {
  const state = { head, looks: 0 }
  const client = {
    getBlock: async () => {
      if (finalizedBehind === null) throw new Error('unknown block tag')
      state.looks += 1
      state.head += 1n
      return { number: state.head - finalizedBehind }
    },
    getBlockNumber: async () => {
      state.looks += 1
      state.head += 1n
      return state.head
    },
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const blockNumber = mined[hash]
      if (blockNumber === undefined) throw new TransactionReceiptNotFoundError({ hash })
      return { blockNumber }
    },
  } as unknown as Client
  return { client, state }
}

describe('a deployment is waited for until no reorganisation can undo it', () => {
  test('by the block that the chain calls finalized', async () => {
    const { client, state } = chain({ '0xa': 100n, '0xb': 103n }, { head: 104n, finalizedBehind: 10n })
    const waited: bigint[] = []
    await waitUntilFinal(client, {
      hashes: ['0xa', '0xb', '0xc'],
      onWait: (block) => waited.push(block),
      pollIntervalMs: 0,
    })
    expect([waited, state.head]).toEqual([[103n], 113n])
  })

  test('by its depth where the chain calls none so', async () => {
    const { client, state } = chain({ '0xa': 100n }, { head: 100n, finalizedBehind: null })
    await waitUntilFinal(client, { hashes: ['0xa'], onWait: () => {}, pollIntervalMs: 0 })
    expect(state.head).toBe(164n)
  })

  test('not at all when it was made long ago, and no longer than it may be', async () => {
    const old = chain({ '0xa': 100n }, { head: 500n, finalizedBehind: 10n })
    await waitUntilFinal(old.client, { hashes: ['0xa'], onWait: () => expect.fail('it waits'), pollIntervalMs: 0 })
    expect(old.state.looks).toBe(1)
    const stuck = chain({ '0xa': 100n }, { head: 0n, finalizedBehind: 10n })
    const stopped = { hashes: ['0xa'] as const, onWait: () => {}, signal: AbortSignal.abort(), pollIntervalMs: 60_000 }
    await expect(waitUntilFinal(stuck.client, stopped)).rejects.toMatchObject({ name: 'AbortError' })
  })
})
