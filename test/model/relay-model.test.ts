import fc from 'fast-check'
import { expect, it } from 'vitest'
import { connectSocket, runSteps, steps } from './commands.ts'
import { checkFinal, checkQuiescent } from './invariants.ts'
import { createWorld, MAKERS } from './world.ts'

/** CI sets ten times as many; a failing run prints its seed and path. */
const RUNS = Number(process.env.RFQCTL_MODEL_RUNS ?? 1_000)

/** Longer than a request and the longest ladder together. */
const ALL_TIME_MS = 400_000

it('the relay keeps its invariants in whatever order takers, makers, time and answers come', {
  timeout: 600_000,
}, async () => {
  let trades = 0
  let fallbacks = 0
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, run) => {
      const world = createWorld(scheduler)
      for (const maker of MAKERS) connectSocket(world, maker)
      await runSteps(world, run)
      await world.drain()
      await checkQuiescent(world)
      for (let waited = 0; waited < ALL_TIME_MS; waited += 10_000) {
        await world.clock.advance(10_000)
        await world.drain()
      }
      checkFinal(world)
      trades += world.trace.commits.length
      fallbacks += world.trace.ended.filter(({ how }) => how !== 'confirmed').length
    }),
    { numRuns: RUNS },
  )
  // A model that never trades or never falls back would prove nothing.
  expect(trades).toBeGreaterThan(RUNS / 20)
  expect(fallbacks).toBeGreaterThan(RUNS / 20)
})
