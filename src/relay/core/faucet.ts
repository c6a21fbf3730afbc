import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import { assertWallet } from './tradable.ts'

/** What the faucet gives a wallet in micro-dollars, and how long until it gives again. */
export type FaucetTerms = { amount: Usd6; cooldownMs: number }

/** The terms of the faucet; null when there is none. */
export const faucetTerms = ({ faucet, settings }: Pick<Context, 'faucet' | 'settings'>): FaucetTerms | null =>
  faucet === null ? null : { amount: settings.faucetAmount, cooldownMs: settings.faucetCooldownMs }

/**
 * Sends test stablecoin to a wallet, once per cooldown and so often an hour in all; a failed transfer gives the turn back.
 */
export async function drip(context: Context, wallet: Address): Promise<{ amount: Usd6; txHash: Hex }> {
  const { faucet, store, clock, settings, log } = context
  assertWallet(context, 'wallet', wallet)
  if (faucet === null) throw new RfqError('faucet_not_configured')
  const limits = { cooldownMs: settings.faucetCooldownMs, perHour: settings.faucetMaxPerHour }
  const turn = await store.faucetClaims.claim(wallet, limits)
  if (turn.kind !== 'claimed') {
    const retryAfterS = Math.max(1, Math.ceil((turn.until - clock.now()) / 1_000))
    if (turn.kind === 'exhausted') throw new RfqError('faucet_exhausted', { data: { retryAfterS } })
    throw new RfqError('faucet_cooldown', { data: { retryAfterS } })
  }
  try {
    return { amount: settings.faucetAmount, txHash: await faucet.send(wallet, settings.faucetAmount) }
  } catch (fault) {
    // Why the transfer failed is what the taker must know, also when the turn cannot be given back.
    await store.faucetClaims
      .release(wallet)
      .catch((second: unknown) => log.error('faucet_turn_lost', { fault: second }))
    throw fault
  }
}
