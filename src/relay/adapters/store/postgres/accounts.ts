import type { ApiKey, BlockDecision, Store, User } from '../../../core/ports/store.ts'
import { USE_PRECISION_MS } from '../accounts.ts'
import { type BufferParts, createBuffer, type Lossy } from './buffer.ts'
import type { Database } from './database.ts'

const USER = 'user_id as "userId", idp_did as "idpDid", maker_id as "makerId", created_at as "createdAt"'

const API_KEY = `key_id as "keyId", user_id as "userId", maker_id as "makerId", name, prefix, digest,
  created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

/** One row, compared once it is locked; the unique index of maker_id lets one of two users have a makerId. */
const SETTLE = `
  update users set maker_id = coalesce($2, maker_id), may_choose = false
  where idp_did = $1 and (may_choose or coalesce($2, maker_id) = maker_id) returning ${USER}`

/** Postgres's error for a value that a unique index has already. */
const UNIQUE_VIOLATION = '23505'

/** A key settles the makerId. The lock lets no one make a key of the same user between the count and the insert. */
const LOCK_USER = 'update users set may_choose = false where user_id = $1'

const INSERT_KEY = `
  insert into api_keys (digest, key_id, user_id, maker_id, name, prefix, created_at)
  select $1, $2, user_id, maker_id, $3, $4, $5 from users
  where user_id = $6 and (select count(*) from api_keys where user_id = $6 and revoked_at is null) < $7 returning 1`

const RECORD_USES = `
  update api_keys set last_used_at = greatest(last_used_at, at)
  from unnest($1::text[], $2::bigint[]) as uses (used, at) where digest = used and revoked_at is null`

export function createAccounts(
  { query, transaction }: Database,
  { clock, log }: BufferParts,
): Pick<Store, 'users' | 'apiKeys' | 'blocks' | 'close'> & Lossy {
  /** When a use was last recorded, by keyId. */
  const recordedAt = new Map<string, number>()
  const uses = createBuffer<{ digest: string; at: number }>({
    clock,
    log,
    write: (items) => query(RECORD_USES, [items.map(({ digest }) => digest), items.map(({ at }) => at)]),
  })
  const findUser = async (idpDid: string) =>
    (await query<User>(`select ${USER} from users where idp_did = $1`, [idpDid]))[0]

  return {
    users: {
      findOrCreate: async (fresh) => {
        const { idpDid, userId, makerId, createdAt } = fresh
        const known = await findUser(idpDid)
        if (known !== undefined) return known
        await query(
          `insert into users (idp_did, user_id, maker_id, created_at, may_choose) values ($1, $2, $3, $4, true)
           on conflict (idp_did) do nothing`,
          [idpDid, userId, makerId, createdAt],
        )
        return (await findUser(idpDid)) ?? fresh
      },
      settleMakerId: async ({ idpDid, chosen }) => {
        const settled = await query<User>(SETTLE, [idpDid, chosen]).catch((fault) => {
          if ((fault as { code?: unknown }).code === UNIQUE_VIOLATION) return 'taken' as const
          throw fault
        })
        return settled === 'taken' ? settled : (settled[0] ?? 'settled')
      },
    },
    apiKeys: {
      insert: (key, mostActive) =>
        transaction(async (query) => {
          await query(LOCK_USER, [key.userId])
          const { keyId, userId, name, prefix, digest, createdAt } = key
          return (await query(INSERT_KEY, [digest, keyId, name, prefix, createdAt, userId, mostActive])).length > 0
        }),
      findByDigest: async (digest) => {
        const [key] = await query<ApiKey>(`select ${API_KEY} from api_keys where digest = $1 and revoked_at is null`, [
          digest,
        ])
        return key ?? null
      },
      listActive: async (userId) => {
        await uses.flush()
        return query<ApiKey>(
          `select ${API_KEY} from api_keys where user_id = $1 and revoked_at is null order by created_at, key_id`,
          [userId],
        )
      },
      revoke: async ({ keyId, userId }) => {
        recordedAt.delete(keyId)
        const [key] = await query<ApiKey & { now: number }>(
          `delete from api_keys where key_id = $1 and user_id = $2 and revoked_at is null returning ${API_KEY}, now_ms() as now`,
          [keyId, userId],
        )
        if (key === undefined) return null
        const { now, ...revoked } = key
        return { ...revoked, revokedAt: now }
      },
      recordUse: ({ keyId, digest }) => {
        const at = clock.now()
        if (at < (recordedAt.get(keyId) ?? 0) + USE_PRECISION_MS) return
        recordedAt.set(keyId, at)
        uses.add({ digest, at })
      },
    },
    blocks: {
      decide: async (decision) => {
        await query(
          `insert into blocks values ($1, $2, $3)
           on conflict (maker_id) do update set at = excluded.at, body = excluded.body`,
          [decision.makerId, decision.at, decision],
        )
      },
      list: async () =>
        (await query<{ body: BlockDecision }>('select body from blocks order by at')).map(({ body }) => body),
    },
    lost: uses.lost,
    close: uses.close,
  }
}
