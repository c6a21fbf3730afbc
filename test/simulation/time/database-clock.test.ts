import { describe, expect, it } from 'vitest'
import { createNodeClock, type Sample } from './database-clock.ts'
import { createProcess } from './process.ts'
import { createTimeline } from './timeline.ts'

const START_MS = 1_000_000

/** A node that has been up for a minute. */
async function createClock() {
  const timeline = createTimeline(START_MS)
  const clock = createNodeClock({ timeline, process: createProcess(timeline, 'a node'), drift: 0 })
  await timeline.runUntil(START_MS + 60_000)
  return clock
}

/** The database said its time right when it was asked, and the answer took so long. */
const sample = (askedAt: number, tookMs: number): Sample => ({
  read: { raw: START_MS + askedAt, ahead: 0, since: 0 },
  askedAt,
  answeredAt: askedAt + tookMs,
})

describe('the clock of a node', () => {
  it('takes the quickest answer, as the product does: one that met a node that stood still says little', async () => {
    const [alone, withOthers] = [await createClock(), await createClock()]
    alone.compared([sample(45_000, 15_000)])
    withOthers.compared([sample(45_000, 14_998), sample(59_998, 1), sample(59_999, 1)])
    expect(alone.now()).toBe(START_MS + 60_000 - 7_500)
    expect(withOthers.now()).toBe(START_MS + 60_000 - 1)
  })
})
