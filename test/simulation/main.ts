import { writeFileSync } from 'node:fs'
import { drawPlan } from './plan/draw-plan.ts'
import type { Plan } from './plan/plan.ts'
import { shrink } from './plan/shrink.ts'
import { type Planted, simulate } from './simulate.ts'
import { storyOf } from './story.ts'
import { comparePair } from './two-sided-pairs.ts'

export type Options = {
  /** The first seed and the last; runs end earlier when the time is over. */
  from: number
  to: number
  /** Real milliseconds after which no further seed begins. */
  forMs: number
  /** Simulated minutes of a seed in which the venue is busy. */
  minutes: number
  pace: 'busy' | 'day'
  /** Whether a seed that fails ends the run, or is only named. */
  isEndedByFailure: boolean
  nodes: number
  /** How many times as many faults as usual. */
  intensity: number
  /** How often a failing plan is run again to find a shorter one. */
  shrinkRuns: number
  /** Where the shortest failing plan is written. */
  saveTo: string | null
}

/** Simulates seed after seed. Resolves with whether all hold. */
export async function simulateSeeds(options: Options): Promise<boolean> {
  const { from, to, forMs, minutes, isEndedByFailure } = options
  const begun = Date.now()
  let seeds = 0
  let failed = 0
  const sums: Record<string, number> = {}
  for (let seed = from; seed <= to && Date.now() - begun < forMs; seed += 1) {
    const plan = drawPlan({ ...options, seed })
    const run = await simulate(plan)
    seeds += 1
    for (const [what, times] of Object.entries(run.counts)) sums[what] = (sums[what] ?? 0) + times
    if (run.findings.length > 0) {
      console.log(`seed ${seed} breaks ${[...new Set(run.findings.map(({ rule }) => rule))].join(', ')}`)
      if (isEndedByFailure) {
        await report(plan, {}, options)
        return false
      }
      failed += 1
      console.log(run.findings[0]?.sentence)
    }
    if (seeds % PROGRESS === 0) say({ seeds, failed, minutes, begun })
  }
  say({ seeds, failed, minutes, begun })
  console.log(
    Object.entries(sums)
      .map(([what, times]) => `${what} ${times}`)
      .join(', '),
  )
  return failed === 0
}

const PROGRESS = 25

type Progress = { seeds: number; failed: number; minutes: number; begun: number }

function say({ seeds, failed, minutes, begun }: Progress): void {
  const hours = ((seeds * minutes) / 60).toFixed(1)
  const verdict = failed === 0 ? 'hold' : `with ${failed} that fail`
  console.log(`${seeds} seeds, ${hours} hours, ${verdict} (${((Date.now() - begun) / 1_000).toFixed(0)} s)`)
}

/** Runs a plan once. Resolves with whether it holds. */
export async function simulatePlan(plan: Plan): Promise<boolean> {
  const run = await simulate(plan, { isTold: true })
  console.log(storyOf(plan, run))
  console.log(`digest ${run.digest}`)
  return run.findings.length === 0
}

/** Runs one seed, and shows its digest. */
export async function simulateSeed(seed: number, options: Options): Promise<boolean> {
  const plan = drawPlan({ ...options, seed })
  const run = await simulate(plan)
  console.log(
    `seed ${seed}: digest ${run.digest}, ${Object.entries(run.counts)
      .map(([what, times]) => `${what} ${times}`)
      .join(', ')}`,
  )
  if (run.findings.length === 0) return true
  await report(plan, {}, options)
  return false
}

async function report(
  plan: Plan,
  planted: Planted,
  { shrinkRuns, saveTo }: Pick<Options, 'shrinkRuns' | 'saveTo'>,
): Promise<void> {
  const [broken] = (await simulate(plan, { planted })).findings
  const fails = async (fewer: Plan) =>
    (await simulate(fewer, { planted })).findings.some(({ rule }) => rule === broken?.rule)
  const short = await shrink(plan, { fails, runs: shrinkRuns })
  console.log(storyOf(short, await simulate(short, { planted, isTold: true })))
  if (saveTo === null) return
  writeFileSync(saveTo, JSON.stringify(short, null, 2))
  console.log(`the plan is in ${saveTo}: npm run simulate -- --plan ${saveTo}`)
}

/** Looks for a planted fault, seed by seed, by the rules that it breaks. Resolves with the seed, the rule that it breaks and the seconds; null where it is not found. */
export async function findPlanted(
  planted: Planted,
  {
    forMs,
    from,
    needs = [],
    breaks,
    inPairs = false,
  }: { forMs: number; from: number; needs?: readonly string[]; breaks: readonly string[]; inPairs?: boolean },
): Promise<{ seed: number; rule: string; sentence: string; seconds: number } | null> {
  const begun = Date.now()
  for (let seed = from; Date.now() - begun < forMs; seed += 1) {
    if (inPairs) {
      const { toldApart } = await comparePair(seed)
      const [rule = ''] = breaks
      if (toldApart !== null) return { seed, rule, sentence: toldApart, seconds: (Date.now() - begun) / 1_000 }
      continue
    }
    const { findings } = await simulate(
      drawPlan({ seed, minutes: SEARCH_MINUTES, intensity: SEARCH_INTENSITY, needs }),
      {
        planted,
      },
    )
    const first = findings.find(({ rule }) => breaks.includes(rule))
    if (first !== undefined) return { seed, ...first, seconds: (Date.now() - begun) / 1_000 }
  }
  return null
}

/** A search for one fault has short runs with many faults. */
const SEARCH_MINUTES = 3
const SEARCH_INTENSITY = 3
