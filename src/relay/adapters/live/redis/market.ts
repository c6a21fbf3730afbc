import { createListeners } from '@rfqctl/lib/listeners'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { NoEpochError, type RunFunction } from './functions.ts'

/** The market in Redis as a whole: detects its loss and restores it. */
export type Market = ReturnType<typeof createMarket>

/** 0 before this node has seen an epoch. */
export type NewestEpoch = { value: number }

export const CHECK_MS = 1_000

/** The market was lost again meanwhile, as while an address leads to one server and to another. */
function refuseEmpty(fault: unknown): never {
  if (!(fault instanceof NoEpochError)) throw fault
  throw new RfqError('store_unavailable', { detail: 'The live market is being restored.', cause: fault })
}

/** The operator's remedy for a Redis that has gone back in time. */
const HINT = 'Lead the address to the current primary only; a former one comes back as its replica.'

/** One node has this long to restore everything before another one begins again, in milliseconds. */
const FILL_MS = 10_000

/**
 * Watches over the market. When Redis was emptied the first node to notice begins a new epoch, which the durable store
 * counts, so ids of events rise even so (decision M1).
 */
export function createMarket(parts: {
  /** The bare functions, without the renewal of epochs. */
  run: RunFunction
  clock: Clock
  log: Log
  raiseEpoch: (above?: number) => Promise<number>
  /** For nodes that start later: they have seen no market before the one that they find. */
  noteBegunEpoch: (epoch: number) => Promise<void>
  /** The durable store no longer knows a market of an epoch below this one: it counts as lost. */
  lowestEpoch: number
  newest: NewestEpoch
}) {
  const { run, clock, log, raiseEpoch, noteBegunEpoch, lowestEpoch, newest } = parts
  const refills = new Set<() => Promise<void>>()
  const listeners = createListeners()
  const learners = createListeners()
  let known: string | null = null
  /** Redis went back in time, and not all is restored yet. */
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

  /** Learns the epoch of the current market, and begins a new one where there is none, or an old one. */
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
    learners.call()
    if (!isFirst) listeners.call()
  }

  /** Restores the market if it was lost. */
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
    /** Runs work that needs an epoch; begins one when there is none. */
    withEpoch: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work()
      } catch (fault) {
        if (!(fault instanceof NoEpochError)) throw fault
        await beginAgain()
        return work().catch(refuseEmpty)
      }
    },
    /** Begins an epoch where the market was lost, and restores nothing: its former content must not be shown. */
    begin: async (): Promise<void> => {
      const [state, epoch] = await run<[string, string]>('claim', clock.now(), 0, lowest)
      if (state === 'empty') await beginEpoch(Number(epoch))
    },
    check,
    /** Fails with `store_unavailable` from when Redis was found to have gone back in time until all is restored. */
    assertRenewed: (): void => {
      if (isOld) throw new RfqError('store_unavailable', { detail: 'Redis has gone back in time, and is put back.' })
    },
    /** The durable store went back in time: a market of an epoch below this one is lost and restored from it. */
    renew: (lowestEpoch: number): Promise<void> => {
      lowest = Math.max(lowest, lowestEpoch)
      return check()
    },
    /** `refill` restores all open requests; one node at a time runs it. */
    onEmptied: (refill: () => Promise<void>): Stop => {
      refills.add(refill)
      return () => refills.delete(refill)
    },
    /** Called when the epoch changes: whatever else was in Redis is gone too. */
    onNewEpoch: listeners.add,
    /** Called for each epoch learned, the first included: Redis may have been emptied before this node first looked. */
    onEpoch: learners.add,
  }
}
