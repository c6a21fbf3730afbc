import type { PublicClient } from 'viem'
import type { SeriesId } from '../../domain/series.ts'
import type { Address } from '../../domain/units.ts'
import { isRefusedByNode, type Rpc } from './rpc.ts'
import { type CreatedLog, SERIES_CREATED, SERIES_EVENTS, type SeriesLog } from './series-events.ts'

/** Logs up to a block that the answering node has shown to have; there may be more beyond it. */
export type ProvenLogs<Log> = { logs: readonly Log[]; provenTo: bigint }

/** Reads events of a core. Fails with `chain_unavailable`. */
export type SeriesLogs = {
  /** All events of a range of blocks. `provenTo` is less than its end when the node that answers has not come so far. */
  read: (from: bigint, to: bigint) => Promise<ProvenLogs<SeriesLog>>
  /** The registration of one series in a range, found by its id, which the event is indexed by. */
  findCreated: (seriesId: SeriesId, from: bigint, to: bigint) => Promise<CreatedLog | null>
}

/**
 * Events through a node, or several behind one address: each part of a range is asked for together with the head of the
 * node that answers, because one that lags behind gives the logs that it has and does not say that there are more.
 * `chunkBlocks` is how many blocks one request for all events spans at most.
 */
export function createSeriesLogs({
  rpc,
  coreAddress,
  chunkBlocks,
}: {
  rpc: Rpc
  coreAddress: Address
  chunkBlocks: bigint
}): SeriesLogs {
  async function readParts<Log>(
    range: { from: bigint; to: bigint; span: bigint },
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

  return {
    read: (from, to) =>
      readParts({ from, to, span: chunkBlocks }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, events: SERIES_EVENTS, strict: true, fromBlock, toBlock }),
      ),
    async findCreated(seriesId, from, to) {
      const args = { seriesId: BigInt(seriesId) }
      const { logs } = await readParts({ from, to, span: to - from + 1n }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, event: SERIES_CREATED, args, strict: true, fromBlock, toBlock }),
      )
      return logs[0] ?? null
    },
  }
}

/** What the node itself says no to, as to a range that is too much for it. */
function asRefusal(fault: unknown): { refusal: unknown } {
  if (isRefusedByNode(fault)) return { refusal: fault }
  throw fault
}
