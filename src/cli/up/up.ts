import { randomBytes } from 'node:crypto'
import type { MakerBotEvent } from '@rfqctl/agents/bots/maker-events'
import { accountOf } from '@rfqctl/client/from-text'
import { createKeeper } from '@rfqctl/client/keeper'
import { unlessAborted } from '@rfqctl/lib/abort'
import { chainAheadText } from '@rfqctl/lib/format'
import { stopped } from '@rfqctl/lib/stop'
import { createDevClient } from '@rfqctl/onchain/devnet/client'
import { fundTrader } from '@rfqctl/onchain/devnet/seed'
import { type Hex, usd6 } from '@rfqctl/protocol/domain/units'
import { type RunningApp, startApp } from '@rfqctl/relay/app/start-app'
import type { ClusterStep } from '@rfqctl/sandbox/cluster/open-cluster'
import { assignStyles, pickMakers, runMakers, runTakers } from '@rfqctl/sandbox/scenarios/traders'
import type { Cli, Run } from '../cli.ts'
import { sandboxChain } from '../context/clients.ts'
import { makerEventLine } from '../maker/bot-events.ts'
import { requireServeSettings, type ServeOptions } from '../serve/options.ts'
import { readyFacts, readyLines } from '../serve/ready.ts'
import { failureText } from '../settle/keeper.ts'
import { requireTerminal } from '../terminal/alternate-screen.ts'
import { openPage } from '../terminal/open-page.ts'

type Options = ServeOptions & {
  makers: number
  seed: number
  nodes: number
  dashboard?: boolean
  busy?: boolean
  open?: boolean
  settleAfter: number
}

type Market = { app: RunningApp; dataDir: string; nodes: readonly string[] }

/** Requests per second of all takers: enough to watch, and little to pay for. */
const BUSY_RATE = 0.5

const BUSY_TAKERS = ['busy-1', 'busy-2', 'busy-3'] as const

/** Per taker: enough for days of trading at this rate. */
const BUSY_BALANCE = usd6(10_000_000n * 1_000_000n)

const NEXT = [
  'Next, in another terminal:',
  '  rfqctl dashboard',
  '  rfqctl taker buy @1 --budget 100 --fill',
  '  rfqctl trigger maker-timeout',
  'Press Ctrl-C here to stop everything.',
]

export const run: Run<Options> = async (cli, options) => {
  if (options.dashboard === true) requireTerminal(cli)
  const tick = createTicker(cli)
  const { app, dataDir, nodes } = await openMarket(quietly(cli), options, tick)
  const end = new AbortController()
  const endMakers = () => end.abort()
  cli.stop.addEventListener('abort', endMakers, { once: true })
  try {
    const makers = startMakers(cli, { app, options, stop: end.signal })
    await Promise.race([makers.connected, makers.ended])
    tick('makers')
    cli.out.print({ ...readyFacts(app, dataDir), nodes }, [...readyLines(app, dataDir, cli), ...nodeLines(nodes)])
    const ahead = chainAheadText((await app.backend.chain.time('cached')) * 1_000 - Date.now())
    if (ahead !== null) cli.out.note(`${ahead}: it was moved, and does not go back`)
    if (options.open === true) await openTradePage(cli, app)
    const takers = options.busy === true ? startTakers({ app, seed: options.seed, stop: end.signal }) : null
    const keeper = { ended: keepSettled(cli, { app, options, stop: end.signal }) }
    const here = { ...cli, stop: end.signal }
    const isOver = options.dashboard === true ? watch(here, app, dataDir) : wait(here)
    await Promise.race([isOver, makers.ended])
    endMakers()
    await isOver
    cli.out.note('shutting down')
    await Promise.all([makers.ended, takers, keeper.ended])
  } finally {
    endMakers()
    await app.close()
  }
}

/** A browser that does not open must not end the market. */
async function openTradePage({ out, environment }: Cli, { url, hasPages }: RunningApp): Promise<void> {
  if (!hasPages) return out.note('there is no page to open: WEB is off')
  if (!(await openPage(`${url}/`, { environment }))) out.note(`no browser opened: go to ${url}/`)
}

/** Shows next steps for a trader until it is stopped. */
async function wait(cli: Cli): Promise<void> {
  for (const line of NEXT) cli.out.note(line)
  await stopped(cli.stop)
}

/** Runs until the user quits or everything is stopped. */
async function watch(cli: Cli, { url }: RunningApp, dataDir: string): Promise<void> {
  const dashboard = await import('../dashboard/dashboard.ts')
  await dashboard.run(cli, { url, dataDir })
}

async function openMarket(cli: Cli, options: Options, tick: (step: ClusterStep) => void): Promise<Market> {
  if (options.nodes > 1) {
    // Loaded only for several nodes.
    const { openCluster } = await import('@rfqctl/sandbox/cluster/open-cluster')
    return openCluster({
      environment: cli.environment,
      cwd: cli.cwd,
      count: options.nodes,
      named: {
        databaseUrl: options.databaseUrl ?? cli.environment.DATABASE_URL,
        redisUrl: options.redisUrl ?? cli.environment.REDIS_URL,
      },
      settingsOn: (servers) => requireServeSettings(cli, { ...options, ...servers }),
      hasChain: options.chain !== false,
      stop: cli.stop,
      onStep: tick,
    })
  }
  const settings = requireServeSettings(cli, options)
  const app = await startApp({ settings, stop: cli.stop, onStep: tick })
  return { app, dataDir: settings.dataDir, nodes: [app.url] }
}

