import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { RfqError } from '../../domain/errors.ts'
import type { Clock, Log } from '../../relay/ports/runtime.ts'
import { fetchJson } from '../json-source.ts'

/** The least time between two questions to the provider, whatever it answered: strangers' tokens must not flood it. */
const PAUSE_MS = 30_000

/** From which age on keys are asked for again, so that one that was taken back is soon not taken any more. */
const FRESH_MS = 60_000

/** How old keys may become when the provider does not answer (fault B10). */
const EXPIRED_MS = 600_000

/** How long the provider may take for its answer. */
const DEADLINE_MS = 5_000

/**
 * Finds the key of a token among those that a provider publishes. An unknown one is asked for, but not within 30 s of the
 * last question. In an outage the former keys hold for 10 min; then it refuses with `identity_unavailable`, which is also
 * the answer to an unknown key that no one can be asked about. `deadlineMs` is for tests.
 */
export function createKeySet({
  url,
  clock,
  log,
  deadlineMs = DEADLINE_MS,
}: {
  url: string
  clock: Pick<Clock, 'now'>
  log: Log
  deadlineMs?: number
}): JWTVerifyGetKey {
  let keys: { find: JWTVerifyGetKey; at: number } | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let isDown = false

  /** Asks for the keys, unless that was done just now. Never fails: what came of it shows in `keys` and `isDown`. */
  async function refresh(): Promise<void> {
    if (asking === null) {
      const now = clock.now()
      if (now < askedAt + PAUSE_MS) return
      askedAt = now
      asking = ask(now).finally(() => {
        asking = null
      })
    }
    return asking
  }

  async function ask(at: number): Promise<void> {
    try {
      const answer = await fetchJson(new URL(url), AbortSignal.timeout(deadlineMs))
      keys = { find: createLocalJWKSet(answer as JSONWebKeySet), at }
      if (isDown) log.info('identity_provider_back')
      isDown = false
    } catch (fault) {
      if (!isDown) log.warn('identity_provider_down', { fault })
      isDown = true
    }
  }

  const ageMs = (): number => (keys === null ? Number.POSITIVE_INFINITY : clock.now() - keys.at)

  async function current(): Promise<JWTVerifyGetKey> {
    // No one waits for a slow provider while the former keys are good.
    if (ageMs() >= EXPIRED_MS) await refresh()
    else if (ageMs() >= FRESH_MS) void refresh()
    if (keys === null || ageMs() >= EXPIRED_MS) throw new RfqError('identity_unavailable')
    return keys.find
  }

  return async (header, token) => {
    const find = await current()
    try {
      return await find(header, token)
    } catch (fault) {
      if (!(fault instanceof errors.JWKSNoMatchingKey)) throw fault
    }
    await refresh()
    if (isDown) throw new RfqError('identity_unavailable')
    return (await current())(header, token)
  }
}
