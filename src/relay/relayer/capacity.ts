import { createBudget, createWindow } from '@rfqctl/lib/limits'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address } from '@rfqctl/protocol/domain/units'
import { gasCost } from './fill-rules.ts'
import type { Purse, RelayerSettings } from './ports.ts'

/** `reason` is a sentence; `waitMs` is set where time alone ends the standstill. */
export type Standstill = { reason: string; waitMs: number | null }

/** Times are Unix milliseconds. */
export type Capacity = ReturnType<typeof createCapacity>

/** `client` is the address that submitted the fill. */
export type Party = { client: string; taker: Address }

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Fills per client and taker that may waste gas within an hour: a wallet can pass all simulations, then fail. */
const MAX_REVERTS = 3

/** Queued fills per taker: each passes its simulation with the same money, and all but one may fail later. */
const MAX_OF_TAKER = 4

/** Likely wait until one of them is sent, seconds. */
const TURN_S = 5

/** Key under which all fills are counted together. */
const ALL = 'all'

export function createCapacity(settings: RelayerSettings) {
  const { maxGas, maxGasPrice, maxCoinPerDay, maxQueue, maxFillsPerHour, maxFillsPerClient, coinPrice, fee } = settings
  const fills = createWindow({ max: maxFillsPerHour, withinMs: HOUR_MS })
  const clients = createWindow({ max: maxFillsPerClient, withinMs: HOUR_MS })
  const reverts = createWindow({ max: MAX_REVERTS, withinMs: HOUR_MS })
  const coin = createBudget({ withinMs: DAY_MS })

  /** A fill may cost as much as its limits allow, because prices rise while it waits. */
  const mostCost = maxGas * maxGasPrice
  const hasCoin = (now: number) => coin.used(now) + mostCost <= maxCoinPerDay

  function standstill({ queued, purse, now }: { queued: number; purse: Purse; now: number }): Standstill | null {
    if (queued >= maxQueue) return { reason: 'Its queue is full.', waitMs: 2_000 }
    const waitMs = fills.waitMs(ALL, now)
    if (waitMs > 0) return { reason: `It has taken ${maxFillsPerHour} fills within the hour.`, waitMs }
    if (!hasCoin(now)) return { reason: 'It has spent what it may spend on gas within 24 hours.', waitMs: null }
    if (purse.gasPrice > maxGasPrice) return { reason: 'Gas costs more than it pays.', waitMs: null }
    if (purse.coin < maxGas * purse.gasPrice) return { reason: 'Its wallet has too little coin for gas.', waitMs: null }
    return null
  }

  return {
    /** Reason why no fill is accepted now; null when some are. */
    standstill,
    /** Throws `too_many_requests` when a client or taker has used its share; `waiting` counts its queued fills. */
    assertShare: ({ client, taker }: Party, { waiting, now }: { waiting: number; now: number }): void => {
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
    /** Throws `relayer_unavailable` when the fee does not pay for the gas; needs a coin price. */
    assertPaid: (gas: bigint, gasPrice: bigint): void => {
      if (coinPrice === null || gasCost(gas, gasPrice, coinPrice) <= fee) return
      throw new RfqError('relayer_unavailable', { detail: 'The gas of this fill costs more than the fee now.' })
    },
    /**
     * Counts an accepted fill. The returned function takes it off the total, but not off its client's count, when it is
     * never sent.
     */
    take: ({ client }: Party, now: number): (() => void) => {
      clients.add(client, now)
      return fills.add(ALL, now)
    },
    /** Reserves a fill's coin. The returned function settles it at its cost, wei; null when too little is left. */
    hold: (now: number): ((cost: bigint) => void) | null => (hasCoin(now) ? coin.hold(mostCost, now) : null),
    /** Counts a fill that cost gas and failed. */
    countRevert: ({ client, taker }: Party, now: number): void => {
      reverts.add(client, now)
      reverts.add(taker, now)
    },
    /** Coin spent or reserved within 24 hours, wei. */
    usedToday: coin.used,
  }
}
