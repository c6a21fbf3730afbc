import { expect, test } from 'vitest'
import { computeFairValue, computeImpliedVolatility, computePayoff } from '../../src/client/index.ts'
import type { ResolutionBps } from '../../src/protocol/domain/units.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

test('price values a series by the model, and finds the volatility of a price', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd)
  const rfqctl = (line: string) => run(wordsOf(line), { cwd })
  const json = async (line: string) => JSON.parse((await rfqctl(`${line} --json`)).stdout)
  const { series } = await json('series list')
  const { row, seriesId, conditionId, ...option } = series.find(({ state }: { state: string }) => state === 'open')
  const { markets } = await json('markets list')
  const { yesPrice } = markets.find((market: { conditionId: string }) => market.conditionId === conditionId)

  const assumed = await json(`price @${row}`)
  expect(assumed).toMatchObject({ type: 'price', seriesId, spot: yesPrice })
  expect(assumed.values.map(({ volatility }: { volatility: number }) => volatility)).toEqual([0.5, 1, 2])

  const { spot, years, intrinsicValue, values } = await json(`price @${row} --volatility 80% --spot 0.5`)
  expect(spot).toBe(0.5)
  expect(intrinsicValue).toBe(Number(computePayoff(option, 50 as ResolutionBps)) / 1e6)
  expect(values).toEqual([
    {
      volatility: 0.8,
      fairValue: computeFairValue(option, { spot, years, volatility: 0.8 }),
      delta: expect.any(Number),
      gamma: expect.any(Number),
      vega: expect.any(Number),
      theta: expect.any(Number),
    },
  ])

  const quoted = Math.max(intrinsicValue + 0.001, 0.001).toFixed(6)
  const implied = await json(`price @${row} --price ${quoted} --spot 0.5`)
  expect(implied.values[0].volatility).toBe(
    computeImpliedVolatility(option, { price: Number(quoted), spot: 0.5, years: implied.years }),
  )
  expect(implied.values[0].fairValue).toBeCloseTo(Number(quoted), 12)

  const shown = await rfqctl(`price @${row} --volatility 80 --spot 0.5`)
  expect(shown.stdout).toMatch(
    /^option .*\nexpiry .*\nYES price +\$0\.5000\nintrinsic value +\$\S+\nmark +none: .*\n\n/,
  )
  expect(shown.stdout).toMatch(/^ *VOLATILITY +VALUE +DELTA +GAMMA +VEGA +THETA\n +80\.0% +\$0\.\d{4}/m)
})

test('price refuses a price that no volatility gives, with 2, a market without a YES price, with 5, and a series that has expired, with 3', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const rfqctl = (line: string) => run(wordsOf(line), { cwd })
  const none = await rfqctl('price @1 --price 5')
  expect(none).toMatchObject({ code: 2, stdout: '' })
  expect(none.stderr).toMatch(
    /error: no volatility makes the option worth \$5\.0000\n {2}it is worth \$\S+ without volatility\n {2}try: rfqctl price --help\n$/,
  )
  const unlisted = `--condition-id 0x${'7e'.repeat(32)} --yes-token 4242`
  const { stdout } = await rfqctl(`series create ${unlisted} --type put --strike-bps 2500 --expires-in 1d --json`)
  const unpriced = await rfqctl(`price ${JSON.parse(stdout).seriesId}`)
  expect(unpriced).toMatchObject({ code: 5, stdout: '' })
  expect(unpriced.stderr).toBe('error: the relay knows no YES price of this market\n  try: add --spot 0.5\n')

  await rfqctl('series create @1 --type call --strike-bps 100 --expires-in 2m')
  await rfqctl('series list')
  await rfqctl('chain warp 10m')
  const expired = await rfqctl('price @1')
  expect(expired).toMatchObject({ code: 3, stdout: '' })
  expect(expired.stderr).toMatch(/error: \S+ has expired\n.*\n {2}try: rfqctl series get @1\n$/)
})
