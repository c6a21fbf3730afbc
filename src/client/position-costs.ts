import type { Position } from '@rfqctl/protocol/domain/position'
import { costOf, type PositionChange, type PositionCost } from '@rfqctl/protocol/domain/position-cost'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { usd6 } from '@rfqctl/protocol/domain/units'
import { readPositions } from './settlement.ts'
import type { Wallet } from './wallet.ts'
import { readEventsBack, type WalletEvent } from './wallet-events.ts'

/** Position with its cost to the wallet. */
export type CostedPosition = Position & {
  /** Premiums, fees and collateral paid, less what came back. */
  cost: PositionCost
}

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
  for await (const { events } of readEventsBack(wallet, { head, signal })) {
    addChanges(changes, events)
    if (isDone()) break
  }
  return costed()
}

/** Adds up the changes of each transaction in each series, newest first; a fill is several events of it. */
function addChanges(changes: Map<SeriesId, Map<string, PositionChange>>, events: readonly WalletEvent[]): void {
  for (const { kind, seriesId, transactionHash, long, short, paid, received } of events.toReversed()) {
    const ofSeries = changes.get(seriesId) ?? new Map<string, PositionChange>()
    const before = ofSeries.get(transactionHash) ?? { long: 0n, short: 0n, paid: usd6(0n) }
    const isMoved = before.paid === null || kind === 'received' || kind === 'sent'
    ofSeries.set(transactionHash, {
      long: before.long + long,
      short: before.short + short,
      paid: isMoved ? null : usd6((before.paid ?? 0n) + paid - received),
    })
    changes.set(seriesId, ofSeries)
  }
}
