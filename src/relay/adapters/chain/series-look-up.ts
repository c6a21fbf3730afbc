import { setTimeout as delay } from 'node:timers/promises'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { SeriesState } from '../../core/ports/chain.ts'

/** Minimum interval of polls for unknown ids, milliseconds: anyone may ask for any number. */
const POLL_INTERVAL_MS = 1_000
/** Ids per poll: a few calls to the node. */
const MAX_ASKED = 256
/** The longest wait for a running poll, milliseconds. The poll itself continues. */
const WAIT_MS = 5_000

const pause = (ms: number) => delay(ms, undefined, { ref: false })

/**
 * Finds series that the index does not have: by a refresh, and by its own event where the core knows a series that no
 * refresh has found. Calls within a second share one poll that begins after them. Refuses with `chain_unavailable` when
 * there are too many calls, or the poll takes too long.
 */
export function createLookUp(parts: {
  find: (seriesId: SeriesId) => Series | null
  refresh: () => Promise<void>
  readStates: (ids: readonly SeriesId[]) => Promise<readonly (SeriesState | null)[]>
  recall: (seriesId: SeriesId, state: SeriesState) => Promise<void>
  now: () => number
  sleep?: (ms: number) => Promise<unknown>
}): (seriesId: SeriesId) => Promise<Series | null> {
  const { find, refresh, readStates, recall, now, sleep = pause } = parts
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
