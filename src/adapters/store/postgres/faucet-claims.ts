import type { Store } from '../../../relay/ports/store.ts'
import type { Database } from './database.ts'

/** The row is the lock: of many that ask at once, one inserts or moves it. */
const CLAIM = `
  insert into faucet_claims as claims values ($1, now_ms())
  on conflict (wallet) do update set claimed_at = excluded.claimed_at
  where claims.claimed_at + $2 <= excluded.claimed_at returning 1`

/** The turns that wallets took at the faucet, by the database's clock (ruling S6). */
export function createFaucetClaims({ query }: Database): Store['faucetClaims'] {
  const claim: Store['faucetClaims']['claim'] = async (wallet, cooldownMs) => {
    const claimer = wallet.toLowerCase()
    if ((await query(CLAIM, [claimer, cooldownMs])).length > 0) return { kind: 'claimed' }
    const [row] = await query<{ until: number }>(
      'select claimed_at + $2 as until from faucet_claims where wallet = $1',
      [claimer, cooldownMs],
    )
    // Given back between the two: its turn again.
    return row === undefined ? claim(wallet, cooldownMs) : { kind: 'cooldown', until: row.until }
  }

  return {
    claim,
    release: async (wallet) => {
      await query('delete from faucet_claims where wallet = $1', [wallet.toLowerCase()])
    },
  }
}
