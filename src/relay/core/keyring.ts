import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { Stop } from './ports/runtime.ts'
import type { ApiKey } from './ports/store.ts'

/** A self-serve key, by the two names that the relay has for it. */
export type KeyRef = Pick<ApiKey, 'keyId' | 'digest'>

/** The self-serve keys that are in use. A quote must not cost a look-up, and a revoked key must stop at once. */
export type Keyring = {
  /** What is known of a digest: its active key as of 30 s ago at most, null for one that is no key, undefined where it must be looked up. */
  recall: (digest: string) => ApiKey | null | undefined
  /** Looks up the active key of a digest. Refuses with `store_unavailable` when no one can tell. */
  find: (digest: string) => Promise<ApiKey | null>
  /** Calls back once when the key is revoked, wherever that was done; at once when it already is. */
  watch: (key: KeyRef, onRevoked: () => void) => Stop
  /** A key was revoked here: tells everyone. Resolves when the news is on its way to all nodes, or cannot be sent. */
  revoke: (keyId: string) => Promise<void>
  /** Looks again whether the keys of those who watch are active: a message of the bus may be lost (fault B7). */
  recheck: () => Promise<void>
  stop: Stop
}

/** How long a verified key is not looked up again, and goes on in an outage of the store (docs/scaling.md). */
const VERIFIED_MS = 30_000

/**
 * How long a digest that is no key is not looked up again, and how many are remembered. No one can ask for a key before it is
 * made, since its secret is random and told after it is stored: so that a new key works at once, on all nodes.
 */
const UNKNOWN_MS = 10_000
const MAX_UNKNOWN = 10_000

/** How long a revoked key is remembered: longer than a look-up can take that found it still active. */
const REVOKED_MS = 60_000

/** Keys that are looked up again at the same time. */
const RECHECKS_AT_ONCE = 4

type Watcher = KeyRef & { onRevoked: () => void }

/** A keyring over the store's keys, listening on the bus until it is stopped. */
export function createKeyring(context: Context): Keyring {
  const { store, bus, clock, ids } = context
  /** By digest, the longest verified first. */
  const verified = new Map<string, { key: ApiKey; at: number }>()
  /** When a digest was found to be no key, oldest first. */
  const unknown = new Map<string, number>()
  const lookups = new Map<string, Promise<ApiKey | null>>()
  /** When a key was revoked, by keyId, oldest first. */
  const revoked = new Map<string, number>()
  const watchers = new Set<Watcher>()

  /** Makers that come at the same time with one key share its look-up. */
  function lookUp(digest: string): Promise<ApiKey | null> {
    const running = lookups.get(digest)
    if (running !== undefined) return running
    const lookup = read(digest).finally(() => lookups.delete(digest))
    lookups.set(digest, lookup)
    return lookup
  }

  async function read(digest: string): Promise<ApiKey | null> {
    const at = clock.now()
    const key = await store.apiKeys.findByDigest(digest)
    verified.delete(digest)
    if (key === null || revoked.has(key.keyId) || !ids.isSameDigest(key.digest, digest)) return noteUnknown(digest, at)
    dropOlder(verified, ({ at: verifiedAt }) => verifiedAt + VERIFIED_MS <= at)
    verified.set(digest, { key, at })
    return key
  }

  function noteUnknown(digest: string, at: number): null {
    dropOlder(unknown, (notedAt) => notedAt + UNKNOWN_MS <= at || unknown.size >= MAX_UNKNOWN)
    unknown.delete(digest)
    unknown.set(digest, at)
    return null
  }

  function drop(keyId: string): void {
    const now = clock.now()
    dropOlder(revoked, (at) => at + REVOKED_MS <= now)
    revoked.set(keyId, now)
    for (const [digest, { key }] of verified) if (key.keyId === keyId) verified.delete(digest)
    for (const watcher of watchers) {
      if (watcher.keyId !== keyId) continue
      watchers.delete(watcher)
      watcher.onRevoked()
    }
  }

  const unsubscribe = bus.subscribe('key', 'revoked', drop)

  return {
    recall: (digest) => {
      const now = clock.now()
      const known = verified.get(digest)
      if (known !== undefined && now < known.at + VERIFIED_MS) return known.key
      const unknownAt = unknown.get(digest)
      return unknownAt !== undefined && now < unknownAt + UNKNOWN_MS ? null : undefined
    },
    find: lookUp,
    watch: ({ keyId, digest }, onRevoked) => {
      const watcher = { keyId, digest, onRevoked }
      if (revoked.has(keyId)) onRevoked()
      else watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    revoke: async (keyId) => {
      drop(keyId)
      try {
        await bus.publish('key', 'revoked', keyId)
      } catch (fault) {
        context.log.error('revocation_not_told', { fault })
      }
    },
    recheck: () => {
      const watched = new Map([...watchers].map(({ keyId, digest }) => [keyId, digest]))
      return forEachLimited(watched, RECHECKS_AT_ONCE, async ([keyId, digest]) => {
        if ((await lookUp(digest)) === null) drop(keyId)
      })
    },
    stop: unsubscribe,
  }
}

/** Lets go of the first entries of a map that is in the order of time. */
function dropOlder<Value>(map: Map<string, Value>, isOld: (value: Value) => boolean): void {
  for (const [name, value] of map) {
    if (!isOld(value)) return
    map.delete(name)
  }
}
