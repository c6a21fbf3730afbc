import { createBudget } from '@rfqctl/lib/limits'
import type { ListerSettings, ListingWallet, SentCall } from './ports.ts'

/** Sends within limits. A send beyond them fails as a call that was never sent. */
export type Spending = (input: { gas: bigint; now: number; send: () => Promise<SentCall> }) => Promise<SentCall>

const DAY_MS = 86_400_000

export function createSpending(
  wallet: ListingWallet,
  { maxGasPrice, maxCoinPerDay }: Pick<ListerSettings, 'maxGasPrice' | 'maxCoinPerDay'>,
): Spending {
  const coin = createBudget({ withinMs: DAY_MS })

  return async ({ gas, now, send }) => {
    if ((await wallet.gasPrice()) > maxGasPrice) return refuse('gas costs more than it pays (--max-gas-price)')
    // The price may rise while a transaction waits, so its cost is counted at the limit.
    const most = gas * maxGasPrice
    if (coin.used(now) + most > maxCoinPerDay) {
      return refuse('it has spent what it may spend on gas within 24 hours (--max-coin-per-day)')
    }
    const settle = coin.hold(most, now)
    const sent = await send()
    if (sent.kind === 'mined') settle(sent.cost)
    else if (!sent.wasSent) settle(0n)
    return sent
  }
}

const refuse = (reason: string): SentCall => ({
  kind: 'failed',
  error: new Error(reason),
  wasSent: false,
  isRefusal: false,
})
