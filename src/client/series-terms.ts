import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { registeredTerms } from '@rfqctl/protocol/contracts/registered-terms'
import type { SeriesId, SeriesTerms } from '@rfqctl/protocol/domain/series'
import {
  createPublicClient,
  formatLog,
  getAbiItem,
  numberToHex,
  parseEventLogs,
  type RpcLog,
  toEventSelector,
} from 'viem'
import { ClientSetupError } from './errors.ts'
import { readSpansBack } from './event-spans.ts'
import type { ChainSetup } from './wallet.ts'

/** The events that register a series, by their topics. */
const REGISTRATIONS = (['SeriesCreated', 'PackageCreated'] as const).map((name) =>
  toEventSelector(getAbiItem({ abi: serviceCoreAbi, name })),
)

/**
 * Terms of a series, from the event of the core that registered it: the chain keeps only their hash. Blocks before `fromBlock` are not
 * searched; null where the others have no such event, or the node refuses even a single one of them.
 */
export async function readSeriesTerms(
  { coreAddress, transport }: Pick<ChainSetup, 'coreAddress' | 'transport'>,
  { seriesId, fromBlock = 0n, signal }: { seriesId: SeriesId; fromBlock?: bigint; signal?: AbortSignal },
): Promise<SeriesTerms | null> {
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  const client = createPublicClient({ transport })
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const spans = readSpansBack({
    blocks: { from: fromBlock, to: head },
    // The event is indexed by the series: most nodes search all blocks at once for a single one.
    firstSpan: head + 1n,
    maxSpans: Number.POSITIVE_INFINITY,
    read: ({ from, to }) =>
      client.request({
        method: 'eth_getLogs',
        params: [
          {
            address: coreAddress,
            topics: [REGISTRATIONS, numberToHex(BigInt(seriesId), { size: 32 })],
            fromBlock: numberToHex(from),
            toBlock: numberToHex(to),
          },
        ],
      }),
    signal,
  })
  for await (const { events } of spans) {
    if (events.length === 0) continue
    const logs = (events as RpcLog[]).map((log) => formatLog(log))
    const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: ['SeriesCreated', 'PackageCreated'], logs })
    if (log !== undefined) return registeredTerms(log)
  }
  return null
}
