import type { TakerMix } from '@rfqctl/agents/bots/session'
import type { TakerBotEvent } from '@rfqctl/agents/bots/taker-bot'
import { usd6, usd6ToNumber } from '@rfqctl/client/index'
import { quoteJson, termsJson } from '@rfqctl/client/to-json'
import { CliError } from '@rfqctl/lib/cli-error'
import { priceText, shortId, usd } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { requireSandbox, type SandboxWallet } from '@rfqctl/relay/app/sandbox-file'
import { runTakers, type SimulatedTaker } from '@rfqctl/sandbox/scenarios/traders'
import type { Run } from '../cli.ts'
import type { PublicKeyOptions } from '../context/account.ts'
import { isSimulated, signingChain } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { termsText } from '../show/show-trade.ts'
import type { Colors } from '../terminal/colors.ts'
import { factLines } from '../terminal/table.ts'

type Options = RelayOptions &
  ChainOptions &
  PublicKeyOptions & {
    rate: number
    mix?: Pick<TakerMix, 'buyShare' | 'walkAwayShare'>
    seed: number
    count?: number
    for?: number
    fill: boolean
  }

/** Each taker asks at its share of the rate, until stopped or done. */
export const simulate: Run<Options> = async (cli, options) => {
  const takers = takersOf(requireSandbox(dataDirOf(cli, options)).takers, options.count)
  const url = relayUrl(cli, options)
  let stats = NO_STATS
  try {
    await runFor(options.for ?? null, cli.stop, (signal) =>
      runTakers({
        takers,
        url,
        chainOf: ({ address }) => signingChain(cli, options, address),
        rate: options.rate,
        seed: options.seed,
        mix: options.mix,
        fills: options.fill && !isSimulated(cli, options),
        signal,
        onEvent: (name, event) => {
          stats = countEvent(stats, event)
          const line = takerEventLine(name, event, cli.out.colors)
          if (cli.out.isJson || line !== null) cli.out.print(takerEventJson(name, event), line ?? '')
        },
      }),
    )
  } finally {
    cli.out.print(statsJson(stats), statsLines(stats, cli.out.colors))
  }
}

/** Null: unlimited. Refuses with `no_wallet` where there are none. */
function takersOf(wallets: readonly SandboxWallet[], total: number | undefined): SimulatedTaker[] {
  if (wallets.length === 0) {
    throw new CliError('the sandbox has no takers: its chain is external', { code: 'no_wallet', hint: 'rfqctl up' })
  }
  const share = (index: number) =>
    total === undefined ? null : Math.floor(total / wallets.length) + (index < total % wallets.length ? 1 : 0)
  return wallets.map((wallet, index) => ({ wallet, sessions: share(index) })).filter(({ sessions }) => sessions !== 0)
}

function takerEventJson(taker: string, event: TakerBotEvent): Record<string, unknown> {
  const base = { type: event.kind, taker }
  switch (event.kind) {
    case 'opened': {
      const { requestId, seriesId, makersConnected, terms } = event.request
      return { ...base, requestId, seriesId, makersConnected, trade: termsJson(terms).trade }
    }
    case 'shown': {
      const { requestId, quote, quoteCount } = event
      return { ...base, requestId, bestQuote: quote === null ? null : quoteJson(quote), quoteCount }
    }
    case 'walked_away':
      return { ...base, requestId: event.requestId, reason: event.reason }
    case 'committed':
      return { ...base, requestId: event.requestId, quote: quoteJson(event.commitment.quote) }
    case 'filled':
      return {
        ...base,
        requestId: event.requestId,
        optionAmount: Number(event.order.optionAmount),
        premium: usd6ToNumber(event.order.premiumAmount),
        fillHash: event.fill.fill.transactionHash,
      }
    case 'failed': {
      const { code, message } = describeFailure(event.error)
      return { ...base, requestId: event.requestId, doing: event.doing, code, error: message }
    }
  }
}

/** Null for events too frequent for people. */
function takerEventLine(taker: string, event: TakerBotEvent, colors: Colors): string | null {
  const words = eventText(event, colors)
  return words === null ? null : `${colors.bold(taker)}  ${words}`
}

const GONE_TEXT = {
  no_quotes: 'no maker quoted',
  changed_mind: 'changed its mind',
  no_funds: 'does not have that much left',
} as const

function eventText(event: TakerBotEvent, colors: Colors): string | null {
  switch (event.kind) {
    case 'opened':
      return `asks ${shortId(event.request.requestId)}: ${termsText(event.request.terms)}`
    case 'shown':
      return null
    case 'walked_away':
      return colors.dim(`cancels ${shortId(event.requestId)}: ${GONE_TEXT[event.reason]}`)
    case 'committed': {
      const { quote } = event.commitment
      return `took ${shortId(event.requestId)}: ${quote.fillContracts} at ${priceText(quote.price)}, signed by ${safeText(quote.makerId)}`
    }
    case 'filled':
      return colors.green(`filled ${shortId(event.requestId)} for ${usd(event.order.premiumAmount)}`)
    case 'failed':
      return colors.red(`could not ${event.doing}: ${describeFailure(event.error).message}`)
  }
}

const statsJson = ({ paid, received, ...counts }: TakerStats) => ({
  type: 'summary',
  ...counts,
  paid: usd6ToNumber(paid),
  received: usd6ToNumber(received),
})

function statsLines(stats: TakerStats, colors: Colors): string[] {
  const refusals = Object.entries(stats.refusals).map(([code, times]) => `${code} ${times}`)
  return [
    '',
    ...factLines(
      [
        ['requests', String(stats.requests)],
        ['committed', String(stats.committed)],
        ['filled', `${stats.filled}, ${usd(stats.paid)} paid and ${usd(stats.received)} received`],
        ['cancelled', String(stats.cancelled)],
        ['unquoted', String(stats.unquoted)],
        ['unfunded', String(stats.unfunded)],
        ['failed', refusals.length === 0 ? '0' : `${stats.failed}: ${refusals.join(', ')}`],
      ],
      colors,
    ),
  ]
}

/** Premiums are those of filled trades, in micro-dollars; `refusals` counts by code. */
export type TakerStats = typeof NO_STATS

export const NO_STATS = {
  requests: 0,
  committed: 0,
  filled: 0,
  cancelled: 0,
  unquoted: 0,
  unfunded: 0,
  failed: 0,
  paid: usd6(0n),
  received: usd6(0n),
  refusals: {} as Readonly<Record<string, number>>,
}

/** The counter for each reason of a taker that left. */
const GONE = { no_quotes: 'unquoted', changed_mind: 'cancelled', no_funds: 'unfunded' } as const

export function countEvent(stats: TakerStats, event: TakerBotEvent): TakerStats {
  switch (event.kind) {
    case 'opened':
      return { ...stats, requests: stats.requests + 1 }
    case 'shown':
      return stats
    case 'walked_away': {
      const counter = GONE[event.reason]
      return { ...stats, [counter]: stats[counter] + 1 }
    }
    case 'committed':
      return { ...stats, committed: stats.committed + 1 }
    case 'filled': {
      const { makerSelling, premiumAmount } = event.order
      return {
        ...stats,
        filled: stats.filled + 1,
        ...(makerSelling
          ? { paid: usd6(stats.paid + premiumAmount) }
          : { received: usd6(stats.received + premiumAmount) }),
      }
    }
    case 'failed': {
      const { code } = describeFailure(event.error)
      const refusals = { ...stats.refusals, [code]: (stats.refusals[code] ?? 0) + 1 }
      return { ...stats, failed: stats.failed + 1, refusals }
    }
  }
}
