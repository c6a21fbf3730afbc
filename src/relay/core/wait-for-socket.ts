import type { Context } from './context.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'

/**
 * Waits up to the grace for a socket (decision C5). Checks at once, since the maker may have connected during the
 * reads.
 */
export async function waitForSocket(
  { presence, clock, settings, protections }: Pick<Context, 'presence' | 'clock' | 'settings' | 'protections'>,
  makerId: string,
): Promise<boolean> {
  // A maker that cancels on disconnect allows no longer wait than its own grace.
  const ownEnd = (await protections.graceEnd(makerId)) ?? Number.POSITIVE_INFINITY
  const graceEnd = Math.min(clock.now() + settings.makerOfflineGraceMs, ownEnd)
  let pollAt = clock.now()
  return waitFor<boolean>(clock, {
    listen: (end) => presence.onSocket((joined) => joined === makerId && end(true)),
    poll: async () => {
      if (await presence.hasSocket(makerId)) return true
      pollAt = Math.min(clock.now() + POLL_INTERVAL_MS, graceEnd)
      return clock.now() >= graceEnd ? false : null
    },
    nextPoll: () => pollAt,
  })
}
