import { describe, expect, onTestFinished, test } from 'vitest'
import { createHedger } from '../../../src/agents/bots/hedger.ts'
import type { MakerBotEvent } from '../../../src/agents/bots/maker-events.ts'
import type { Portfolio, Statement } from '../../../src/agents/bots/portfolio.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'

const statement = (total: bigint): Statement => ({
  trades: 1,
  premium: usd6(total),
  options: usd6(0n),
  hedge: usd6(0n),
  total: usd6(total),
})

/** A hedger whose marks say what the test tells them to. */
function hedgerOf() {
  const clock = createFakeClock()
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const events: MakerBotEvent[] = []
  const marks = { total: 1n, fails: false }
  const mark: Portfolio['mark'] = async () => {
    if (marks.fails) throw new Error('no feed')
    return { hedges: [], statement: statement(marks.total) }
  }
  const hedger = createHedger({
    portfolio: { mark },
    clock,
    marketTime: async () => clock.now(),
    signal: abort.signal,
    onEvent: (event) => events.push(event),
  })
  return { hedger, clock, abort, events, marks }
}

describe('a hedger', () => {
  test('says nothing before anything is traded', async () => {
    const { hedger, clock, events } = hedgerOf()
    await clock.advance(60_000)
    await hedger.close()
    expect(events).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  test('marks at once and then every five seconds, but tells only what changed', async () => {
    const { hedger, clock, events, marks } = hedgerOf()
    hedger.onTrade()
    await settle()
    expect(events).toEqual([{ kind: 'marked', statement: statement(1n) }])
    await clock.advance(5_000)
    expect(events).toHaveLength(1)
    marks.total = 2n
    await clock.advance(5_000)
    expect(events).toHaveLength(2)
  })

  test('continues when there is no price', async () => {
    const { hedger, clock, events, marks } = hedgerOf()
    marks.fails = true
    hedger.onTrade()
    await settle()
    expect(events).toMatchObject([{ kind: 'failed', doing: 'spot' }])
    marks.fails = false
    await clock.advance(5_000)
    expect(events.at(-1)).toMatchObject({ kind: 'marked' })
  })

  test('stops with its maker, and marks a last time', async () => {
    const { hedger, clock, abort, events, marks } = hedgerOf()
    hedger.onTrade()
    await settle()
    abort.abort()
    marks.total = 3n
    await clock.advance(60_000)
    expect(events).toHaveLength(1)
    await hedger.close()
    expect(events.at(-1)).toEqual({ kind: 'marked', statement: statement(3n) })
  })
})
