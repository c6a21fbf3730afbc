import { describe, expect, it } from 'vitest'
import { drawPlan } from './plan/draw-plan.ts'
import type { Action, Plan } from './plan/plan.ts'
import { shrink } from './plan/shrink.ts'
import { simulate } from './simulate.ts'
import { storyOf } from './story.ts'

const plan = drawPlan({ seed: 3, minutes: 1, intensity: 3 })

describe('a simulated venue', () => {
  it('trades, and breaks no invariant', async () => {
    const { findings, counts } = await simulate(plan)
    expect(findings).toEqual([])
    expect(counts.trades).toBeGreaterThan(0)
    expect(counts.fills).toBeGreaterThan(0)
  })

  it('runs bit for bit alike from one plan, also where its story is written', async () => {
    const [first, again] = [await simulate(plan), await simulate(plan, { isTold: true })]
    expect(again.digest).toBe(first.digest)
    expect(again.lines.length).toBeGreaterThan(0)
  })

  it('runs otherwise from another seed', async () => {
    const other = await simulate({ ...plan, seed: 4 })
    expect(other.digest).not.toBe((await simulate(plan)).digest)
  })

  it('that breaks an invariant is a story of at most a page, with the request and the faults', async () => {
    const { restored, run, finding } = await firstBroken('V15')
    expect(finding.sentence).toContain('nonce')
    const story = storyOf(restored, run)
    expect(story).toContain('is broken')
    expect(story).toContain('FAULT')
    expect(story.split('\n').length).toBeLessThanOrEqual(60)
  })
})

/** The first restore after which nonces are given out again: which seed it is changes with the relay. */
async function firstBroken(broken: string) {
  for (let seed = 1; seed <= 20; seed += 1) {
    const restored = drawPlan({ seed, minutes: 3, intensity: 3, needs: ['restore'] })
    const run = await simulate(restored, { planted: { database: { keepsNonces: true } }, isTold: true })
    const finding = run.findings.find(({ rule }) => rule === broken)
    if (finding !== undefined) return { restored, run, finding }
  }
  throw new Error(`no seed breaks ${broken}`)
}

describe('a failing plan', () => {
  const settle = (at: number): Action => ({ at, do: 'settle', node: 0, cents: at })
  const long: Plan = { seed: 1, nodes: 3, minutes: 1, actions: Array.from({ length: 40 }, (_, at) => settle(at)) }
  const has = (actions: readonly Action[], at: number) => actions.some((action) => action.at === at)

  it('is shrunk to the actions without which it holds', async () => {
    const fails = async ({ actions }: Plan) => has(actions, 7) && has(actions, 31)
    const { actions } = await shrink(long, { fails, runs: 1_000 })
    expect(actions.map(({ at }) => at)).toEqual([7, 31])
  })

  it('is shrunk within so many runs', async () => {
    let runs = 0
    const fails = async ({ actions }: Plan) => {
      runs += 1
      return has(actions, 7)
    }
    await shrink(long, { fails, runs: 5 })
    expect(runs).toBe(5)
  })
})
