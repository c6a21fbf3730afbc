import { type SeriesTerms, seriesIdOf } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { DevClient } from './client.ts'
import { registerSeries } from './seed.ts'
import { readNextBlockTime } from './warp.ts'

/** Interval of looks for due series, milliseconds; the shortest live ten minutes. */
const INTERVAL_MS = 15_000

/**
 * Registers the series that `seriesAt` gives for a chain time, Unix seconds. `owner` is the core's owner, an unlocked
 * account of the chain.
 */
export function createSeriesLister(parts: {
  client: DevClient
  owner: Address
  coreAddress: Address
  seriesAt: (time: number) => readonly SeriesTerms[]
}) {
  const { client, owner, coreAddress, seriesAt } = parts
  let listed = new Set<string>()

  /** Throws an `Error` that names the series whose registration failed. */
  async function listDue(): Promise<void> {
    const due = seriesAt(await readNextBlockTime(client))
    const ids = due.map(seriesIdOf)
    if (ids.every((id) => listed.has(id))) return
    await registerSeries(client, { owner, coreAddress, series: due })
    listed = new Set(ids)
  }

  return {
    listDue,
    /** Repeats that until stopped. A chain that does not answer is asked again at the next turn. */
    keepListing() {
      let underWay: Promise<void> | null = null
      const timer = setInterval(() => {
        underWay ??= listDue()
          .catch(() => {})
          .finally(() => {
            underWay = null
          })
      }, INTERVAL_MS)
      return {
        async stop() {
          clearInterval(timer)
          await underWay
        },
      }
    },
  }
}
