import type { FaucetLimits, FaucetTurn, Store } from '../../relay/ports/store.ts'
import type { StoreBase } from './db.ts'
import type { Draft } from './tables.ts'

/** What a store allots, each once: nonces of orders, and turns at the faucet. */
export function createAllocations({ clock, db }: StoreBase): Pick<Store, 'allotNonce' | 'faucetClaims'> {
  return {
    allotNonce: (requestId, wallet) => db.change((draft) => allotNonce(draft, requestId, wallet.toLowerCase())),
    faucetClaims: {
      claim: (wallet, limits) => {
        const now = clock.now()
        return db.change((draft) => claimFaucet(draft, { wallet: wallet.toLowerCase(), now, ...limits }))
      },
      release: (wallet) => {
        const now = clock.now()
        return db.change((draft) => releaseFaucet(draft, { wallet: wallet.toLowerCase(), now }))
      },
    },
  }
}

/** The nonces of one store epoch and wallet (decision C7). */
const NONCES_PER_EPOCH = 2 ** 32

/** The nonce of a (request, wallet): the one given before, else the wallet's next (decision C7). */
function allotNonce(draft: Draft, requestId: string, wallet: string): number {
  const allotted = draft.get('allotments', requestId) ?? {}
  const earlier = allotted[wallet]
  if (earlier !== undefined) return earlier
  const first = (draft.get('counters', 'storeEpoch') ?? 0) * NONCES_PER_EPOCH
  const nonce = draft.get('nonces', wallet) ?? first
  draft.set('nonces', wallet, nonce + 1)
  draft.set('allotments', requestId, { ...allotted, [wallet]: nonce })
  return nonce
}

const HOUR_MS = 3_600_000

/** Takes a wallet's turn unless its last one is less than `cooldownMs` ago, or this hour's turns are taken. */
function claimFaucet(
  draft: Draft,
  { wallet, cooldownMs, perHour, now }: FaucetLimits & { wallet: string; now: number },
): FaucetTurn {
  // The claims lie in the order of time: those that are over come first.
  for (const [claimer, claimedAt] of draft.rows('faucetClaims')) {
    if (claimedAt + cooldownMs > now) break
    draft.delete('faucetClaims', claimer)
  }
  const claimedAt = draft.get('faucetClaims', wallet)
  if (claimedAt !== undefined && claimedAt + cooldownMs > now)
    return { kind: 'cooldown', until: claimedAt + cooldownMs }
  const taken = takenInHour(draft, now)
  if (taken >= perHour) return { kind: 'exhausted', until: (hourOf(now) + 1) * HOUR_MS }
  draft.set('counters', 'faucetHour', hourOf(now))
  draft.set('counters', 'faucetTaken', taken + 1)
  draft.set('faucetClaims', wallet, now)
  return { kind: 'claimed' }
}

/** Gives a turn back, the hour's too. */
function releaseFaucet(draft: Draft, { wallet, now }: { wallet: string; now: number }): void {
  if (draft.get('faucetClaims', wallet) === undefined) return
  draft.delete('faucetClaims', wallet)
  const taken = takenInHour(draft, now)
  if (taken > 0) draft.set('counters', 'faucetTaken', taken - 1)
}

const hourOf = (now: number): number => Math.floor(now / HOUR_MS)

const takenInHour = (draft: Draft, now: number): number =>
  draft.get('counters', 'faucetHour') === hourOf(now) ? (draft.get('counters', 'faucetTaken') ?? 0) : 0
