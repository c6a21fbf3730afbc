import type { Draft } from './tables.ts'

/** The nonces of one store epoch and wallet (ruling C7). */
const NONCES_PER_EPOCH = 2 ** 32

/** The nonce of a (request, wallet): the one given before, else the wallet's next (ruling C7). */
export function allotNonce(draft: Draft, requestId: string, wallet: string): number {
  const allotted = draft.get('allotments', requestId) ?? {}
  const earlier = allotted[wallet]
  if (earlier !== undefined) return earlier
  const first = (draft.get('counters', 'storeEpoch') ?? 0) * NONCES_PER_EPOCH
  const nonce = draft.get('nonces', wallet) ?? first
  draft.set('nonces', wallet, nonce + 1)
  draft.set('allotments', requestId, { ...allotted, [wallet]: nonce })
  return nonce
}

/** Takes a wallet's turn at the faucet unless its last one is less than `cooldownMs` ago (ruling S6). */
export function claimFaucet(
  draft: Draft,
  { wallet, cooldownMs, now }: { wallet: string; cooldownMs: number; now: number },
): { kind: 'claimed' } | { kind: 'cooldown'; until: number } {
  for (const [claimer, claimedAt] of draft.rows('faucetClaims')) {
    if (claimedAt + cooldownMs <= now) draft.delete('faucetClaims', claimer)
  }
  const claimedAt = draft.get('faucetClaims', wallet)
  if (claimedAt !== undefined) return { kind: 'cooldown', until: claimedAt + cooldownMs }
  draft.set('faucetClaims', wallet, now)
  return { kind: 'claimed' }
}
