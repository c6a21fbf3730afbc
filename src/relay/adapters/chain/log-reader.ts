import type { PublicClient } from 'viem'
import { isRefusedByNode, type Rpc } from './rpc.ts'

/** Logs up to a block that the answering node has shown to have; there may be more beyond it. */
export type ProvenLogs<Log> = { logs: readonly Log[]; provenTo: bigint }

/** Blocks to read; `span` is how many of them one request asks for at most. */
type Range = { from: bigint; to: bigint; span: bigint }

/**
 * Reads the logs of a range through a node, or several behind one address: each part is asked for together with the head of
 * the node that answers, because one that lags behind gives the logs that it has and does not say that there are more. Fails
 * with `chain_unavailable`.
 */
export async function readLogs<Log>(
  rpc: Rpc,
  range: Range,
  getLogs: (client: PublicClient, fromBlock: bigint, toBlock: bigint) => Promise<readonly Log[]>,
): Promise<ProvenLogs<Log>> {
  const logs: Log[] = []
  let { from: fromBlock, to: end, span } = range
  while (fromBlock <= end) {
    const last = fromBlock + span - 1n
    const toBlock = last < end ? last : end
    const part = await rpc.read(async (client) => {
      // In one request, which one node answers, and in this order: a block that comes in between is read twice.
      const [{ number: head }, found] = await Promise.all([
        client.getBlock({ blockTag: 'latest' }),
        getLogs(client, fromBlock, toBlock).catch(asRefusal),
      ])
      const isLeast = fromBlock === toBlock && toBlock <= head
      if ('refusal' in found && isLeast) throw found.refusal
      return { head, found }
    })
    if (part.head < end) end = part.head
    if ('refusal' in part.found) {
      // Too much for it, or more than it has.
      span = (toBlock - fromBlock + 1n) / 2n
      continue
    }
    logs.push(...part.found)
    fromBlock = toBlock + 1n
  }
  return { logs, provenTo: end }
}

/** What the node itself says no to, as to a range that is too much for it. */
function asRefusal(fault: unknown): { refusal: unknown } {
  if (isRefusedByNode(fault)) return { refusal: fault }
  throw fault
}
