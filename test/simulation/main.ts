import { drawPlan } from './plan/draw-plan.ts'
import { simulate } from './simulate.ts'

export async function main(args: readonly string[]): Promise<void> {
  const seed = Number(args[args.indexOf('--seed') + 1])
  const begun = performance.now()
  const run = await simulate(drawPlan({ seed }), { isTold: true })
  console.log(run.digest, run.counts, Math.round(performance.now() - begun), 'ms')
  console.log(run.findings.length, run.findings.slice(0, 20))
}
