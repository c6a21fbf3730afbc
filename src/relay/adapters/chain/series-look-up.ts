import { setTimeout as delay } from 'node:timers/promises'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { SeriesState } from '../../core/ports/chain.ts'

/** How often the chain is polled for ids that the index does not have, milliseconds: anyone may ask for any number. */
const POLL_INTERVAL_MS = 1_000
/** Ids that are looked for at a time; a few calls to the node. */
const MAX_ASKED = 256
/** How long one waits for a poll that has begun, milliseconds. The poll itself goes on. */
const WAIT_MS = 5_000

const pause = (ms: number) => delay(ms, undefined, { ref: false })

/**
 * What looks for series that the index does not have: by a refresh, and where the core knows one that no refresh has
 * found, by its own event. All who ask within a second share one poll, which begins after they have asked. Refuses with
 * `chain_unavailable` when there are too many of them, and when the poll takes too long.
 */
export function createLookUp({
  find,
  refresh,
  readStates,
  recall,
  now,
  sleep = pause,
}: {
  find: (seriesId: SeriesId) => Series | null
  refresh: () => Promise<void>
  readStates: (ids: readonly SeriesId[]) => Promise<readonly (SeriesState | null)[]>
  recall: (seriesId: SeriesId, state: SeriesState) => Promise<void>
  now: () => number
  sleep?: (ms: number) => Promise<unknown>
}): (seriesId: SeriesId) => Promise<Series | null> {
  let asked = new Set<SeriesId>()
  let next: Promise<void> | null = null
  let polledAt = Number.NEGATIVE_INFINITY

  async function scheduleLookUp(): Promise<void> {
    const waitMs = polledAt + POLL_INTERVAL_MS - now()
    await (waitMs > 0 ? sleep(waitMs) : null)
    const ids = [...asked]
    asked = new Set()
    next = null
    polledAt = now()
    await Promise.race([poll(ids), sleep(WAIT_MS).then(() => Promise.reject(busy()))])
  }

  async function poll(ids: readonly SeriesId[]): Promise<void> {
    await refresh()
    const unknown = ids.filter((seriesId) => find(seriesId) === null)
    if (unknown.length === 0) return
    const states = await readStates(unknown)
    for (const [index, seriesId] of unknown.entries()) {
      const state = states[index] ?? null
      if (state !== null) await recall(seriesId, state)
    }
  }

  return async (seriesId) => {
    const known = find(seriesId)
    if (known !== null) return known
    if (asked.size >= MAX_ASKED) throw busy()
    asked.add(seriesId)
    next ??= scheduleLookUp()
    await next
    return find(seriesId)
  }
}

const busy = (): RfqError => new RfqError('chain_unavailable', { data: { retryAfterS: 1 } })
