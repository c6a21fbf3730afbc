import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { type Option, unpackLegs } from '@rfqctl/protocol/domain/option'
import type { SeriesId, SeriesTerms } from '@rfqctl/protocol/domain/series'
import { type TradedSeries, type TradeEvent, type TradeRecord, tradesOf } from '@rfqctl/protocol/domain/trade-history'
import { type StrikeBps, usd6 } from '@rfqctl/protocol/domain/units'
import type { PublicActions } from './discovery.ts'
import { SERIES_BATCH_BYTES } from './series-batch.ts'
import { readPositions } from './settlement.ts'
import type { Wallet } from './wallet.ts'
import { readEventsBack, type WalletEvent } from './wallet-events.ts'

/** A trade as the chain has it. */
type ChainTrade = TradeRecord & TradedSeries

/** Trade of a wallet, with its series. */
export type WalletTrade = TradeRecord &
  TradedSeries & {
    /** The question of its market; null where the relay does not know it. */
    market: string | null
  }

/** Trades of a wallet. */
export type TradeHistory = {
  /** The one with the newest event first. */
  trades: WalletTrade[]
  /** Whether the node had the events of every block that they need; otherwise, older trades are missing. */
  isComplete: boolean
}

type Held = { long: bigint; short: bigint }

/**
 * Reads a wallet's trades from the events of both contracts, without a relay; `since`, in Unix seconds, leaves out those without an event
 * from then on, and blocks that they do not need.
 */
export async function readTradeHistory(
  wallet: Wallet,
  { since = 0, signal }: { since?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<{ trades: ChainTrade[]; isComplete: boolean }> {
  const { number: head, timestamp } = await wallet.publicClient.getBlock({ blockTag: 'latest' })
  let events: WalletEvent[] = []
  let isComplete = false
  for await (const { events: earlier, from } of readEventsBack(wallet, { head, signal })) {
    events = [...earlier, ...events]
    isComplete =
      from === 0n || ((await isBefore(wallet, from, since)) && (await heldBefore(wallet, events, head)).size === 0)
    if (isComplete) break
  }
  const before = await heldBefore(wallet, events, head)
  const series = await readSeries(wallet, idsOf(events), timestamp)
  const timed = await withTimes(wallet, events, signal)
  const trades = tradesOf({ events: timed, before, series, now: Number(timestamp) })
    .filter(({ events }) => events.some(({ time }) => time >= since))
    .map((trade) => ({ ...trade, ...(series.get(trade.seriesId) as TradedSeries) }))
  return { trades, isComplete }
}

/** Adds the questions of markets, as far as a relay answers: the chain has only their hashes. */
export async function withMarkets(
  trades: readonly ChainTrade[],
  { listSeries, listMarkets }: Pick<PublicActions, 'listSeries' | 'listMarkets'>,
  signal?: AbortSignal,
): Promise<WalletTrade[]> {
  const [series, markets] = await Promise.all([listSeries({ packages: true, signal }), listMarkets({ signal })]).catch(
    () => [[], []],
  )
  const names = new Map(markets.map((market) => [marketKey(market), market.name]))
  const questions = new Map(series.map((terms) => [terms.seriesId, names.get(marketKey(terms))]))
  return trades.map((trade) => ({ ...trade, market: questions.get(trade.seriesId) ?? null }))
}

const marketKey = ({ conditionId, yesTokenId }: Pick<SeriesTerms, 'conditionId' | 'yesTokenId'>): string =>
  `${conditionId} ${yesTokenId}`

const idsOf = (events: readonly WalletEvent[]): SeriesId[] => [...new Set(events.map(({ seriesId }) => seriesId))]

async function isBefore({ publicClient }: Wallet, blockNumber: bigint, time: number): Promise<boolean> {
  if (time === 0) return false
  return Number((await publicClient.getBlock({ blockNumber })).timestamp) < time
}

/** Positions from before the events: those of now, less what the events changed. Empty ones are left out. */
async function heldBefore(wallet: Wallet, events: readonly WalletEvent[], head: bigint): Promise<Map<SeriesId, Held>> {
  const seriesIds = idsOf(events)
  const held = new Map<SeriesId, Held>(seriesIds.map((seriesId) => [seriesId, { long: 0n, short: 0n }]))
  for (const { seriesId, ...position } of await readPositions(wallet, seriesIds, head)) held.set(seriesId, position)
  for (const { seriesId, long, short } of events) {
    const after = held.get(seriesId) as Held
    held.set(seriesId, { long: after.long - long, short: after.short - short })
  }
  return new Map([...held].filter(([, { long, short }]) => long !== 0n || short !== 0n))
}

/** States of series at a time of the chain, Unix seconds: a price counts once it is final. */
async function readSeries(
  { publicClient, setup }: Wallet,
  seriesIds: readonly SeriesId[],
  now: bigint,
): Promise<Map<SeriesId, TradedSeries>> {
  const callsOf = <Name extends 'getSeries' | 'legsOf'>(functionName: Name) => ({
    contracts: seriesIds.map(
      (seriesId) =>
        ({ address: setup.coreAddress, abi: serviceCoreAbi, functionName, args: [BigInt(seriesId)] }) as const,
    ),
    allowFailure: false as const,
    deployless: true,
    batchSize: SERIES_BATCH_BYTES,
  })
  const states = await publicClient.multicall(callsOf('getSeries'))
  const legs = await publicClient.multicall(callsOf('legsOf'))
  return new Map(
    states.map(({ optionType, strikeBps, expiry, payoff, settled, finalAt }, index) => {
      const option: Option =
        optionType === 2
          ? unpackLegs(legs[index]?.[0] ?? 0n)
          : { optionType: optionType === 0 ? 'call' : 'put', strikeBps: strikeBps as StrikeBps }
      const isFinal = settled && finalAt <= now
      return [
        seriesIds[index] as SeriesId,
        {
          option,
          expiry: Number(expiry),
          payoff: isFinal ? usd6(BigInt(payoff)) : null,
        },
      ]
    }),
  )
}

/** Blocks asked for at a time. */
const AT_A_TIME = 16

/** Adds the times of blocks that the node did not send with their events. */
async function withTimes(
  { publicClient }: Wallet,
  events: readonly WalletEvent[],
  signal: AbortSignal | undefined,
): Promise<TradeEvent[]> {
  const missing = [...new Set(events.flatMap(({ time, blockNumber }) => (time === null ? [blockNumber] : [])))]
  const times = new Map<bigint, number>()
  for (let start = 0; start < missing.length; start += AT_A_TIME) {
    signal?.throwIfAborted()
    const blocks = missing.slice(start, start + AT_A_TIME)
    const read = await Promise.all(blocks.map((blockNumber) => publicClient.getBlock({ blockNumber })))
    for (const { number, timestamp } of read) times.set(number, Number(timestamp))
  }
  return events.map((event) => ({ ...event, time: event.time ?? times.get(event.blockNumber) ?? 0 }))
}
