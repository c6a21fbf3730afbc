import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Store } from '../../../core/ports/store.ts'
import { TOUCH } from './back-in-time.ts'
import type { Database } from './database.ts'
import { IS_OWN_ROW } from './schema/functions.ts'

const HOUR_MS = 3_600_000

/**
 * The nonce of a request and wallet, else the wallet's next; no row where the base of nonces is not known to be good. The row of the
 * wallet is compared once it is locked: bases only rise, so one that was read before the lock was waited for moves none back. Of two
 * calls for one request at the same time the first is answered twice, and the nonce of the second is left out.
 */
const allot = (also = ''): string => `
  with base as (select nonce_base as now from store_meta where ${IS_OWN_ROW}),
  former as (select nonce from allotments where request_id = $1 and wallet = $2),
  taken as (
    insert into nonces as held (wallet, next, base)
    select $2, base.now + 1, base.now from base where not exists (select from former)
    on conflict (wallet) do update set base = greatest(held.base, excluded.base),
      next = case when held.base >= excluded.base then held.next + 1 else excluded.next end
    returning next - 1 as nonce
  ),
  allotted as (
    insert into allotments as first (request_id, wallet, nonce) select $1, $2, nonce from taken
    on conflict (request_id, wallet) do update set nonce = first.nonce returning nonce
  )
  select nonce${also} from former union all select nonce${also} from allotted`

const ALLOT = allot()

/**
 * This one transaction is not flushed: the acceptance that carries the nonce flushes all that was written before it,
 * and restores what a crash of the server undid in between. The flush was a third of what a commit waited for
 * (benchmark P10).
 */
const ALLOT_UNFLUSHED = allot(`, set_config('synchronous_commit', 'off', true)`)

/** The row is the lock: of concurrent claims, one inserts or moves it. Expired rows are deleted by an index. */
const CLAIM = `
  with over as (delete from faucet_claims where claimed_at <= (select now_ms()) - greatest($2, ${HOUR_MS}) and wallet <> $1)
  insert into faucet_claims as claims select $1, now_ms()
  where (select count(*) from faucet_claims where claimed_at > (select now_ms()) - ${HOUR_MS}) < $3
  on conflict (wallet) do update set claimed_at = excluded.claimed_at
  where claims.claimed_at + $2 <= excluded.claimed_at returning 1`

/** Why there was no turn; null: no obstacle is left. */
const WHY = `
  select now_ms() as now,
    (select claimed_at + $2 from faucet_claims where wallet = $1) as own,
    (select case when count(*) >= $3 then coalesce(min(claimed_at), now_ms()) + ${HOUR_MS} end
     from faucet_claims where claimed_at > (select now_ms()) - ${HOUR_MS}) as anybodys`

/**
 * Nonces of orders, and turns at the faucet by the database's clock, each allotted once. Nodes may exceed an hour's
 * turns by one each.
 */
export function createAllocations({ query }: Database): Pick<Store, 'allotNonce' | 'faucetClaims'> {
  const claim: Store['faucetClaims']['claim'] = async (wallet, limits) => {
    const asked = [wallet.toLowerCase(), limits.cooldownMs, limits.perHour]
    if ((await query(CLAIM, asked)).length > 0) return { kind: 'claimed' }
    const [why] = await query<{ now: number; own: number | null; anybodys: number | null }>(WHY, asked)
    const { now = 0, own = null, anybodys = null } = why ?? {}
    if (own !== null && own > now) return { kind: 'cooldown', until: own }
    if (anybodys !== null) return { kind: 'exhausted', until: anybodys }
    // Returned between the two statements: a turn is free again.
    return claim(wallet, limits)
  }

  const release: Store['faucetClaims']['release'] = async (wallet) => {
    await query('delete from faucet_claims where wallet = $1', [wallet.toLowerCase()])
  }

  return {
    allotNonce: async (requestId, wallet, isShown = false) => {
      const find = async () =>
        (await query<{ nonce: number }>(isShown ? ALLOT : ALLOT_UNFLUSHED, [requestId, wallet.toLowerCase()]))[0]
      const allotted = (await find()) ?? (await query(TOUCH).then(find))
      if (allotted === undefined) throw new RfqError('store_unavailable', { detail: 'The store is being restored.' })
      return allotted.nonce
    },
    faucetClaims: { claim, release },
  }
}
