import { RfqError } from '../domain/errors.ts'
import type { Relay } from '../relay/relay.ts'

/** Host names of this machine, as a browser writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a relay takes makers without a key (decision M5). */
export async function isOpen(relay: Pick<Relay, 'authenticateMaker'>): Promise<boolean> {
  try {
    await relay.authenticateMaker(null)
    return true
  } catch {
    return false
  }
}

/**
 * Refuses a browser page from elsewhere with `origin_not_allowed`. Only for a relay in open mode, which listens on the
 * loopback only and has no key to tell a maker from a web page that a visitor happens to look at (decision M5).
 */
export function assertLocalOrigin(origin: string | undefined): void {
  if (origin !== undefined && !isLocal(origin)) throw new RfqError('origin_not_allowed')
}

/** Refuses a maker's call of a browser page from elsewhere where the relay is open. */
export async function assertOriginOfMaker(relay: Pick<Relay, 'authenticateMaker'>, origin: string): Promise<void> {
  if (!isLocal(origin) && (await isOpen(relay))) throw new RfqError('origin_not_allowed')
}

const isLocal = (origin: string): boolean => URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)
