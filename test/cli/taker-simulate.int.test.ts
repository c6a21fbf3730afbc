import { describe, expect, test } from 'vitest'
import type { TakerBotEvent } from '../../src/agents/bots/taker-bot.ts'
import { parseMix, parseRate } from '../../src/cli/declare/parse.ts'
import { countEvent, NO_STATS } from '../../src/cli/taker/simulate.ts'
import { RelayError } from '../../src/client/errors.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

type Line = { type: string; [field: string]: unknown }

const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('taker simulate', () => {
  test('asks the given number of times, ends by itself, and sums up the outcome', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const argv = ['taker', 'simulate', '--rate', '20', '--count', '3', '--mix', 'buy=1,cancel=1', '--json']
    const { code, stdout, stderr } = await run(argv, { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = linesOf(stdout)
    const opened = lines.filter(({ type }) => type === 'opened')
    expect(opened.map(({ taker }) => taker).toSorted()).toEqual(['taker-1', 'taker-1', 'taker-2'])
    expect(lines.at(-1)).toMatchObject({ type: 'summary', requests: 3, committed: 0, unquoted: 3, failed: 0 })
  })

  test('sums up also when it is stopped', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const { code, stdout } = await run(['taker', 'simulate', '--rate', '1', '--for', '300ms', '--json'], { cwd })
    expect(code).toBe(0)
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'summary' })
  })

  test.each(['0', '-1', 'many', '1001'])('refuses %s requests a second', (text) => {
    expect(() => parseRate(text)).toThrow()
  })

  test.each(['buy', 'buy=x', 'hold=1', 'buy=0,sell=0', 'cancel=1'])('refuses a mix of %s', (text) => {
    expect(() => parseMix(text)).toThrow()
  })

  test('takes a mix in any whole shares', () => {
    expect(parseMix('buy=3,sell=1')).toEqual({ buyShare: 0.75, walkAwayShare: 0 })
    expect(parseMix('sell=50,cancel=50')).toEqual({ buyShare: 0, walkAwayShare: 0.5 })
  })
})

describe('the sum of a crowd', () => {
  test('counts refusals by their codes', () => {
    const failed: TakerBotEvent = {
      kind: 'failed',
      doing: 'commit',
      requestId: '1',
      error: new RelayError({ code: 'no_maker_confirmed', status: 503 }),
    }
    const tally = [failed, failed].reduce(countEvent, NO_STATS)
    expect(tally).toMatchObject({ failed: 2, refusals: { no_maker_confirmed: 2 } })
  })

  test('tells apart who was not quoted, who changed its mind and who could not pay', () => {
    const gone = (reason: 'no_quotes' | 'changed_mind' | 'no_funds'): TakerBotEvent => ({
      kind: 'walked_away',
      requestId: '1',
      reason,
    })
    const tally = [gone('no_quotes'), gone('changed_mind'), gone('changed_mind'), gone('no_funds')].reduce(
      countEvent,
      NO_STATS,
    )
    expect(tally).toMatchObject({ unquoted: 1, cancelled: 2, unfunded: 1 })
  })
})
