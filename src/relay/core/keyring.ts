import type { Context } from './context.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { Stop } from './ports/runtime.ts'
import type { ApiKey } from './ports/store.ts'

export type KeyRef = Pick<ApiKey, 'keyId' | 'digest'>

/** A quote must not cost a look-up, and a revoked key must stop at once. */
export type Keyring = ReturnType<typeof createKeyring>

/** Milliseconds without another look-up of a verified key, also in an outage of the store (docs/guides/operator/scaling.md). */
const VERIFIED_MS = 30_000

/**
 * Milliseconds without another look-up of an unknown digest, and their number. No one can ask for a key before it is
 * stored, since its secret is random and returned after that: a new key works at once, on all nodes.
 */
const UNKNOWN_MS = 10_000
const MAX_UNKNOWN = 10_000

/** Longer than a look-up that found the key still active can take, milliseconds. */
const REVOKED_MS = 60_000

const RECHECKS_AT_ONCE = 4

type Watcher = KeyRef & { onRevoked: () => void }

/** Listens on the bus until it is stopped. */
export function createKeyring(context: Context) {
  const { store, bus, clock, ids } = context
  /** By digest, the longest verified first. */
  const verified = new Map<string, { key: ApiKey; at: number }>()
  /** Unix milliseconds by digest, oldest first. */
  const unknown = new Map<string, number>()
  const lookups = new Map<string, Promise<ApiKey | null>>()
  /** Unix milliseconds by keyId, oldest first. */
  const revoked = new Map<string, number>()
  const watchers = new Set<Watcher>()

  /** Concurrent calls with one key share its look-up. */
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

  const stop = bus.subscribe('key', 'revoked', drop)

  return {
    /** The active key, at most 30 s old; null for an unknown key, undefined if it must be looked up. */
    recall: (digest: string): ApiKey | null | undefined => {
      const now = clock.now()
      const known = verified.get(digest)
      if (known !== undefined && now < known.at + VERIFIED_MS) return known.key
      const unknownAt = unknown.get(digest)
      return unknownAt !== undefined && now < unknownAt + UNKNOWN_MS ? null : undefined
    },
    /** Refuses with `store_unavailable`. */
    find: lookUp,
    /** Calls back once when the key is revoked on any node; at once if it already is. */
    watch: ({ keyId, digest }: KeyRef, onRevoked: () => void): Stop => {
      const watcher = { keyId, digest, onRevoked }
      if (revoked.has(keyId)) onRevoked()
      else watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    /** For keys revoked on this node. Resolves when the message is on its way to all nodes, or cannot be sent. */
    revoke: async (keyId: string): Promise<void> => {
      drop(keyId)
      try {
        await bus.publish('key', 'revoked', keyId)
      } catch (fault) {
        context.log.error('revocation_not_told', { fault })
      }
    },
    /** Looks up the watched keys again: a message of the bus may be lost (fault B7). */
    recheck: (): Promise<void> => {
      const watched = new Map([...watchers].map(({ keyId, digest }) => [keyId, digest]))
      return forEachLimited(watched, RECHECKS_AT_ONCE, async ([keyId, digest]) => {
        if ((await lookUp(digest)) === null) drop(keyId)
      })
    },
    stop,
  }
}

/** The map must be in order of time. */
function dropOlder<Value>(map: Map<string, Value>, isOld: (value: Value) => boolean): void {
  for (const [name, value] of map) {
    if (!isOld(value)) return
    map.delete(name)
  }
}
