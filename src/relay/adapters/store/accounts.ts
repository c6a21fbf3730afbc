import type { ApiKey, Store, User } from '../../core/ports/store.ts'
import type { StoreBase } from './db.ts'
import type { Draft, UserRow } from './tables.ts'

/** Precision of a key's last use, in milliseconds: not every call is worth a write. */
export const USE_PRECISION_MS = 60_000

export function createAccounts({ clock, db }: StoreBase): Pick<Store, 'users' | 'apiKeys' | 'blocks'> {
  /** When a use was last recorded, by keyId. */
  const recordedAt = new Map<string, number>()
  const active = (key: ApiKey | undefined): ApiKey | null => (key === undefined || key.revokedAt !== null ? null : key)

  return {
    users: {
      findOrCreate: (fresh) =>
        db.change((draft) => {
          const known = draft.get('users', fresh.idpDid)
          if (known !== undefined) return userOf(known)
          draft.set('users', fresh.idpDid, { ...fresh, mayChoose: true })
          return fresh
        }),
      settleMakerId: (which) => db.change((draft) => settleMakerId(draft, which)),
    },
    apiKeys: {
      insert: (key, mostActive) => db.change((draft) => insert(draft, key, mostActive)),
      findByDigest: async (digest) => active(db.tables().apiKeys.get(digest)),
      listActive: async (userId) => {
        await db.flush()
        return [...db.tables().apiKeys.values()]
          .filter((key) => key.userId === userId && key.revokedAt === null)
          .sort((a, b) => a.createdAt - b.createdAt)
      },
      revoke: (which) => {
        const now = clock.now()
        recordedAt.delete(which.keyId)
        return db.change((draft) => revoke(draft, { ...which, now }))
      },
      recordUse: ({ keyId, digest }) => {
        const now = clock.now()
        if (now < (recordedAt.get(keyId) ?? 0) + USE_PRECISION_MS) return
        recordedAt.set(keyId, now)
        db.changeLater((draft) => {
          const key = active(draft.get('apiKeys', digest))
          if (key !== null) draft.set('apiKeys', digest, { ...key, lastUsedAt: now })
        })
      },
    },
    blocks: {
      decide: (decision) => db.change((draft) => draft.set('blocks', decision.makerId, decision)),
      list: async () => [...db.tables().blocks.values()].sort((a, b) => a.at - b.at),
    },
  }
}

const userOf = ({ mayChoose: _, ...user }: UserRow): User => user

function settleMakerId(
  draft: Draft,
  { idpDid, chosen }: { idpDid: string; chosen: string | null },
): User | 'settled' | 'taken' {
  const row = draft.get('users', idpDid)
  if (row === undefined) throw new Error('a makerId is settled for a user that there is not')
  const user = userOf(row)
  const makerId = chosen ?? user.makerId
  if (row.mayChoose === undefined) return makerId === user.makerId ? user : 'settled'
  if (makerId !== user.makerId) {
    // A former version, which knows nothing of choices, may have made a key meanwhile.
    for (const [, key] of draft.rows('apiKeys')) if (key.userId === user.userId) return 'settled'
    for (const [, other] of draft.rows('users')) if (other.makerId === makerId) return 'taken'
  }
  const settled = { ...user, makerId }
  draft.set('users', idpDid, settled)
  return settled
}

/** A digest belongs to one key forever: a second one would let one secret speak for two makers. */
function insert(draft: Draft, key: ApiKey, mostActive: number): boolean {
  if (draft.get('apiKeys', key.digest) !== undefined)
    throw new Error(`the API key ${key.keyId} has the digest of another`)
  let ofUser = 0
  for (const [, { userId, revokedAt }] of draft.rows('apiKeys'))
    if (userId === key.userId && revokedAt === null) ofUser += 1
  if (ofUser >= mostActive) return false
  draft.set('apiKeys', key.digest, key)
  return true
}

function revoke(draft: Draft, { keyId, userId, now }: { keyId: string; userId: string; now: number }): ApiKey | null {
  let revoked: ApiKey | null = null
  for (const [digest, key] of draft.rows('apiKeys')) {
    const isMeant = key.keyId === keyId && key.userId === userId && key.revokedAt === null
    // Also deletes rows of former versions, which kept them for a month.
    if (isMeant || key.revokedAt !== null) draft.delete('apiKeys', digest)
    if (isMeant) revoked = { ...key, revokedAt: now }
  }
  return revoked
}
