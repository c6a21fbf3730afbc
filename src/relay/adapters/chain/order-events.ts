import { serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { maskOf, type NonceUse } from '@rfqctl/protocol/domain/order-end'
import { type Address, contracts, usd6 } from '@rfqctl/protocol/domain/units'
import { type GetLogsReturnType, getAbiItem } from 'viem'
import type { BlockMark, OrderEvents, OrderEventsRead } from '../../core/ports/chain.ts'
import {
  type BlockRef,
  CHUNK_BLOCKS,
  coalesce,
  createLogFollower,
  inChainOrder,
  OVERLAP_BLOCKS,
  refAt,
} from './log-follower.ts'
import { readLogs } from './log-reader.ts'
import type { Rpc } from './rpc.ts'

const ORDER_EVENTS = [
  getAbiItem({ abi: serviceRfqSettlementAbi, name: 'OrderFilled' }),
  getAbiItem({ abi: serviceRfqSettlementAbi, name: 'NonceCancelled' }),
  getAbiItem({ abi: serviceRfqSettlementAbi, name: 'NoncesCancelled' }),
] as const

type OrderLog = GetLogsReturnType<undefined, typeof ORDER_EVENTS, true>[number]

/**
 * The events of a settlement contract that end orders. A new relay begins the overlap before the last final block: none
 * of its orders is older. A `cached` answer is at most `cacheMs` old by `now`, Unix milliseconds; sizes are for tests.
 */
export function createOrderEvents(parts: {
  rpc: Rpc
  settlementAddress: Address
  startBlock: bigint
  cacheMs: number
  now: () => number
  chunkBlocks?: bigint
  overlapBlocks?: bigint
}): OrderEvents {
  const {
    rpc,
    settlementAddress,
    startBlock,
    cacheMs,
    now,
    chunkBlocks = CHUNK_BLOCKS,
    overlapBlocks = OVERLAP_BLOCKS,
  } = parts
  let kept: BlockMark | null = null
  let begun: BlockMark | null = null
  let advanced: number | null = null
  let newest: { events: OrderEventsRead; at: number } | null = null
  const beforeStart = startBlock - 1n
  const follower = createLogFollower<OrderLog>({
    rpc,
    read: (from, to) =>
      readLogs(rpc, { from, to, span: chunkBlocks }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: settlementAddress, events: ORDER_EVENTS, strict: true, fromBlock, toBlock }),
      ),
    startBlock,
    overlapBlocks,
    resume: async () => (kept === null ? null : { block: BigInt(kept.block), hash: kept.hash }),
    begin: ({ head, final }) => {
      const block = (final ?? head).block - overlapBlocks
      return { block: block > beforeStart ? block : beforeStart, hash: null }
    },
  })

  async function poll(): Promise<void> {
    const startedAt = now()
    const { head, provenTo } = await follower.read()
    const seen = head.block === provenTo ? head : await rpc.read((client) => refAt(client, provenTo))
    const logs = follower.recent().filter(({ blockNumber }) => blockNumber <= provenTo)
    const final = follower.final()
    newest = {
      at: startedAt,
      events: {
        head: { block: Number(head.block), time: head.time },
        readTo: markOf(seen),
        final: final === null ? null : { ...final, block: Number(final.block) },
        uses: byMaker(logs.toSorted(inChainOrder).map(useOf)),
      },
    }
  }

  /** Saved as well: a relay that stops before its checkpoint first moves, and stays away, resumes from here. */
  async function whereBegun(block: bigint): Promise<BlockMark | null> {
    if (block < 0n) return null
    const isKnown = begun !== null && BigInt(begun.block) === block
    if (!isKnown) begun = markOf(await rpc.read((client) => refAt(client, block)))
    return begun
  }

  const pollCoalesced = coalesce(poll)
  return {
    resume: (from) => {
      kept = from
    },
    read: async (freshness) => {
      if (freshness === 'latest' || newest === null || now() - newest.at >= cacheMs) await pollCoalesced()
      return (newest as NonNullable<typeof newest>).events
    },
    advancedTo: () => advanced,
    advance: async (advancedTo) => {
      advanced = advancedTo
      const { readFrom } = await follower.advance(BigInt(advancedTo))
      if (readFrom.hash === null) return whereBegun(readFrom.block)
      return { block: Number(readFrom.block), hash: readFrom.hash }
    },
  }
}

const markOf = (ref: BlockRef | null): BlockMark | null =>
  ref === null ? null : { block: Number(ref.block), hash: ref.hash }

function useOf({ args, eventName, transactionHash, blockNumber }: OrderLog): NonceUse {
  const at = { maker: args.maker, transactionHash, blockNumber: Number(blockNumber) }
  if (eventName === 'NoncesCancelled') return { ...at, word: args.wordPos, mask: args.mask, fill: null }
  if (eventName === 'NonceCancelled') return { ...at, ...maskOf(args.nonce), fill: null }
  const { taker, seriesId, optionAmount, premiumAmount, makerSelling, nonce } = args
  const fill = {
    taker,
    seriesId: seriesId.toString(),
    optionAmount: contracts(optionAmount),
    premiumAmount: usd6(premiumAmount),
    makerSelling,
  }
  return { ...at, ...maskOf(nonce), fill }
}

function byMaker(uses: readonly NonceUse[]): ReadonlyMap<string, readonly NonceUse[]> {
  const makers = new Map<string, NonceUse[]>()
  for (const use of uses) {
    const ofMaker = makers.get(use.maker.toLowerCase())
    if (ofMaker === undefined) makers.set(use.maker.toLowerCase(), [use])
    else ofMaker.push(use)
  }
  return makers
}
