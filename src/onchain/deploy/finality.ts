import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { type PublicClient, TransactionReceiptNotFoundError } from 'viem'

/** Depth of a final block on chains that do not report finality. */
const CONFIRMATIONS = 64n

const POLL_INTERVAL_MS = 2_000

/**
 * Resolves when the blocks of transactions are final, so that no reorganisation can undo them: at or below the block
 * that the chain calls finalized, or 64 blocks deep. `onWait` gets the awaited block once. Rejects when `signal`
 * aborts.
 */
export async function waitUntilFinal(
  client: Pick<PublicClient, 'getBlock' | 'getBlockNumber' | 'getTransactionReceipt'>,
  input: {
    hashes: readonly Hex[]
    onWait: (block: bigint) => void
    signal?: AbortSignal | undefined
    pollIntervalMs?: number
  },
): Promise<void> {
  const { hashes, onWait, signal, pollIntervalMs = POLL_INTERVAL_MS } = input
  const blocks = await Promise.all(hashes.map((hash) => blockOf(client, hash)))
  const last = blocks.reduce<bigint>((highest, block) => (block !== null && block > highest ? block : highest), 0n)
  for (let waits = false; (await finalBlock(client)) < last; ) {
    if (!waits) onWait(last)
    waits = true
    await delay(pollIntervalMs, undefined, signal === undefined ? {} : { signal })
  }
}

/** Null if another transaction replaced it. */
async function blockOf(client: Pick<PublicClient, 'getTransactionReceipt'>, hash: Hex): Promise<bigint | null> {
  try {
    return (await client.getTransactionReceipt({ hash })).blockNumber
  } catch (fault) {
    if (fault instanceof TransactionReceiptNotFoundError) return null
    throw fault
  }
}

async function finalBlock(client: Pick<PublicClient, 'getBlock' | 'getBlockNumber'>): Promise<bigint> {
  const finalized = await client.getBlock({ blockTag: 'finalized' }).catch(() => null)
  if (finalized !== null && finalized.number !== null) return finalized.number
  const head = await client.getBlockNumber({ cacheTime: 0 })
  return head > CONFIRMATIONS ? head - CONFIRMATIONS : 0n
}
