import type { Clock } from '@rfqctl/lib/clock'
import { createClient, type Transport } from 'viem'
import { getBlock } from 'viem/actions'

/** Milliseconds for which an answer of the node is reused. */
const HOLDS_MS = 200

/**
 * Time of the chain's next block, Unix milliseconds, where it is ahead of the clock: a sandbox's chain was moved forward, and its markets
 * with it. Without a chain, the clock's time. Rejects as the node does.
 */
export function createChainTime(
  { transport }: { transport?: Transport | undefined },
  clock: Pick<Clock, 'now'>,
): () => Promise<number> {
  if (transport === undefined) return async () => clock.now()
  const client = createClient({ transport })
  let read = { at: Number.NEGATIVE_INFINITY, aheadMs: Promise.resolve(0) }
  const readAhead = async () => {
    const { timestamp } = await getBlock(client, { blockTag: 'pending' })
    return Math.max(0, Number(timestamp) * 1_000 - clock.now())
  }
  return async () => {
    if (clock.now() - read.at > HOLDS_MS) read = { at: clock.now(), aheadMs: readAhead() }
    return clock.now() + (await read.aheadMs)
  }
}
