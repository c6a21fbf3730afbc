import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SOAK = fileURLToPath(new URL('../soak/run.mjs', import.meta.url))

/**
 * Whether a relay that has run for ten minutes is as it was after one; `npm run soak` says what is looked at. Ctrl-C goes to
 * the soak, which ends with what it saw: this waits for that.
 */
export const p12 = {
  id: 'P12',
  title: 'soak: 200 makers that all quote, 50 rounds a second',
  /** Too long for a run of all: it must be named. */
  isApart: true,
  block: 'soak',
  run: async ({ quick, say }) => {
    const time = quick ? '30s' : '10m'
    say(`npm run soak -- --for ${time}`)
    const onInterrupt = () => say('ends')
    process.on('SIGINT', onInterrupt)
    try {
      return reportOf(await soak(['--for', time], say))
    } finally {
      process.off('SIGINT', onInterrupt)
    }
  },
}

/** Runs a soak, says how it goes, and resolves with its summary. */
async function soak(flags, say) {
  const child = spawn(process.execPath, [SOAK, ...flags, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let summary = null
  for await (const line of createInterface({ input: child.stdout })) {
    const document = JSON.parse(line)
    if (document.type === 'soak') summary = document
    else say(progressOf(document))
  }
  await exited
  if (summary === null) throw new Error('the soak ended without a word')
  return summary
}

const progressOf = ({ atMs, traded, skipped, p50Ms, p99Ms, relayCpu, loadCpu, othersCpu }) =>
  `${Math.round(atMs / 1_000)} s: ${traded} traded, ${skipped} skipped, commit ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, relay ${percent(relayCpu)}, load ${percent(loadCpu)}, others ${percent(othersCpu)}`

const percent = (share) => `${Math.round(share * 100)}%`

/** What is told of each slice, and drawn over time; a plot may hold two. */
const FIGURES = [
  { plot: 'commit', name: 'a commit, p50', unit: 'ms', of: ({ traded, p50Ms }) => (traded === 0 ? Number.NaN : p50Ms) },
  { plot: 'commit', name: 'a commit, p99', unit: 'ms', of: ({ traded, p99Ms }) => (traded === 0 ? Number.NaN : p99Ms) },
  { plot: 'memory', name: 'resident memory', unit: 'MiB', of: ({ residentBytes }) => residentBytes / 2 ** 20 },
  { plot: 'descriptors', name: 'connections', unit: '', of: ({ connections }) => connections },
  { plot: 'descriptors', name: 'other descriptors', unit: '', of: ({ spareDescriptors }) => spareDescriptors },
]

/** What is told beside, as whole percent of a core. */
const SHARES = [
  { name: 'the relay', unit: '% of a core', of: ({ relayCpu }) => 100 * relayCpu },
  { name: 'the load', unit: '% of a core', of: ({ loadCpu }) => 100 * loadCpu },
  { name: 'everything else', unit: '% of a core', of: ({ othersCpu }) => 100 * othersCpu },
]

const LIVE = { plot: 'memory', name: 'live heap', unit: 'MiB', of: ({ liveBytes }) => liveBytes / 2 ** 20 }

const PLOTS = [
  { name: 'commit', title: 'Time of a commit', y: 'ms' },
  { name: 'memory', title: 'Memory of the relay', y: 'MiB' },
  { name: 'descriptors', title: 'Descriptors of the relay', y: 'open' },
]

function reportOf({ isWhole, requests, violations, broken, reasons, findings, scores, slices, heap }) {
  const told = (what, unit, samples, goal = null) => ({
    what,
    ours: { name: 'relay', unit, samples },
    comparator: null,
    ratio: null,
    goal,
  })
  const checks = Object.values(scores).reduce((sum, score) => sum + score.checks, 0)
  const curves = [...FIGURES.map((figure) => [figure, slices]), [LIVE, heap]]
  return {
    lines: [
      told('what was broken, or did not stay flat', '', [reasons.length], { atMost: 0 }),
      told('rounds skipped', '', [sum(slices, 'skipped')], { atMost: 0 }),
      told('trades', '', [sum(slices, 'traded')]),
      told('ended by their time', '', [sum(slices, 'expired')], isWhole ? { atLeast: 1 } : null),
      told('displaced', '', [sum(slices, 'displaced')], isWhole ? { atLeast: 1 } : null),
      told('requests judged', '', [requests]),
      told('checks of invariants', '', [checks]),
      told('faults, and calls that failed', '', [violations + broken], { atMost: 0 }),
      ...curves.map(([{ name, unit, of }, looks]) => told(name, unit, looks.map(of))),
      ...SHARES.map(({ name, unit, of }) => told(name, unit, slices.map(of))),
    ],
    plots: PLOTS.map((plot) =>
      plotOf(
        plot,
        curves.filter(([figure]) => figure.plot === plot.name),
      ),
    ),
    notes: [
      ...(isWhole ? [] : ['it was stopped before its time']),
      ...reasons,
      `checks: ${Object.entries(scores)
        .map(
          ([name, { checks: made, violations: broke }]) =>
            `${name} ${made.toLocaleString('en-US')}${broke === 0 ? '' : ` (${broke} FAULTS)`}`,
        )
        .join(', ')}`,
      ...findings.map(({ figure, isFlat, words }) => `${figure} ${isFlat ? 'flat' : 'NOT FLAT'}: ${words}`),
    ],
  }
}

const sum = (slices, count) => slices.reduce((total, slice) => total + slice[count], 0)

const plotOf = ({ name, title, y }, curves) => ({
  file: `soak-${name}.svg`,
  title: `${title}, over the time of the soak`,
  x: 'seconds',
  y,
  isOverTime: true,
  curves: curves.map(([figure, looks]) => ({
    name: figure.name,
    points: looks.map((look) => [Math.round(look.atMs / 1_000), figure.of(look)]),
  })),
})
