import type { Store } from '../../../core/ports/store.ts'
import type { Database } from './database.ts'

const HOUR_MS = 3_600_000

/**
 * This one transaction is not flushed: the acceptance that carries the nonce flushes all that was written before it,
 * and restores what a crash of the server undid in between. The flush was a third of what a commit waited for
 * (benchmark P10).
 */
const ALLOT = `select set_config('synchronous_commit', 'off', true), allot_nonce($1, $2) as nonce`

const ALLOT_FLUSHED = 'select allot_nonce($1, $2) as nonce'

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
      const rows = await query<{ nonce: number }>(isShown ? ALLOT_FLUSHED : ALLOT, [requestId, wallet.toLowerCase()])
      return (rows[0] as { nonce: number }).nonce
    },
    faucetClaims: { claim, release },
  }
}
