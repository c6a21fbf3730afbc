import type { FaucetLimits, FaucetTurn, Store } from '../../core/ports/store.ts'
import { freshNonceBase } from '../ids.ts'
import type { StoreBase } from './db.ts'
import type { Draft } from './tables.ts'

export function createAllocations({ clock, db }: StoreBase): Pick<Store, 'allotNonce' | 'faucetClaims'> {
  const nonceOf = createNonces(db, freshNonceBase(clock.now()))
  return {
    allotNonce: async (requestId, owner, isShown = false) => {
      const wallet = owner.toLowerCase()
      const nonce = nonceOf(requestId, wallet)
      if (isShown && db.tables().allotments.get(requestId)?.[wallet] === undefined)
        await db.change((draft) => {
          // Nothing may be kept for a closed request: it would never be removed.
          if (draft.get('requests', requestId) !== undefined) keepNonce(draft, { requestId, wallet, nonce })
        })
      return nonce
    },
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

/** From this many requests with cached nonces on, those that are written or over are dropped. */
const SWEEP_AT = 1_000

/**
 * The nonce of a (request, wallet): the one given before, otherwise the wallet's next, from a base that no opening of a
 * store has had. So nonces given out before are not looked up, and may be forgotten (decision C7). It is written later,
 * at the latest with the acceptance that carries it.
 */
function createNonces(
  { tables, changeLater }: StoreBase['db'],
  base: number,
): (requestId: string, wallet: string) => number {
  /** By request and wallet; possibly not written yet. */
  const given = new Map<string, Map<string, number>>()
  const next = new Map<string, number>()
  let sweepAt = SWEEP_AT

  function sweep(): void {
    const { requests } = tables()
    for (const requestId of given.keys()) if (!requests.has(requestId)) given.delete(requestId)
    sweepAt = Math.max(SWEEP_AT, 2 * given.size)
  }

  return (requestId, wallet) => {
    const { allotments } = tables()
    const ofRequest = given.get(requestId) ?? new Map<string, number>()
    const earlier = allotments.get(requestId)?.[wallet] ?? ofRequest.get(wallet)
    if (earlier !== undefined) return earlier
    if (given.size >= sweepAt) sweep()
    const nonce = next.get(wallet) ?? base
    next.set(wallet, nonce + 1)
    given.set(requestId, ofRequest.set(wallet, nonce))
    changeLater((draft) => keepNonce(draft, { requestId, wallet, nonce }))
    return nonce
  }
}

export function keepNonce(
  draft: Draft,
  { requestId, wallet, nonce }: { requestId: string; wallet: string; nonce: number },
): void {
  const allotted = draft.get('allotments', requestId) ?? {}
  if (allotted[wallet] !== undefined) return
  draft.set('allotments', requestId, { ...allotted, [wallet]: nonce })
}

const HOUR_MS = 3_600_000

/** Takes a wallet's turn unless its last one is less than `cooldownMs` ago, or this hour's turns are taken. */
function claimFaucet(
  draft: Draft,
  { wallet, cooldownMs, perHour, now }: FaucetLimits & { wallet: string; now: number },
): FaucetTurn {
  for (const [claimer, claimedAt] of draft.rows('faucetClaims'))
    if (claimedAt + cooldownMs <= now) draft.delete('faucetClaims', claimer)
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

/** Gives the hour's turn back, too. */
function releaseFaucet(draft: Draft, { wallet, now }: { wallet: string; now: number }): void {
  if (draft.get('faucetClaims', wallet) === undefined) return
  draft.delete('faucetClaims', wallet)
  const taken = takenInHour(draft, now)
  if (taken > 0) draft.set('counters', 'faucetTaken', taken - 1)
}

const hourOf = (now: number): number => Math.floor(now / HOUR_MS)

const takenInHour = (draft: Draft, now: number): number =>
  draft.get('counters', 'faucetHour') === hourOf(now) ? (draft.get('counters', 'faucetTaken') ?? 0) : 0
