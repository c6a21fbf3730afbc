import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { deriveSeed } from '../../bots/random.ts'
import type { TakerMix } from '../../bots/session.ts'
import { runTakerBot, type TakerBotEvent } from '../../bots/taker-bot.ts'
import { accountOf } from '../../client/from-text.ts'
import type { ChainSetup } from '../../client/index.ts'

/** A simulated taker, and how often it asks; null: until it is stopped. */
export type SimulatedTaker = { wallet: SandboxWallet; sessions: number | null }

/** Runs takers side by side, each at its share of `rate` requests a second. Resolves when all have ended. */
export async function runTakers({
  takers,
  url,
  chainOf,
  rate,
  seed,
  mix,
  fills,
  signal,
  onEvent = () => {},
}: {
  takers: readonly SimulatedTaker[]
  url: string
  chainOf: (wallet: SandboxWallet) => ChainSetup | Promise<ChainSetup>
  rate: number
  seed: number
  mix?: Partial<TakerMix> | undefined
  fills: boolean
  signal: AbortSignal
  onEvent?: (name: string, event: TakerBotEvent) => void
}): Promise<void> {
  const bots = takers.map(async ({ wallet, sessions }) =>
    runTakerBot({
      taker: { url, account: accountOf(wallet.privateKey), chain: await chainOf(wallet) },
      seed: deriveSeed(seed, wallet.name),
      perMinute: (rate * 60) / takers.length,
      maxSessions: sessions,
      ...(mix === undefined ? {} : { mix }),
      fills,
      signal,
      onEvent: (event) => onEvent(wallet.name, event),
    }),
  )
  await Promise.all(bots)
}
