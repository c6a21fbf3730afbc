import type { PublicClient } from 'viem'
import { isRefusedByNode, type Rpc } from './rpc.ts'

/** Logs up to a block that the answering node has shown to have; there may be more beyond it. */
export type ProvenLogs<Log> = { logs: readonly Log[]; provenTo: bigint }

/** Blocks to read; one request asks for `span` of them at most. */
type Range = { from: bigint; to: bigint; span: bigint }

/**
 * Reads the logs of a range through one address with one or several nodes behind it. Each part is requested together
 * with the head of the answering node, because a lagging node returns the logs that it has and does not say that there
 * are more. Fails with `chain_unavailable`.
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
      // One request, so that one node answers both, and in this order: a block that arrives in between is read twice.
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
      // The range is too much for the node, or beyond its head.
      span = (toBlock - fromBlock + 1n) / 2n
      continue
    }
    logs.push(...part.found)
    fromBlock = toBlock + 1n
  }
  return { logs, provenTo: end }
}

/** Catches what the node itself refuses, such as a range that is too much for it. */
function asRefusal(fault: unknown): { refusal: unknown } {
  if (isRefusedByNode(fault)) return { refusal: fault }
  throw fault
}
