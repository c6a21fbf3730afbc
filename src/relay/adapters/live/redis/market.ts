import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
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
  /** Fails with `store_unavailable` from when Redis was found to have gone back in time until all is put back. */
  assertRenewed: () => void
}

/** The newest epoch that this node has seen, 0 before it has seen one. */
export type NewestEpoch = { value: number }

/** How often each node looks, in milliseconds. */
export const CHECK_MS = 1_000

/** What an operator does about a Redis that has gone back in time. */
const HINT = 'Lead the address to the current primary only; a former one comes back as its replica.'

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
  noteBegunEpoch,
  lowestEpoch,
  newest,
}: {
  /** The functions as they are, which know nothing of epochs that begin. */
  run: RunFunction
  clock: Clock
  log: Log
  raiseEpoch: (above?: number) => Promise<number>
  /** For nodes that start later: they have seen no market before the one that they find. */
  noteBegunEpoch: (epoch: number) => Promise<void>
  /** A market of an epoch below it is one of what the durable store has forgotten: it counts as lost. */
  lowestEpoch: number
  newest: NewestEpoch
}): Market {
  const refills = new Set<() => Promise<void>>()
  const listeners = new Set<() => void>()
  const learners = new Set<() => void>()
  let known: string | null = null
  /** Redis had gone back in time, and it is not all put back yet. */
  let isOld = false
  let lowest = lowestEpoch

  async function beginEpoch(above: number): Promise<void> {
    if (above > 0 && above < newest.value) {
      if (!isOld) log.error('redis_went_back', { count: above, hint: HINT })
      isOld = true
    }
    const epoch = await raiseEpoch(Math.max(above, newest.value))
    if ((await run<number>('begin', epoch, lowest)) !== 1) return
    newest.value = Math.max(newest.value, epoch)
    log.warn('market_begun', { count: epoch })
    await noteBegunEpoch(epoch)
  }

  /** Learns the epoch of whatever market there is, and begins a new one where that is none, or an old one. */
  async function beginAgain(): Promise<void> {
    const [state, epoch] = await run<[string, string]>('claim', clock.now(), 0, lowest)
    if (state === 'empty') await beginEpoch(Number(epoch))
    else notice(epoch)
  }

  function notice(epoch: string): void {
    if (known === epoch) return
    newest.value = Math.max(newest.value, Number(epoch))
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
    if (state === 'ready') isOld = false
    if (state !== 'yours') return
    for (const refill of refills) await refill()
    await run('filled', epoch)
    isOld = false
  }

  return {
    withEpoch: async (work) => {
      try {
        return await work()
      } catch (fault) {
        if (!(fault instanceof NoEpochError)) throw fault
        await beginAgain()
        return work()
      }
    },
    begin: async () => {
      const [state, epoch] = await run<[string, string]>('claim', clock.now(), 0, lowest)
      if (state === 'empty') await beginEpoch(Number(epoch))
    },
    check,
    assertRenewed: () => {
      if (isOld) throw new RfqError('store_unavailable', { detail: 'Redis has gone back in time, and is put back.' })
    },
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
