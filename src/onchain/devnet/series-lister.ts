import { type SeriesTerms, seriesIdOf } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { DevClient } from './client.ts'
import { registerSeries } from './seed.ts'
import { readNextBlockTime } from './warp.ts'

/** How often the embedded chain is looked at for series that are due, milliseconds; the shortest live ten minutes. */
const INTERVAL_MS = 15_000

/** Registers the series that `seriesAt` gives for a time of the chain, Unix seconds. */
export type SeriesLister = {
  /** Registers what is due now. Throws an `Error` that names the series whose registration failed. */
  listDue: () => Promise<void>
  /** Goes on with that until it is stopped. A chain that does not answer is asked again at the next turn. */
  keepListing: () => { stop: () => Promise<void> }
}

/** A lister for the contracts of an embedded chain. `owner` is the core's owner, an unlocked account of the chain. */
export function createSeriesLister({
  client,
  owner,
  coreAddress,
  seriesAt,
}: {
  client: DevClient
  owner: Address
  coreAddress: Address
  seriesAt: (time: number) => readonly SeriesTerms[]
}): SeriesLister {
  let listed = new Set<string>()

  async function listDue(): Promise<void> {
    const due = seriesAt(await readNextBlockTime(client))
    const ids = due.map(seriesIdOf)
    if (ids.every((id) => listed.has(id))) return
    await registerSeries(client, { owner, coreAddress, series: due })
    listed = new Set(ids)
  }

  return {
    listDue,
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
