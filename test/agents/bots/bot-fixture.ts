import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { runMakerBot } from '../../../src/agents/bots/maker-bot.ts'
import type { MakerBotEvent } from '../../../src/agents/bots/maker-events.ts'
import { MAKER_STYLES, type MakerStyle } from '../../../src/agents/bots/style.ts'
import { createTakerClient } from '../../../src/client/taker.ts'
import type { TakerClient } from '../../../src/client/taker-client.ts'
import { eventually } from '../../kit/eventually.ts'
import { ADA, BOB, startServer, type TestServer } from '../../relay/server/support.ts'
import { CALL_BUY } from '../../support/test-relay.ts'

/** A maker that thinks for 100 ms and has no opinions, so that a test can foretell it. */
export const PLAIN: MakerStyle = {
  ...MAKER_STYLES.tight,
  opinion: 0,
  latencyMs: { min: 100, max: 100 },
  improvements: 0,
  refreshMs: null,
  showsLevels: false,
}

export const TAKER_ACCOUNT = privateKeyToAccount(`0x${'0a'.repeat(32)}`)
export const ADA_ACCOUNT = privateKeyToAccount(`0x${'0b'.repeat(32)}`)
const BOB_ACCOUNT = privateKeyToAccount(`0x${'0c'.repeat(32)}`)

/** A simulated maker at work, with all that it told. */
export type TestBot = {
  events: MakerBotEvent[]
  of: <Kind extends MakerBotEvent['kind']>(kind: Kind) => Extract<MakerBotEvent, { kind: Kind }>[]
  /** Resolves when it has told so many events of a kind. */
  told: (kind: MakerBotEvent['kind'], count?: number) => Promise<unknown>
  stop: () => Promise<void>
  done: Promise<void>
}

/** The real server with room for simulated makers and a taker, all on one fake clock. */
export type BotFixture = TestServer & {
  taker: TakerClient
  /** Cuts all connections and ends the server, as when its process is killed. */
  kill: () => Promise<void>
  bot: (
    who: 'ada' | 'bob',
    style?: Partial<MakerStyle>,
    over?: {
      spot?: (yesTokenId: string, now: number) => Promise<number>
      marketTime?: () => Promise<number>
      seed?: number
    },
  ) => TestBot
}

export async function startBotFixture(options: Parameters<typeof startServer>[0] = {}): Promise<BotFixture> {
  const fixture = await startServer(options)
  const cutConnections = watchConnections()
  const { clock, chain, url } = fixture
  const timing = { clock, random: () => 0.5 }
  const taker = createTakerClient({ url, account: TAKER_ACCOUNT, chain: chain.environment, timing })

  function bot(
    ...[who, style = {}, { spot = async () => 0.5, seed = 7, ...more } = {}]: Parameters<BotFixture['bot']>
  ): TestBot {
    const abort = new AbortController()
    const events: MakerBotEvent[] = []
    const account: LocalAccount = who === 'ada' ? ADA_ACCOUNT : BOB_ACCOUNT
    const apiKey = (who === 'ada' ? ADA : BOB)['x-api-key']
    const done = runMakerBot({
      maker: { url, apiKey, account, chain: chain.environment, timing },
      style: { ...PLAIN, ...style },
      seed,
      spot,
      ...more,
      signal: abort.signal,
      onEvent: (event) => events.push(event),
    })
    done.catch(() => {})
    const stop = async () => {
      abort.abort()
      await done
    }
    onTestFinished(() => stop().catch(() => {}))
    const of: TestBot['of'] = (kind) => events.filter((event) => event.kind === kind) as never
    return { events, of, told: (kind, count = 1) => eventually(() => of(kind).length >= count), stop, done }
  }

  async function kill(): Promise<void> {
    cutConnections()
    await fixture.server.close()
  }

  return { ...fixture, taker, bot, kill }
}

export const openDefault = (taker: TakerClient) =>
  taker.openQuoteRequest({ market: CALL_BUY.market, option: CALL_BUY.option, trade: CALL_BUY.trade })

/** Watches for servers and returns how to cut all their connections. */
function watchConnections(): () => void {
  const servers = new Set<Server>()
  const note = (message: unknown) => servers.add((message as { server: Server }).server)
  subscribe('http.server.request.start', note)
  onTestFinished(() => void unsubscribe('http.server.request.start', note))
  return () => {
    for (const server of servers) server.closeAllConnections()
  }
}
