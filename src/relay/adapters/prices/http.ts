import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Log } from '../../core/ports/runtime.ts'
import type { PriceSource } from '../../core/ports/sources.ts'
import { createJsonSource, type JsonSource, sourceFault } from '../json-source.ts'

/** The finest fidelity of the API. */
const FIDELITY_MINUTES = '1'

/** Unix seconds stay below this for three thousand years, Unix milliseconds have been above it since 1973. */
const FIRST_MILLISECONDS = 1e11

/**
 * Price histories of a public prediction-market API: `{ history: [{ t, p }] }`. A point that is not a price between 0
 * and 1 at a whole Unix second is dropped and counted, never repaired (fault G4). Refuses with
 * `price_source_unavailable` an answer without a history, and one in which every point is unusable: then the source
 * uses another format.
 */
export function createHttpPrices(parts: { url: string; log: Pick<Log, 'warn'>; source?: JsonSource }): PriceSource {
  const { url, log, source = createJsonSource({ url }) } = parts
  return {
    async history(yesTokenId, from, to) {
      const query = { market: yesTokenId, startTs: `${from}`, endTs: `${to}`, fidelity: FIDELITY_MINUTES }
      const entries = entriesOf(await source.get(query))
      const faults = entries.map(faultOf).filter((fault) => fault !== null)
      if (faults.length > 0) {
        log.warn('price_points_dropped', { count: faults.length, reason: [...new Set(faults)].join(', ') })
        if (faults.length === entries.length) throw sourceFault(`none of its points are usable: ${faults[0]}`)
      }
      const points = entries.filter((entry): entry is PricePoint => faultOf(entry) === null)
      return points.filter(({ t }) => t >= from && t <= to).map(({ t, p }) => ({ t, p }))
    },
  }
}

function entriesOf(answer: unknown): readonly unknown[] {
  const history = typeof answer === 'object' && answer !== null && 'history' in answer ? answer.history : null
  if (!Array.isArray(history)) throw sourceFault('its answer has no history')
  return history
}

/** Null for a valid price point. */
function faultOf(entry: unknown): string | null {
  if (typeof entry !== 'object' || entry === null) return 'not an object'
  const { t, p } = entry as Partial<Record<'t' | 'p', unknown>>
  if (typeof t !== 'number' || !Number.isSafeInteger(t) || t < 0) return 'no time in Unix seconds'
  if (t >= FIRST_MILLISECONDS) return 'time in milliseconds'
  if (typeof p !== 'number' || !Number.isFinite(p)) return 'no number as price'
  return p < 0 || p > 1 ? 'price outside 0 to 1' : null
}
