import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import type { Position } from '@rfqctl/protocol/domain/position'
import { costOf, type PositionChange, type PositionCost } from '@rfqctl/protocol/domain/position-cost'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Address, usd6 } from '@rfqctl/protocol/domain/units'
import {
  formatLog,
  type Hex,
  isAddressEqual,
  type Log,
  numberToHex,
  pad,
  parseEventLogs,
  type RpcLog,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { type BlockSpan, readSpansBack } from './event-spans.ts'
import { readPositions } from './settlement.ts'
import type { Wallet } from './wallet.ts'

/** Position with its cost to the wallet. */
export type CostedPosition = Position & {
  /** Premiums and collateral paid, less what came back. */
  cost: PositionCost
}

/** Blocks of the first query: as many as public nodes search at a time. */
export const FIRST_SPAN = 10_000n

/** Most spans of one query, in four calls each, so that its cost to a node is bounded. */
export const MAX_SPANS = 64

/** The events of both contracts. */
export const CONTRACT_EVENTS = [...serviceCoreAbi, ...serviceRfqSettlementAbi] as const

/**
 * Non-empty positions of a wallet in some series, with their costs. The costs are read from the events of both contracts, from the newest
 * block back until every position is accounted for.
 */
export async function readCostedPositions(
  wallet: Wallet,
  seriesIds: readonly SeriesId[],
  signal?: AbortSignal,
): Promise<CostedPosition[]> {
  const head = await wallet.publicClient.getBlockNumber({ cacheTime: 0 })
  const positions = await readPositions(wallet, seriesIds, head)
  const changes = new Map<SeriesId, Map<string, PositionChange>>()
  const costed = () =>
    positions.map((position) => ({
      ...position,
      cost: costOf(position, changes.get(position.seriesId)?.values() ?? []),
    }))
  const isDone = () => costed().every(({ cost }) => cost !== 'earlier')
  if (isDone()) return costed()
  const spans = readSpansBack({
    blocks: { from: 0n, to: head },
    firstSpan: FIRST_SPAN,
    maxSpans: MAX_SPANS,
    read: (span) => readWalletLogs(wallet, span),
    signal,
  })
  for await (const { events } of spans) {
    addChanges(changes, events, wallet)
    if (isDone()) break
  }
  return costed()
}

/** Events of a span of blocks that changed the wallet's options, newest first. */
export async function readWalletLogs(
  { publicClient, setup, address }: Wallet,
  { from, to }: BlockSpan,
): Promise<Log[]> {
  const own = { wallet: pad(address), settlement: pad(setup.settlementAddress) }
  const found = await Promise.all(
    TOPICS.map((topicsOf) =>
      publicClient.request({
        method: 'eth_getLogs',
        params: [
          {
            address: [setup.coreAddress, setup.settlementAddress],
            topics: topicsOf(own),
            fromBlock: numberToHex(from),
            toBlock: numberToHex(to),
          },
        ],
      }),
    ),
  )
  return (found.flat() as RpcLog[])
    .map((log) => formatLog(log))
    .toSorted((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex))
}

/**
 * The indexed argument with the wallet differs by event: maker; taker, writer, holder or closer; receiver; and sender of options that the
 * settlement moved.
 */
const TOPICS: readonly ((own: { wallet: Hex; settlement: Hex }) => (Hex | Hex[] | null)[])[] = [
  ({ wallet }) => [selectorsOf('OrderFilled'), wallet],
  ({ wallet }) => [
    selectorsOf('OrderFilled', 'OptionsWritten', 'PositionClosed', 'HolderPayoutClaimed', 'WriterCollateralClaimed'),
    null,
    wallet,
  ],
  ({ wallet }) => [selectorsOf('TransferSingle', 'TransferBatch'), null, null, wallet],
  ({ wallet, settlement }) => [selectorsOf('TransferSingle'), settlement, wallet],
]

function selectorsOf(...names: string[]): Hex[] {
  const events = CONTRACT_EVENTS.filter((item) => item.type === 'event')
  return events.filter(({ name }) => names.includes(name)).map((event) => toEventSelector(event))
}

/** Adds up the changes of each transaction in each series; a fill is two events of it. */
function addChanges(
  changes: Map<SeriesId, Map<string, PositionChange>>,
  logs: readonly Log[],
  wallet: Pick<Wallet, 'address' | 'setup'>,
): void {
  for (const log of parseEventLogs({ abi: CONTRACT_EVENTS, logs: [...logs] })) {
    for (const { seriesId, long = 0n, short = 0n, paid = 0n } of changesOf(log, wallet)) {
      const ofSeries = changes.get(String(seriesId)) ?? new Map<string, PositionChange>()
      const before = ofSeries.get(log.transactionHash) ?? { long: 0n, short: 0n, paid: usd6(0n) }
      ofSeries.set(log.transactionHash, {
        long: before.long + long,
        short: before.short + short,
        paid: before.paid === null || paid === null ? null : usd6(before.paid + paid),
      })
      changes.set(String(seriesId), ofSeries)
    }
  }
}

type Event = ReturnType<typeof parseEventLogs<typeof CONTRACT_EVENTS>>[number]
type Change = { seriesId: bigint; long?: bigint; short?: bigint; paid?: bigint | null }

/** Changes of an event to a wallet's positions. */
export function changesOf(
  log: Event,
  { address: wallet, setup: { settlementAddress } }: Pick<Wallet, 'address' | 'setup'>,
): Change[] {
  switch (log.eventName) {
    case 'OrderFilled': {
      const { seriesId, maker, makerSelling, optionAmount, premiumAmount } = log.args
      const isBuyer = isAddressEqual(maker, wallet) !== makerSelling
      return [isBuyer ? { seriesId, long: optionAmount, paid: premiumAmount } : { seriesId, paid: -premiumAmount }]
    }
    case 'OptionsWritten':
      return [{ seriesId: log.args.seriesId, short: log.args.amount, paid: log.args.collateral }]
    case 'PositionClosed': {
      const { seriesId, amount, collateral } = log.args
      return [{ seriesId, long: -amount, short: -amount, paid: -collateral }]
    }
    case 'HolderPayoutClaimed':
      return [{ seriesId: log.args.seriesId, long: -log.args.amount, paid: -log.args.payout }]
    case 'WriterCollateralClaimed':
      return [{ seriesId: log.args.seriesId, short: -log.args.amount, paid: -log.args.collateral }]
    case 'TransferSingle':
      if (isAddressEqual(log.args.operator, settlementAddress))
        return isSold(log.args, wallet) ? [{ seriesId: log.args.id, long: -log.args.value }] : []
      return isReceived(log.args.from, wallet) ? [received(log.args.id, log.args.value)] : []
    case 'TransferBatch': {
      const { from, ids, values } = log.args
      return isReceived(from, wallet) ? ids.map((id, index) => received(id, values[index] ?? 0n)) : []
    }
    default:
      return []
  }
}

/**
 * Sold from inventory in a fill, whose `OrderFilled` reports the payment and the buyer's gain; options that it closes are burned, which
 * has an event of its own.
 */
const isSold = ({ from, to }: { from: Address; to: Address }, wallet: Address): boolean =>
  isAddressEqual(from, wallet) && to !== zeroAddress

/** Minted options have no sender; `OrderFilled` reports them. */
const isReceived = (from: Address, wallet: Address): boolean => from !== zeroAddress && !isAddressEqual(from, wallet)

const received = (seriesId: bigint, amount: bigint): Change => ({ seriesId, long: amount, paid: null })
