import type { Log } from '../relay/ports/log.ts'
import type { Meter } from '../relay/ports/operations.ts'

/** Notes that a key came in a query, where proxies and browser histories keep it: counted, and warned of once (decision M6). */
export function createQueryKeyNote({ log, meter }: { log: Log; meter: Meter }): () => void {
  let warned = false
  return () => {
    meter.keyInQuery()
    if (!warned) log.warn('api_key_in_query', { reason: 'proxies may log it: send X-API-Key or an auth message' })
    warned = true
  }
}
