import { describe, expect, test } from 'vitest'
import { connectMakers, serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

describe('taker sell', () => {
  test('says why there is no bid for an option that is worth less than a tick', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const stopMaker = await connectMakers(cwd)
    const puts = JSON.parse((await run(['series', 'list', '--type', 'put', '--json'], { cwd })).stdout)
    // The market that is all but decided: its put pays only if a YES token of 0.98 falls below 0.90 in ten minutes.
    const { seriesId } = puts.series.find(({ strikeBps }: { strikeBps: number }) => strikeBps === 9_000)
    const { code, stderr } = await run(['taker', 'sell', seriesId, '--size', '50', '--json'], { cwd })
    await stopMaker()
    expect(code).toBe(3)
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'no_valid_quotes',
      why: ['1 maker had 5s', 'makers bid at least $0.0001, and do not buy an option worth less'],
    })
  })
})