const nodeLines = (nodes: readonly string[]): string[] =>
  nodes.length === 1 ? [] : [`  nodes       ${nodes.join(' ')}`]

/** Errors only, unless LOG_LEVEL is set: the log would hide the story. */
const quietly = (cli: Cli): Cli => ({ ...cli, environment: { LOG_LEVEL: 'error', ...cli.environment } })

/** Prints each step with the time it took. */
function createTicker({ out }: Cli): (step: ClusterStep | 'makers') => void {
  let last = performance.now()
  return (step) => {
    const tookMs = Math.round(performance.now() - last)
    last = performance.now()
    const time = out.colors.dim(`${(tookMs / 1_000).toFixed(2)}s`)
    out.print({ type: 'step', step, tookMs }, `${out.colors.green('✔')} ${step.padEnd(9)} ${time}`)
  }
}

/** These takers have wallets of their own: the sandbox's are for the person at the terminal. */
async function startTakers({ app, seed, stop }: { app: RunningApp; seed: number; stop: AbortSignal }): Promise<void> {
  const { sandbox, url, backend } = app
  const wallets = BUSY_TAKERS.map((name) => {
    const privateKey: Hex = `0x${randomBytes(32).toString('hex')}`
    return { name, privateKey, address: accountOf(privateKey).address }
  })
  const { devnet } = backend
  if (devnet !== null) {
    const client = createDevClient(devnet.rpcUrl)
    for (const { address } of wallets) await fundTrader(client, { ...devnet, address, amount: BUSY_BALANCE })
  }
  return runTakers({
    takers: wallets.map((wallet) => ({ wallet, sessions: null })),
    url,
    chainOf: () => sandboxChain(sandbox),
    rate: BUSY_RATE,
    seed,
    fills: devnet !== null,
    signal: stop,
  })
}

/** Milliseconds. */
const KEEPER_EVERY_MS = 5_000

/** Uses the chain's time and a wallet of its own; without a chain there is nothing to settle. */
async function keepSettled(
  { out, environment }: Pick<Cli, 'out' | 'environment'>,
  { app, options, stop }: { app: RunningApp; options: Options; stop: AbortSignal },
): Promise<void> {
  const { sandbox, url, backend } = app
  const { devnet } = backend
  const { settleAfter } = options
  if (devnet === null || settleAfter === Number.POSITIVE_INFINITY) return
  const account = accountOf(`0x${randomBytes(32).toString('hex')}`)
  const settlementKey = environment.SETTLEMENT_API_KEY || undefined
  const client = createDevClient(devnet.rpcUrl)
  try {
    await fundTrader(client, { ...devnet, address: account.address, amount: usd6(0n) })
    const keeper = createKeeper({
      url,
      chain: sandboxChain(sandbox),
      account,
      settleAfterMs: settleAfter,
      ...(settlementKey === undefined ? {} : { settlementKey }),
      onNews: (news) => {
        if (news.kind === 'round_failed' && options.dashboard !== true) out.note(`settling: ${failureText(news)}`)
      },
    })
    // A stalled node must not delay the shutdown.
    await unlessAborted(keeper.runRounds({ everyMs: KEEPER_EVERY_MS, signal: stop }), stop)
  } catch (fault) {
    if (stop.aborted || options.dashboard === true) return
    out.note(`nothing more is settled by itself: ${(fault as Error).message}`)
  }
}

/** Other events are too frequent to print here. */
const WORTH_A_LINE: readonly MakerBotEvent['kind'][] = ['won', 'failed', 'blocked']

/**
 * Makers on the public protocol. `connected` resolves when all receive requests, except those that the operator has
 * blocked, `ended` when all have ended.
 */
function startMakers(
  { out }: Cli,
  { app, options, stop }: { app: RunningApp; options: Options; stop: AbortSignal },
): { connected: Promise<void>; ended: Promise<void> } {
  const makers = assignStyles(pickMakers(app.sandbox.makers, options.makers))
  const waiting = new Set(makers.map(({ wallet }) => wallet.name))
  const blocked = new Set<string>()
  let settle = () => {}
  const connected = new Promise<void>((resolve) => {
    settle = resolve
  })
  const ended = runMakers({
    makers,
    seed: options.seed,
    url: app.url,
    chain: sandboxChain(app.sandbox),
    stop,
    onEvent: (name, event) => {
      const isBack = event.kind === 'connected' && blocked.delete(name)
      if (event.kind === 'blocked') blocked.add(name)
      const isThere = event.kind === 'connected' || event.kind === 'blocked'
      if (isThere && waiting.delete(name) && waiting.size === 0) settle()
      // A dashboard owns the screen: no one else may write.
      if (options.dashboard === true) return
      const line = isBack || WORTH_A_LINE.includes(event.kind) ? makerEventLine(name, event, out.colors) : null
      if (line !== null) out.note(line)
    },
  })
  return { connected, ended }
}
