import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { type Hex, isAddressEqual, parseEventLogs } from 'viem'
import { readSpansBack } from './event-spans.ts'
import { CONTRACT_EVENTS, changesOf, FIRST_SPAN, MAX_SPANS, readWalletLogs } from './position-costs.ts'
import type { Wallet } from './wallet.ts'

/** Kind of event: a fill on either side, a close of both sides, a claim of holder or writer, options from another wallet. */
export type HistoryKind = 'bought' | 'sold' | 'closed' | 'payout' | 'collateral' | 'received'

/** Effect of one transaction on a wallet's options of a series. */
export type HistoryEntry = {
  transactionHash: Hex
  blockNumber: bigint
  /** Unix seconds, by the block. */
  time: number
  seriesId: SeriesId
  /** Each kind once, in the order of the events. */
  kinds: readonly HistoryKind[]
  /** Options bought, sold, closed, claimed for or received. */
  amount: Contracts
  /** Micro-dollars paid for a fill, by either side; null without a fill. */
  premium: Usd6 | null
  /** Options gained, negative: given up; `long` counts held options, `short` written ones. */
  long: bigint
  short: bigint
  /** Micro-dollars paid, collateral included, negative: received; null where options came from another wallet. */
  paid: Usd6 | null
}

/** History of a wallet, newest first; `isComplete` where the node had the events of every block. */
export type WalletHistory = { entries: HistoryEntry[]; isComplete: boolean }

const KINDS: Readonly<Record<string, HistoryKind>> = {
  PositionClosed: 'closed',
  HolderPayoutClaimed: 'payout',
  WriterCollateralClaimed: 'collateral',
  TransferSingle: 'received',
  TransferBatch: 'received',
}

/** Reads a wallet's history from the events of both contracts, without a relay. */
export async function readWalletHistory(wallet: Wallet, signal?: AbortSignal): Promise<WalletHistory> {
  const head = await wallet.publicClient.getBlockNumber({ cacheTime: 0 })
  const found = new Map<string, Omit<HistoryEntry, 'time'>>()
  let lowest = head + 1n
  const spans = readSpansBack({
    blocks: { from: 0n, to: head },
    firstSpan: FIRST_SPAN,
    maxSpans: MAX_SPANS,
    read: (span) => readWalletLogs(wallet, span),
    signal,
  })
  for await (const { events, from } of spans) {
    for (const log of parseEventLogs({ abi: CONTRACT_EVENTS, logs: [...events] }).toReversed())
      addLog(found, log, wallet)
    lowest = from
  }
  const entries = [...found.values()].filter(({ kinds }) => kinds.length > 0)
  const times = await blockTimes(wallet, [...new Set(entries.map(({ blockNumber }) => blockNumber))])
  const timed = entries.map((entry): HistoryEntry => ({ ...entry, time: times.get(entry.blockNumber) ?? 0 }))
  return {
    entries: timed.toSorted((a, b) => Number(b.blockNumber - a.blockNumber)),
    isComplete: lowest === 0n,
  }
}

/** Adds an event to its transaction's entry for the series; a fill is several events of it. */
function addLog(
  found: Map<string, Omit<HistoryEntry, 'time'>>,
  log: ReturnType<typeof parseEventLogs<typeof CONTRACT_EVENTS>>[number],
  wallet: Wallet,
): void {
  for (const { seriesId, long = 0n, short = 0n, paid = 0n } of changesOf(log, wallet)) {
    const key = `${log.transactionHash} ${seriesId}`
    const before = found.get(key)
    const isFill = log.eventName === 'OrderFilled'
    const kind = isFill
      ? isAddressEqual(log.args.maker, wallet.address) === log.args.makerSelling
        ? 'sold'
        : 'bought'
      : KINDS[log.eventName]
    // Options that a fill took from inventory or closed are part of the fill.
    const isPart = log.eventName === 'TransferSingle' && paid !== null
    const amount = isFill
      ? log.args.optionAmount
      : contracts(long > 0n ? long : short > 0n ? short : long < 0n ? -long : -short)
    found.set(key, {
      transactionHash: log.transactionHash,
      blockNumber: log.blockNumber,
      seriesId: String(seriesId),
      kinds:
        kind === undefined || isPart || before?.kinds.includes(kind)
          ? (before?.kinds ?? [])
          : [...(before?.kinds ?? []), kind],
      amount: isFill || before === undefined || before.premium === null ? contracts(amount) : before.amount,
      premium: isFill ? usd6((before?.premium ?? 0n) + log.args.premiumAmount) : (before?.premium ?? null),
      long: (before?.long ?? 0n) + long,
      short: (before?.short ?? 0n) + short,
      paid: before?.paid === null || paid === null ? null : usd6((before?.paid ?? 0n) + paid),
    })
  }
}

async function blockTimes({ publicClient }: Wallet, blocks: readonly bigint[]): Promise<Map<bigint, number>> {
  const times = new Map<bigint, number>()
  for (const blockNumber of blocks) {
    times.set(blockNumber, Number((await publicClient.getBlock({ blockNumber })).timestamp))
  }
  return times
}
