import type { Clock, Log, Stop } from '../../../relay/ports/runtime.ts'
import { NoEpochError, type RunFunction } from './functions.ts'

/** What is in Redis, as a whole: whether it is there at all, and how it comes back. */
export type Market = {
  /** Does something that needs an epoch; begins one when there is none. */
  withEpoch: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Begins an epoch where the market was lost, and puts nothing back: no one may be shown what was in it. */
  begin: () => Promise<void>
  /** Looks whether the market was lost, and puts it back. */
  check: () => Promise<void>
  /** The durable store went back in time: a market of an epoch below this one is lost, and is put back from it. */
  renew: (lowestEpoch: number) => Promise<void>
  /** Puts all open requests back; run by one node at a time. */
  onEmptied: (refill: () => Promise<void>) => Stop
  /** Hears that the epoch is another one: whatever else was in Redis is gone too. */
  onNewEpoch: (listener: () => void) => Stop
  /** Hears of each epoch that this node learns of, the first one too: Redis may have been emptied before it ever looked. */
  onEpoch: (listener: () => void) => Stop
}

/** How often each node looks, in milliseconds. */
export const CHECK_MS = 1_000

/** How long one node may take to put everything back before another one begins again, in milliseconds. */
const FILL_MS = 10_000

/**
 * Watches over the market. When Redis was emptied the first who notices begins a new epoch, which the durable store counts:
 * ids of events rise even so (decision M1).
 */
export function createMarket({
  run,
  clock,
  log,
  raiseEpoch,
  lowestEpoch,
}: {
  run: RunFunction
  clock: Clock
  log: Log
  raiseEpoch: (above?: number) => Promise<number>
  /** A market of an epoch below it is one of what the durable store has forgotten: it counts as lost. */
  lowestEpoch: number
}): Market {
  const refills = new Set<() => Promise<void>>()
  const listeners = new Set<() => void>()
  const learners = new Set<() => void>()
  let known: string | null = null
  let lowest = lowestEpoch

  async function beginEpoch(above = Number(known)): Promise<void> {
    const epoch = await raiseEpoch(above)
    if ((await run<number>('begin', epoch, lowest)) === 1) log.warn('market_begun', { count: epoch })
  }

  function notice(epoch: string): void {
    if (known === epoch) return
    const isFirst = known === null
    known = epoch
    for (const learner of learners) learner()
    if (!isFirst) for (const listener of listeners) listener()
  }

  async function check(): Promise<void> {
    const [state, epoch] = await run<[string, string]>('claim', clock.now(), FILL_MS, lowest)
    if (state === 'empty') {
      await beginEpoch(Number(epoch))
      return check()
    }
    notice(epoch)
    if (state !== 'yours') return
    for (const refill of refills) await refill()
    await run('filled', epoch)
  }

  return {
    withEpoch: async (work) => {
      try {
        return await work()
      } catch (fault) {
        if (!(fault instanceof NoEpochError)) throw fault
        await beginEpoch()
        return work()
      }
    },
    begin: async () => {
      const [state, epoch] = await run<[string, string]>('claim', clock.now(), 0, lowest)
      if (state === 'empty') await beginEpoch(Number(epoch))
    },
    check,
    renew: (lowestEpoch) => {
      lowest = Math.max(lowest, lowestEpoch)
      return check()
    },
    onEmptied: (refill) => {
      refills.add(refill)
      return () => refills.delete(refill)
    },
    onNewEpoch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onEpoch: (listener) => {
      learners.add(listener)
      return () => learners.delete(listener)
    },
  }
}
