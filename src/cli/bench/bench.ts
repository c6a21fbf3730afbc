import { accountOf, newPrivateKey } from '@rfqctl/client/from-text'
import { createTakerClient } from '@rfqctl/client/index'
import { linkAbort } from '@rfqctl/lib/abort'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { percentile } from '@rfqctl/protocol/domain/reliability'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { type ChainOptions, type RelayOptions, relayUrl } from '../context/targets.ts'
import { tableLines } from '../terminal/table.ts'
import { type Counterparties, createCounterparties, openMaker } from './counterparties.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { for: number; connections: number }
type Measured = Timings & { what: string }

/** Each timed one after the other. */
const ASKS = 30
const TRADES = 20

/**
 * Times the relay through the client library, whose costs are in every figure; `GET /healthz` shows what the library
 * and the network cost alone. The taker's key is thrown away: no one can fill what is signed here.
 */
export const run: Run<Options> = async (cli, options) => {
  const url = relayUrl(cli, options)
  const link = linkAbort(cli.stop)
  const { signal } = link
  const maker = await openMaker(cli, options)
  const taker = createTakerClient({ url })
  try {
    const [series] = (await taker.listSeries({ settled: false, optionType: 'call', signal })).toSorted(
      (a, b) => b.expiry - a.expiry,
    )
    if (series === undefined)
      throw new CliError('the relay lists no series to request quotes for', { exitCode: EXIT.notFound })
    const sides = createCounterparties({ maker, taker, series, signal, onFailure: link.abort })
    const load = { ms: options.for, atOnce: options.connections, signal }
    cli.out.note(`${url}: ${options.connections} calls at a time`)
    const { announced } = await sides.ask()
    await sides.quote(announced)
    const measured: Measured[] = []
    const time = async (what: string, timings: () => Promise<Timings>) => {
      cli.out.note(cli.out.colors.dim(`measuring: ${what}`))
      measured.push({ what, ...(await timings()) })
    }
    await time('GET /healthz', () => timeFor(load, () => ping(url, signal)))
    await time('POST /v1/mm/quotes', () => timeFor(load, () => sides.quote(announced)))
    await time('create, until the maker has it', () =>
      timeEach({ times: ASKS, signal }, async () => (await sides.ask()).tookMs),
    )
    await time('commit, signature and answer', () =>
      timeEach({ times: TRADES, signal }, () => trade(sides, taker, signal)),
    )
    show(cli, url, measured)
  } finally {
    link.abort()
    link.release()
  }
}

/** A signal of its own for each call, released afterwards: fetch listens on a signal until it is collected. */
async function ping(url: string, signal: AbortSignal): Promise<void> {
  const link = linkAbort(signal)
  try {
    const answer = await fetch(`${url}/healthz`, { signal: link.signal })
    await answer.arrayBuffer()
  } finally {
    link.release()
  }
}

async function trade(
  sides: Counterparties,
  taker: ReturnType<typeof createTakerClient>,
  signal: AbortSignal,
): Promise<number> {
  const { request, announced } = await sides.ask()
  await sides.quote(announced)
  const { address: wallet } = accountOf(newPrivateKey())
  const startedAt = performance.now()
  await taker.commitToBestQuote({ request, wallet, limitPrice: null, minContracts: null, signal })
  return performance.now() - startedAt
}

function show({ out }: Cli, url: string, measured: readonly Measured[]): void {
  out.print({ type: 'bench', url, measured }, [
    ...tableLines<Measured>(
      [
        { heading: 'what', cell: ({ what }) => what },
        { heading: 'count', cell: ({ count }) => String(count), align: 'right' },
        { heading: 'a second', cell: ({ perSecond }) => perSecond.toFixed(0), align: 'right' },
        { heading: 'p50 ms', cell: ({ p50Ms }) => p50Ms.toFixed(1), align: 'right' },
        { heading: 'p99 ms', cell: ({ p99Ms }) => p99Ms.toFixed(1), align: 'right' },
      ],
      measured,
      out,
    ),
  ])
}

type Timings = { count: number; perSecond: number; p50Ms: number; p99Ms: number }

/** Repeats `work` for `ms` with `atOnce` calls in flight. The first failure ends it. */
async function timeFor(
  { ms, atOnce, signal }: { ms: number; atOnce: number; signal: AbortSignal },
  work: () => Promise<unknown>,
): Promise<Timings> {
  const times: number[] = []
  const begunAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - begunAt < ms) {
        signal.throwIfAborted()
        const startedAt = performance.now()
        await work()
        times.push(performance.now() - startedAt)
      }
    }),
  )
  return summary(times, performance.now() - begunAt)
}

/** Runs `work` sequentially; it returns its own time in milliseconds. */
async function timeEach(
  { times: count, signal }: { times: number; signal: AbortSignal },
  work: () => Promise<number>,
): Promise<Timings> {
  const times: number[] = []
  const begunAt = performance.now()
  for (let i = 0; i < count; i += 1) {
    signal.throwIfAborted()
    times.push(await work())
  }
  return summary(times, performance.now() - begunAt)
}

const summary = (times: readonly number[], tookMs: number): Timings => ({
  count: times.length,
  perSecond: (times.length * 1_000) / tookMs,
  p50Ms: percentile(times, 0.5) ?? 0,
  p99Ms: percentile(times, 0.99) ?? 0,
})
