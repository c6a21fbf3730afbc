import { drawPlan } from './plan/draw-plan.ts'
import { simulate } from './simulate.ts'

export async function main(args: readonly string[]): Promise<void> {
  const seed = Number(args[args.indexOf('--seed') + 1])
  const about = args.includes('--about') ? (args[args.indexOf('--about') + 1] ?? '').split(',') : []
  const begun = process.cpuUsage()
  if (args.includes('--seeds')) {
    const [from, to] = (args[args.indexOf('--seeds') + 1] ?? '').split('..').map(Number)
    for (let one = from ?? 0; one <= (to ?? 0); one += 1) {
      const start = process.cpuUsage()
      const { digest, findings, counts } = await simulate(drawPlan({ seed: one }))
      const rules = findings.map(({ rule, sentence }) => `${rule}: ${sentence.slice(0, 150)}`)
      console.log(one, digest, counts.steps, counts.trades, Math.round(process.cpuUsage(start).user / 1000), 'ms', findings.length, rules.slice(0, 4), Object.keys(counts).filter((one) => ['restore', 'set clock', 'empty market', 'fail over', 'freeze', 'cut', 'lose', 'kill', 'kill at', 'slow', 'block', 'empty wallet', 'chain down', 'reorganise','drop all'].includes(one)).join(','))
    }
    return
  }
  const run = await simulate(drawPlan({ seed }), { isTold: true })
  console.log(run.digest, run.counts, Math.round(process.cpuUsage(begun).user / 1000), 'ms cpu')
  console.log(run.findings.length, run.findings.slice(0, 20))
  for (const { at, text, requestId } of run.lines)
    if (requestId === null || about.some((one) => requestId.startsWith(one)))
      console.log(new Date(at).toISOString().slice(11, 23), requestId?.slice(0, 4) ?? '    ', text)
}
