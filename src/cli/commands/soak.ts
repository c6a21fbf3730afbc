import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { linkAbort } from '../../client/abort.ts'
import { accountOf, newPrivateKey } from '../../client/from-text.ts'
import { createTakerClient } from '../../client/index.ts'
import { percentile } from '../../domain/reliability.ts'
import type { Cli, Run } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import { plural } from '../format.ts'
import { createCrowd, type SoakMaker } from '../soak/crowd.ts'
import { createObserver, type Observer } from '../soak/observer.ts'
import { startRelayProcess } from '../soak/relay-process.ts'
import { createRounds, type RoundFigures } from '../soak/rounds.ts'
import { readVitals, type Vitals } from '../soak/vitals.ts'
import { mib, unevenness, type Window } from '../soak/windows.ts'

type Options = { makers: number; rounds: number; quotes: number; for: number }

/** Rounds before the first window, milliseconds: machine code is made, connections are opened. */
const WARM_UP_MS = 10_000

const WINDOWS = 10

const KEY_BYTES = 24

/** A soak of seconds shows no trend: it is judged by what is seen on the wire alone. */
const JUDGED_FROM_MS = 60_000

/** How often the relay is asked how it is. */
const LOOK_MS = 1_000

/** News of a request that is older than this is complete. */
const SETTLED_MS = 5_000

/**
 * Keeps a relay of its own busy with makers and takers on the public protocol while an observer watches, and fails when an
 * invariant was broken or when memory, descriptors or latency did not stay flat (reliability I13).
 */
export const run: Run<Options> = async (cli, { makers: count, rounds: perSecond, quotes, for: ms }) => {
  const makers = Array.from({ length: count }, createMaker)
  const relay = await startRelayProcess(makers)
  const stop = linkAbort(cli.stop)
  // Every maker and every running round listens to it, and lets go of it.
  setMaxListeners(0, stop.signal)
  const observer = createObserver({ makers: count, now: Date.now })
  const quotesPerRequest = Math.min(quotes, count)
  try {
    const { url, chainId } = relay
    const crowd = createCrowd({ url, chainId, makers, quotesPerRequest, observer, signal: stop.signal })
    await crowd.connected
    cli.out.note(`${plural(count, 'maker')}, ${perSecond} rounds a second, ${quotesPerRequest} quotes on each`)
    const taker = createTakerClient({ url })
    const [series] = (await taker.listSeries({ settled: false })).toSorted((a, b) => b.expiry - a.expiry)
    if (series === undefined) throw new CliError('the relay lists no series', { exitCode: EXIT.unexpected })
    const wallet = accountOf(newPrivateKey()).address
    const enough = linkAbort(stop.signal)
    setMaxListeners(0, enough.signal)
    const rounds = createRounds({ taker, wallet, series, quotesPerRequest, observer, signal: enough.signal })
    const playing = rounds.run(perSecond)
    await pause(Math.min(WARM_UP_MS, ms), undefined, { signal: cli.stop })
    rounds.figures()
    const windows = await watch(cli, { url, observer, figures: rounds.figures, ms })
    enough.abort()
    await playing
    // The makers go on: what was under way ends, and they hear of it.
    await pause(SETTLED_MS, undefined, { signal: cli.stop })
    observer.settle(Date.now() - LOOK_MS)
    stop.abort()
    await crowd.ended
    conclude(cli, observer, windows, ms < JUDGED_FROM_MS ? [] : unevenness(windows))
  } finally {
    stop.abort()
    stop.release()
    await relay.stop()
  }
}

async function watch(
  cli: Cli,
  { url, observer, figures, ms }: { url: string; observer: Observer; figures: () => RoundFigures; ms: number },
): Promise<Window[]> {
  const windows: Window[] = []
  while (windows.length < WINDOWS) {
    const endsAt = performance.now() + ms / WINDOWS
    const looks: Vitals[] = []
    do {
      await pause(Math.min(LOOK_MS, ms / WINDOWS), undefined, { signal: cli.stop })
      looks.push(await readVitals(url))
      observer.settle(Date.now() - SETTLED_MS)
    } while (performance.now() < endsAt)
    const window = windowOf(figures(), looks)
    windows.push(window)
    tell(cli, windows.length, window)
  }
  return windows
}

const windowOf = ({ commitMs, ...counts }: RoundFigures, looks: readonly Vitals[]): Window => ({
  ...counts,
  p50Ms: percentile(commitMs, 0.5) ?? 0,
  p99Ms: percentile(commitMs, 0.99) ?? 0,
  heapBytes: Math.min(...looks.map(({ heapBytes }) => heapBytes)),
  descriptors: Math.max(...looks.map(({ descriptors }) => descriptors)),
})

function tell({ out }: Cli, number: number, window: Window): void {
  const { traded, cancelled, skipped, p50Ms, p99Ms, heapBytes, descriptors } = window
  out.print(
    { type: 'window', number, ...window },
    `${String(number).padStart(2)}  ${traded} traded, ${cancelled} cancelled, ${skipped} skipped  commit ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms  heap ${mib(heapBytes)} MiB  ${descriptors} descriptors`,
  )
}

function conclude({ out }: Cli, observer: Observer, windows: readonly Window[], uneven: readonly string[]): void {
  const { faults, examples, looked } = observer.report()
  out.print(
    { type: 'soak', requests: looked, faults, uneven, windows },
    `${plural(looked, 'request')} looked at, ${plural(faults, 'fault')}`,
  )
  if (faults === 0 && uneven.length === 0) return
  throw new CliError(faults > 0 ? `${plural(faults, 'fault')} seen on the wire` : 'the relay did not stay flat', {
    code: 'soak_failed',
    exitCode: EXIT.unexpected,
    why: [...examples, ...uneven],
  })
}

const createMaker = (): SoakMaker => ({
  apiKey: `soak-${randomBytes(KEY_BYTES).toString('base64url')}`,
  privateKey: newPrivateKey(),
})
