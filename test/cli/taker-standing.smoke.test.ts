import { describe, expect, test } from 'vitest'
import { connectMakers, serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

describe('taker request --standing-limit', () => {
  test('gets the order once the relay has committed, and taker commit finds it signed', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const stopMaker = await connectMakers(cwd)
    const calls = JSON.parse((await run(['series', 'list', '--type', 'call', '--json'], { cwd })).stdout)
    const { seriesId } = calls.series[0]
    const line = ['taker', 'request', seriesId, '--budget', '50', '--json']
    const { code, stdout, stderr } = await run([...line, '--standing-limit', '0.99', '--standing-min', '1'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
    const printed = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(printed[0]).toMatchObject({ type: 'request' })
    expect(printed.at(-1)).toMatchObject({ type: 'commitment', limitPrice: 0.99, minContracts: 1 })
    const again = await run(['taker', 'commit', '--json'], { cwd })
    expect(JSON.parse(again.stderr)).toMatchObject({ code: 'already_committed' })
    const without = await run([...line, '--standing-min', '1'], { cwd })
    expect(JSON.parse(without.stderr)).toMatchObject({ hint: 'add --standing-limit PRICE' })
    await stopMaker()
  })
})
