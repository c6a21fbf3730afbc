import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import { assertWallet } from './tradable.ts'

export type FaucetTerms = { amount: Usd6; cooldownMs: number }

export const faucetTerms = ({ faucet, settings }: Pick<Context, 'faucet' | 'settings'>): FaucetTerms | null =>
  faucet === null ? null : { amount: settings.faucetAmount, cooldownMs: settings.faucetCooldownMs }

/** Once per wallet and cooldown, and bounded per hour in total; a failed transfer does not count. */
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
    // The taker needs the reason of the failed transfer, even if the claim cannot be undone.
    await store.faucetClaims.release(wallet).catch((second) => log.error('faucet_turn_lost', { fault: second }))
    throw fault
  }
}
