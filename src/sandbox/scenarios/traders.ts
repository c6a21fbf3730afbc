import { createHash } from 'node:crypto'
import { runMakerBot } from '@rfqctl/agents/bots/maker-bot'
import type { MakerBotEvent } from '@rfqctl/agents/bots/maker-events'
import type { Spot } from '@rfqctl/agents/bots/portfolio'
import { deriveSeed } from '@rfqctl/agents/bots/random'
import type { TakerMix } from '@rfqctl/agents/bots/session'
import { HONEST_STYLES, MAKER_STYLES, type StyleName } from '@rfqctl/agents/bots/style'
import { runTakerBot, type TakerBotEvent } from '@rfqctl/agents/bots/taker-bot'
import { createChainTime } from '@rfqctl/client/chain-time'
import { accountOf } from '@rfqctl/client/from-text'
import {
  type ChainSetup,
  type ConnectionState,
  createOperatorClient,
  type ListedSeries,
  RelayError,
  RelayUnreachableError,
} from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { systemClock } from '@rfqctl/lib/clock'
import { plural } from '@rfqctl/lib/format'
import type { Option } from '@rfqctl/protocol/domain/option'
import { fairValue, YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import { readFixtureMarkets } from '@rfqctl/relay/adapters/markets/fixture-markets'
import { createFixturePrices } from '@rfqctl/relay/adapters/prices/fixture'
import type { Sandbox, SandboxWallet } from '@rfqctl/relay/app/sandbox-file'

export type SimulatedMaker = { wallet: SandboxWallet; style: StyleName }

/** Gives each wallet one of the styles in turn; honest ones by default. */
export const assignStyles = (
  wallets: readonly SandboxWallet[],
  styles: readonly StyleName[] = HONEST_STYLES,
): SimulatedMaker[] => wallets.map((wallet, index) => ({ wallet, style: styles[index % styles.length] as StyleName }))

/**
 * Runs simulated makers until the signal aborts; rejects as soon as the relay refuses one of them. They think as long
 * as their styles do, or `latencyMs`; `firm`: they sign their orders with their quotes if a request names its wallet.
 */
export async function runMakers(input: {
  makers: readonly SimulatedMaker[]
  seed: number
  latencyMs?: number | undefined
  firm?: boolean | undefined
  url: string
  chain: ChainSetup
  stop: AbortSignal
  onEvent: (name: string, event: MakerBotEvent) => void
}): Promise<void> {
  const { makers, seed, latencyMs, firm, url, chain, stop, onEvent } = input
  const spot = fixtureSpot()
  const marketTime = createChainTime(chain, systemClock)
  const thinking = latencyMs === undefined ? {} : { latencyMs: { min: latencyMs, max: latencyMs } }
  await Promise.all(
    makers.map(({ wallet: { name, privateKey, apiKey }, style }) =>
      runMakerBot({
        maker: { url, apiKey: apiKey ?? null, account: accountOf(privateKey), chain },
        style: { ...MAKER_STYLES[style], ...thinking, ...(firm === undefined ? {} : { firm }) },
        seed: deriveSeed(seed, name),
        spot,
        marketTime,
        signal: stop,
        onEvent: (event) => onEvent(name, event),
      }),
    ),
  )
}

/** The option's value to the tightest simulated maker, in dollars; `spot` is the YES price. */
export function tightValue(
  series: Option & Pick<ListedSeries, 'expiry'>,
  { spot, nowMs }: { spot: number; nowMs: number },
): number {
  const years = Math.max(0, series.expiry * 1_000 - nowMs) / YEAR_MS
  const { volatility } = MAKER_STYLES.tight
  return fairValue(series, { spot, volatility, years })
}

export function fixtureSpot(): Spot {
  const prices = createFixturePrices(readFixtureMarkets())
  return async (yesTokenId, now) => {
    const price = prices.spot(yesTokenId, now)
    if (price === null) throw new Error(`The fixtures have no price of token ${yesTokenId}.`)
    return price
  }
}

export type SimulatedTaker = { wallet: SandboxWallet; sessions: number | null }

/** Runs takers side by side, each at its share of `rate` requests a second. Resolves when all have ended. */
export async function runTakers(input: {
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
  const { takers, url, chainOf, rate, seed, mix, fills, signal, onEvent = () => {} } = input
  const bots = takers.map(async ({ wallet, sessions }) => {
    const chain = await chainOf(wallet)
    return runTakerBot({
      taker: { url, account: accountOf(wallet.privateKey), chain },
      marketTime: createChainTime(chain, systemClock),
      seed: deriveSeed(seed, wallet.name),
      perMinute: (rate * 60) / takers.length,
      maxSessions: sessions,
      ...(mix === undefined ? {} : { mix }),
      fills,
      signal,
      onEvent: (event) => onEvent(wallet.name, event),
    })
  })
  await Promise.all(bots)
}

/**
 * The makers of a sandbox that no one runs: those with a key that are not connected. Two programs of one maker would
 * see orders of each other's quotes, which are not their own. If the relay does not say who is connected, all of them.
 */
export async function freeMakers(
  sandbox: Pick<Sandbox, 'makers'>,
  { url, token, signal }: { url: string; token: string | null; signal: AbortSignal },
): Promise<SandboxWallet[]> {
  const connected = token === null ? new Set<string>() : await connectedMakers(url, token, signal)
  return sandbox.makers.filter((maker) => {
    const ids = idsOf(maker)
    return ids.length > 0 && !ids.some((id) => connected.has(id))
  })
}

/** By their names at the relay. */
async function connectedMakers(url: string, token: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const connected = new Set<string>()
  try {
    const events = createOperatorClient({ url, token }).watchEvents({ signal, onConnectionState: throwIfLost })
    for await (const event of events) {
      if (event.kind === 'snapshot_complete') break
      if (event.kind === 'maker' && event.maker.streams + event.maker.sockets > 0) connected.add(event.maker.makerId)
    }
  } catch (error) {
    if (!(error instanceof RelayError || error instanceof RelayUnreachableError)) throw error
  }
  return connected
}

/** A sandbox maker's possible ids: its own, or in open mode one made from its key (decision M5). */
const idsOf = ({ name, apiKey }: SandboxWallet): string[] =>
  apiKey == null ? [] : [name, `anon-${createHash('sha256').update(apiKey).digest('hex').slice(0, 8)}`]

/** One look is enough: a lost relay is not awaited. */
function throwIfLost(state: ConnectionState): void {
  if (state.kind === 'lost') throw state.error
}

/** The first makers of the sandbox with a key to quote with. Refuses with `too_few_makers`. */
export function pickMakers(
  makers: readonly SandboxWallet[],
  count: number,
): readonly [SandboxWallet, ...SandboxWallet[]] {
  const usable = makers.filter(({ apiKey }) => apiKey !== null)
  const [first, ...others] = usable.slice(0, count)
  if (first !== undefined && usable.length >= count) return [first, ...others]
  throw new CliError(`the sandbox has ${plural(usable.length, 'maker')} to run, not ${count}`, {
    code: 'too_few_makers',
    why: ['the others are already connected, or their API keys are unknown here'],
    hint:
      usable.length === 0
        ? 'rfqctl up --makers 2 leaves some free; if serve has MAKER_API_KEYS, set it here too'
        : `run ${usable.length}`,
  })
}
