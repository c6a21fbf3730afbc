import { type Budget, createBudget, createWindow } from '@rfqctl/lib/limits'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address } from '@rfqctl/protocol/domain/units'
import { gasCost } from './fill-rules.ts'
import type { Purse, RelayerSettings } from './ports.ts'

/** What keeps a relayer from taking fills, as a sentence; `waitMs` where time alone mends it. */
export type Standstill = { reason: string; waitMs: number | null }

/** What is left of a relayer's limits. Times are Unix milliseconds. */
export type Capacity = {
  /** Why no fill is taken at all now; null: some are. */
  standstill: (state: { queued: number; purse: Purse; now: number }) => Standstill | null
  /** Throws `too_many_requests` where one client, or one taker, has had its share; `waiting`: fills of the taker that wait. */
  assertShare: (party: Party, state: { waiting: number; now: number }) => void
  /** Throws `relayer_unavailable` where the fee does not pay for the gas, and a coin price says so. */
  assertPaid: (gas: bigint, gasPrice: bigint) => void
  /** Counts a fill that is taken, and returns what takes it back among all where it is never sent. */
  take: (party: Party, now: number) => () => void
  /** Holds the coin that a fill may cost, and returns what settles it at its cost, wei; null: there is not so much left. */
  hold: (now: number) => ((cost: bigint) => void) | null
  /** Counts a fill that cost gas and failed. */
  countRevert: (party: Party, now: number) => void
  /** The coin that was spent or is held within 24 hours, wei. */
  usedToday: Budget['used']
}

/** Who is behind a fill: the address that it came from, and its taker. */
export type Party = { client: string; taker: Address }

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Fills of a client, or of a taker, that may cost gas in vain within an hour: a wallet can pass every trial and then fail. */
const MAX_REVERTS = 3

/** Fills of one taker that wait: each passes its trial with the same money, and all but one may fail when their turn comes. */
const MAX_OF_TAKER = 4

/** When one of them is likely to have had its turn, seconds. */
const TURN_S = 5

/** The one name under which all fills are counted. */
const ALL = 'all'

/** Full limits. */
export function createCapacity(settings: RelayerSettings): Capacity {
  const { maxGas, maxGasPrice, maxCoinPerDay, maxQueue, maxFillsPerHour, maxFillsPerClient, coinPrice, fee } = settings
  const fills = createWindow({ max: maxFillsPerHour, withinMs: HOUR_MS })
  const clients = createWindow({ max: maxFillsPerClient, withinMs: HOUR_MS })
  const reverts = createWindow({ max: MAX_REVERTS, withinMs: HOUR_MS })
  const coin = createBudget({ withinMs: DAY_MS })

  /** The most that a fill can cost is what its limits let it: prices rise while it waits. */
  const mostCost = maxGas * maxGasPrice
  const hasCoin = (now: number) => coin.used(now) + mostCost <= maxCoinPerDay

  function standstill({ queued, purse, now }: Parameters<Capacity['standstill']>[0]): Standstill | null {
    if (queued >= maxQueue) return { reason: 'Its queue is full.', waitMs: 2_000 }
    const waitMs = fills.waitMs(ALL, now)
    if (waitMs > 0) return { reason: `It has taken ${maxFillsPerHour} fills within the hour.`, waitMs }
    if (!hasCoin(now)) {
      return { reason: 'It has spent what it may spend on gas within 24 hours.', waitMs: null }
    }
    if (purse.gasPrice > maxGasPrice) return { reason: 'Gas costs more than it pays.', waitMs: null }
    if (purse.coin < maxGas * purse.gasPrice) return { reason: 'Its wallet has too little coin for gas.', waitMs: null }
    return null
  }

  return {
    standstill,
    assertShare: ({ client, taker }, { waiting, now }) => {
      if (waiting >= MAX_OF_TAKER) {
        const detail = `${waiting} fills of this taker wait for their turn.`
        throw new RfqError('too_many_requests', { detail, data: { retryAfterS: TURN_S } })
      }
      const waits = [clients.waitMs(client, now), reverts.waitMs(client, now), reverts.waitMs(taker, now)]
      const waitMs = Math.max(...waits)
      if (waitMs === 0) return
      const detail = 'This address or this taker has had as many fills as one may have in an hour.'
      throw new RfqError('too_many_requests', { detail, data: { retryAfterS: Math.ceil(waitMs / 1_000) } })
    },
    assertPaid: (gas, gasPrice) => {
      if (coinPrice === null || gasCost(gas, gasPrice, coinPrice) <= fee) return
      throw new RfqError('relayer_unavailable', { detail: 'The gas of this fill costs more than the fee now.' })
    },
    take: ({ client }, now) => {
      clients.add(client, now)
      return fills.add(ALL, now)
    },
    hold: (now) => (hasCoin(now) ? coin.hold(mostCost, now) : null),
    countRevert: ({ client, taker }, now) => {
      reverts.add(client, now)
      reverts.add(taker, now)
    },
    usedToday: coin.used,
  }
}
