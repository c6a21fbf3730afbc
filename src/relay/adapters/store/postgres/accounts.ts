import type { ApiKey, BlockDecision, Store, User } from '../../../core/ports/store.ts'
import { USE_PRECISION_MS } from '../accounts.ts'
import { type BufferParts, createBuffer, type Lossy } from './buffer.ts'
import type { Database } from './database.ts'

const USER = 'user_id as "userId", idp_did as "idpDid", maker_id as "makerId", created_at as "createdAt"'

const API_KEY = `key_id as "keyId", user_id as "userId", maker_id as "makerId", name, prefix, digest,
  created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

const RECORD_USES = `
  update api_keys set last_used_at = greatest(last_used_at, at)
  from unnest($1::text[], $2::bigint[]) as uses (used, at) where digest = used and revoked_at is null`

export function createAccounts(
  { query }: Database,
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
        const [row] = await query<{ result: User | 'settled' | 'taken' }>('select settle_maker_id($1, $2) as result', [
          idpDid,
          chosen,
        ])
        if (row === undefined) throw new Error('settle_maker_id has no result')
        return row.result
      },
    },
    apiKeys: {
      insert: async (key, mostActive) => {
        const [row] = await query<{ inserted: boolean }>('select insert_api_key($1, $2) as inserted', [key, mostActive])
        return row?.inserted === true
      },
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
