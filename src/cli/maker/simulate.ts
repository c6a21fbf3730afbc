import type { MakerBotEvent } from '@rfqctl/agents/bots/maker-events'
import type { Statement } from '@rfqctl/agents/bots/portfolio'
import type { StyleName } from '@rfqctl/agents/bots/style'
import { usd6ToNumber } from '@rfqctl/client/index'
import { gain, plural } from '@rfqctl/lib/format'
import { requireSandbox } from '@rfqctl/relay/app/sandbox-file'
import { assignStyles, freeMakers, pickMakers, runMakers, type SimulatedMaker } from '@rfqctl/sandbox/scenarios/traders'
import type { Run } from '../cli.ts'
import type { PublicKeyOptions } from '../context/account.ts'
import { signingChain } from '../context/clients.ts'
import { knownOperatorToken } from '../context/operator.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl, withConfiguredKeys } from '../context/targets.ts'
import type { Colors } from '../terminal/colors.ts'
import { tableLines } from '../terminal/table.ts'
import { makerEventJson, makerEventLine } from './bot-events.ts'

type Options = RelayOptions &
  ChainOptions &
  PublicKeyOptions & {
    count?: number
    strategy?: readonly StyleName[]
    latency?: number
    firm?: boolean
    seed: number
    for?: number
  }

/** The default of --count, or fewer if fewer are left. */
const DEFAULT_COUNT = 3

/** Runs until Ctrl-C or for a time, and sums up each maker. Makers reconnect to a relay that was down. */
export const simulate: Run<Options> = async (cli, options) => {
  const sandbox = withConfiguredKeys(cli, requireSandbox(dataDirOf(cli, options)))
  const url = relayUrl(cli, options)
  const free = await freeMakers(sandbox, { url, token: knownOperatorToken(cli, options), signal: cli.stop })
  const wallets = pickMakers(free, options.count ?? Math.max(1, Math.min(DEFAULT_COUNT, free.length)))
  const makers = assignStyles(wallets, options.strategy)
  const chain = await signingChain(cli, options, wallets[0].address)
  cli.out.note(
    `${plural(makers.length, 'maker')}: ${makers.map(({ wallet, style }) => `${wallet.name} ${style}`).join(', ')}`,
  )
  const stats = new Map<string, MakerStats>()
  const statsOf = (name: string): MakerStats => stats.get(name) ?? NO_STATS
  const report = (name: string, event: MakerBotEvent): void => {
    stats.set(name, countEvent(statsOf(name), event))
    const line = makerEventLine(name, event, cli.out.colors)
    const document = makerEventJson(name, event)
    if (document !== null && (cli.out.isJson || line !== null)) cli.out.print(document, line ?? '')
  }
  await runFor(options.for ?? null, cli.stop, (stop) =>
    runMakers({
      makers,
      seed: options.seed,
      latencyMs: options.latency,
      firm: options.firm,
      url,
      chain,
      stop,
      onEvent: report,
    }),
  )
  const all = makers.map((maker) => ({ maker, stats: statsOf(maker.wallet.name) }))
  cli.out.print(statsJson(all), statsLines(all, cli.out.colors))
}

/** `statement` is null before the first trade. */
type MakerStats = { quoted: number; asked: number; signed: number; won: number; statement: Statement | null }

const NO_STATS: MakerStats = { quoted: 0, asked: 0, signed: 0, won: 0, statement: null }

function countEvent(now: MakerStats, event: MakerBotEvent): MakerStats {
  if (event.kind === 'marked') return { ...now, statement: event.statement }
  const { kind } = event
  return kind === 'quoted' || kind === 'asked' || kind === 'signed' || kind === 'won'
    ? { ...now, [kind]: now[kind] + 1 }
    : now
}

type Counted = { maker: SimulatedMaker; stats: MakerStats }

const statsJson = (all: readonly Counted[]) => ({
  type: 'summary',
  makers: all.map(({ maker: { wallet, style }, stats: { statement, ...counts } }) => ({
    maker: wallet.name,
    style,
    ...counts,
    total: statement === null ? 0 : usd6ToNumber(statement.total),
  })),
})

const statsLines = (all: readonly Counted[], colors: Colors): string[] => [
  '',
  ...tableLines(
    [
      { heading: 'MAKER', cell: ({ maker }: Counted) => maker.wallet.name },
      { heading: 'STYLE', cell: ({ maker }) => maker.style },
      { heading: 'QUOTES', cell: ({ stats: { quoted } }) => String(quoted), align: 'right' },
      { heading: 'ASKED', cell: ({ stats: { asked } }) => String(asked), align: 'right' },
      { heading: 'SIGNED', cell: ({ stats: { signed } }) => String(signed), align: 'right' },
      { heading: 'WON', cell: ({ stats: { won } }) => String(won), align: 'right' },
      {
        heading: 'P&L',
        cell: ({ stats: { statement } }) => (statement === null ? '-' : gain(statement.total)),
        align: 'right',
      },
    ],
    all,
    { colors, width: null },
  ),
]
