import { describe, expect, test } from 'vitest'
import type { MakerBotEvent } from '../../../src/agents/bots/maker-events.ts'
import { MAKER_STYLES } from '../../../src/agents/bots/style.ts'
import { eventually } from '../../kit/eventually.ts'
import { openDefault, startBotFixture, type TestBot } from './bot-fixture.ts'

const ROUNDS = 4

/** What a maker said of its dealing, without the ids that the relay draws. */
const story = ({ events }: TestBot) =>
  events.filter(({ kind }) => kind !== 'link' && kind !== 'heard').map((event) => told(event))

const told = (event: MakerBotEvent): string =>
  JSON.stringify(event, (name, value) => {
    if (name === 'requestId' || name === 'quoteId' || ['acceptance', 'order'].includes(name)) return undefined
    return typeof value === 'bigint' ? String(value) : value
  })

/** Some requests in a row, each taken when both makers have quoted it. */
async function session(seed: number): Promise<string[][]> {
  const fixture = await startBotFixture()
  const pace = { latencyMs: { min: 50, max: 100 }, improvements: 0, refreshMs: null }
  const makers = [
    fixture.bot('ada', { ...MAKER_STYLES.requoting, ...pace }, { seed }),
    fixture.bot('bob', { ...MAKER_STYLES.skewed, ...pace }, { seed: seed + 1 }),
  ]
  for (let round = 1; round <= ROUNDS; round += 1) {
    const request = await openDefault(fixture.taker)
    for (const maker of makers) await maker.told('heard', round)
    await fixture.clock.advance(100)
    for (const maker of makers) await maker.told('quoted', round)
    await fixture.taker.commitToBestQuote({ request })
    for (const maker of makers) await eventually(() => maker.of('won').length + maker.of('lost').length === round)
  }
  for (const maker of makers) await maker.stop()
  return makers.map(story)
}

describe('simulated makers of one seed', () => {
  test('say the same in two runs: prices, sizes, hedges and profits; those of another seed do not', async () => {
    const [first, again, other] = [await session(7), await session(7), await session(8)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
    expect(first.flat().filter((line) => line.includes('"marked"')).length).toBeGreaterThanOrEqual(ROUNDS)
    expect(first.flat().some((line) => line.includes('"hedged"'))).toBe(true)
  })
})
