import { readFixtureMarkets } from '../../adapters/markets/fixture-markets.ts'
import { createFixturePrices } from '../../adapters/prices/fixture.ts'
import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { runMakerBot } from '../../bots/maker-bot.ts'
import type { MakerBotEvent } from '../../bots/maker-events.ts'
import type { Spot } from '../../bots/portfolio.ts'
import { deriveSeed } from '../../bots/random.ts'
import { HONEST_STYLES, MAKER_STYLES, type StyleName } from '../../bots/style.ts'
import { accountOf } from '../../client/from-text.ts'
import type { ChainSetup } from '../../client/index.ts'

/** A simulated maker: a wallet of the sandbox with a style. */
export type SimulatedMaker = { wallet: SandboxWallet; style: StyleName }

/** Gives each wallet one of some styles in turn, the honest ones unless told otherwise. */
export const assignStyles = (
  wallets: readonly SandboxWallet[],
  styles: readonly StyleName[] = HONEST_STYLES,
): SimulatedMaker[] => wallets.map((wallet, index) => ({ wallet, style: styles[index % styles.length] as StyleName }))

/**
 * Runs simulated makers until the signal ends them; rejects as soon as one of them is refused by the relay. They think as
 * long as their styles do, or `latencyMs`.
 */
export async function runMakers({
  makers,
  seed,
  latencyMs,
  url,
  chain,
  stop,
  onEvent,
}: {
  makers: readonly SimulatedMaker[]
  seed: number
  latencyMs?: number | undefined
  url: string
  chain: ChainSetup
  stop: AbortSignal
  onEvent: (name: string, event: MakerBotEvent) => void
}): Promise<void> {
  const spot = fixtureSpot()
  const thinking = latencyMs === undefined ? {} : { latencyMs: { min: latencyMs, max: latencyMs } }
  await Promise.all(
    makers.map(({ wallet: { name, privateKey, apiKey }, style }) =>
      runMakerBot({
        maker: { url, apiKey: apiKey ?? null, account: accountOf(privateKey), chain },
        style: { ...MAKER_STYLES[style], ...thinking },
        seed: deriveSeed(seed, name),
        spot,
        signal: stop,
        onEvent: (event) => onEvent(name, event),
      }),
    ),
  )
}

/** The price of a YES token as the fixtures have it. */
export function fixtureSpot(): Spot {
  const prices = createFixturePrices(readFixtureMarkets())
  return async (yesTokenId, now) => {
    const price = prices.spot(yesTokenId, now)
    if (price === null) throw new Error(`The fixtures have no price of token ${yesTokenId}.`)
    return price
  }
}
