import { RfqError } from '../../domain/errors.ts'

/** Host names of this machine, as a browser writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses a browser page from elsewhere with `origin_not_allowed`. Only for a relay in open mode, which listens on the
 * loopback only and has no key to tell a maker from a web page that a visitor happens to look at (ruling M5).
 */
export function assertLocalOrigin(origin: string | undefined): void {
  if (origin === undefined) return
  if (!URL.canParse(origin) || !LOOPBACK.has(new URL(origin).hostname)) throw new RfqError('origin_not_allowed')
}
