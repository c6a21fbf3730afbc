import { join } from 'node:path'
import { createPublicClient, http, type PublicClient } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAKER_STYLES } from '../../src/agents/bots/style.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { createTakerClient, type ListedSeries, type TakerClient, usd6 } from '../../src/client/index.ts'
import { toRequestedOption } from '../../src/protocol/domain/request.ts'
import { readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { createFixturePrices } from '../../src/relay/adapters/prices/fixture.ts'
import { requireSandbox } from '../../src/relay/app/sandbox-file.ts'
import { tightValue } from '../../src/sandbox/scenarios/traders.ts'
import { NOWHERE, run, temporaryDirOfFile } from './support.ts'

const HOUR_MS = 3_600_000

/** A budget that every maker's size covers at half, also for options of a tick. */
const BUDGET = usd6(1_000_000n)

/** The most that a quote lies above the value, in dollars: the widest half spread, the farthest opinion, and a tick. */
const ABOVE = MAKER_STYLES.wide.halfSpread + MAKER_STYLES.wide.opinion + 0.000_1
/** And below it: a maker asks for more than it takes an option to be worth. */
const BELOW = MAKER_STYLES.wide.opinion + 0.000_1

/** A maker that prices by the machine's clock is off by at least so much where it is asked: more than any spread hides. */
const NOTICED = 0.06

/** The relay's price is of the last full minute, and is read every 15 seconds. Milliseconds. */
const SHOWN_WITHIN_MS = 90_000

const dir = temporaryDirOfFile()
const prices = createFixturePrices(readFixtureMarkets())
const stop = new AbortController()
let up: Promise<number>
let taker: TakerClient
let chain: PublicClient

beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    up = runCli(['up', '--port', '0', '--settle-after', '1s'], {
      stdout: { write: (text) => text.includes('is ready') && resolve() },
      stderr: { write: () => {} },
      environment: {},
      cwd: dir,
      stop: stop.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    up.then((code) => reject(new Error(`up ended with ${code}`)), reject)
  })
  const { url, rpcUrl } = requireSandbox(join(dir, '.rfqctl'))
  taker = createTakerClient({ url })
  chain = createPublicClient({ transport: http(rpcUrl as string) })
})

afterAll(async () => {
  stop.abort({ kind: 'signal', signal: 'SIGTERM' })
  expect(await up).toBe(0)
})

/** The market's time: that of the chain, which the test moves, where it is ahead of the machine's. Unix milliseconds. */
async function marketTime(): Promise<number> {
  const { timestamp } = await chain.getBlock({ blockTag: 'pending' })
  return Math.max(Date.now(), Number(timestamp) * 1_000)
}

const spotAt = (yesTokenId: string, at: number): number => prices.spot(yesTokenId, at) as number

const valueAt = (series: ListedSeries, at: number): number =>
  tightValue(series, { spot: spotAt(series.yesTokenId, at), nowMs: at })

/** The least and the most of something over a time, second by second. */
function range(from: number, to: number, of: (at: number) => number): { least: number; most: number } {
  const values = Array.from({ length: Math.ceil((to - from) / 1_000) + 1 }, (_, i) => of(from + i * 1_000))
  return { least: Math.min(...values), most: Math.max(...values) }
}

async function openSeries(): Promise<ListedSeries[]> {
  const [series, now] = await Promise.all([taker.listSeries({ settled: false }), marketTime()])
  return series.filter(({ expiry }) => expiry * 1_000 > now + 600_000)
}

/** How far a price by the machine's clock would be from the value of a series, in dollars. */
const errorOf = (series: ListedSeries, now: number): number =>
  Math.abs(valueAt(series, now) - valueAt(series, Date.now()))

/** Asks a series, and compares what it is quoted, and the YES price that the relay shows, with the market's time. */
async function expectFair(series: ListedSeries): Promise<void> {
  const before = await marketTime()
  const { conditionId, yesTokenId } = series
  const request = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: toRequestedOption(series),
    trade: { side: 'buy', budget: BUDGET },
  })
  let price = Number.NaN
  for await (const { bestQuote } of taker.watchBestQuote({ request })) {
    if (bestQuote === null) continue
    price = Number(bestQuote.price) / 1e6
    const { least, most } = range(before - 1_000, await marketTime(), (at) => valueAt(series, at))
    // A maker holds the chain's time for a fifth of a second: what it quotes in the very moment of the move it betters soon.
    if (price >= least - BELOW && price <= most + ABOVE) break
    price = Number.NaN
  }
  expect(price).not.toBeNaN()
  await taker.cancelQuoteRequest({ request })
  await expect
    .poll(async () => {
      const [markets, now] = await Promise.all([taker.listMarkets(), marketTime()])
      const shown = markets.find((market) => market.conditionId === conditionId)?.yesPrice ?? Number.NaN
      const yes = range(now - SHOWN_WITHIN_MS, now, (at) => spotAt(yesTokenId, at))
      return shown >= yes.least - 1e-9 && shown <= yes.most + 1e-9
    })
    .toBe(true)
}

/** Asks a series of each market, and those that a maker by the machine's clock would price worst. */
async function expectFairMarket(): Promise<void> {
  const [open, now] = [await openSeries(), await marketTime()]
  const byMarket = new Map(open.map((series) => [series.conditionId, series]))
  const worst = open.toSorted((a, b) => errorOf(b, now) - errorOf(a, now)).slice(0, 2)
  for (const series of new Set([...byMarket.values(), ...worst])) await expectFair(series)
}

/**
 * Moves the chain by so many hours, and on to the half hour of the next two days at which the machine's clock would be wrong by the most:
 * the market of another day is another one, and there are days on which little happens.
 */
async function warp(hours: number): Promise<void> {
  const [open, now] = [await openSeries(), await marketTime()]
  const wrongBy = (at: number) => {
    const left = open.filter(({ expiry }) => expiry * 1_000 > at + HOUR_MS)
    return Math.max(0, ...left.map((series) => errorOf(series, at)))
  }
  const choices = Array.from({ length: 96 }, (_, i) => hours + i / 2)
  const wrong = choices.map((choice) => wrongBy(now + choice * HOUR_MS))
  const chosen = choices[wrong.indexOf(Math.max(...wrong))]
  const { code } = await run(['chain', 'warp', `${chosen}h`], { cwd: dir })
  expect(code).toBe(0)
}

test('quotes fit the YES price that is shown, before and after the chain was moved twice, over expiries', async () => {
  await expectFairMarket()
  const expiring = (await openSeries()).toSorted((a, b) => a.expiry - b.expiry)[0] as ListedSeries
  for (const hours of [21, 5]) {
    await warp(hours)
    const now = await marketTime()
    expect(Math.max(...(await openSeries()).map((series) => errorOf(series, now)))).toBeGreaterThan(NOTICED)
    await expectFairMarket()
  }
  const { conditionId, yesTokenId } = expiring
  const asked = taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: toRequestedOption(expiring),
    trade: { side: 'buy', budget: BUDGET },
  })
  await expect(asked).rejects.toMatchObject({ code: 'option_expired' })
})

test('an expired series is settled on the chain by itself, also after the chain was moved past it', async () => {
  const isOver = ({ expiry }: ListedSeries, now: number) => expiry * 1_000 < now - HOUR_MS
  const now = await marketTime()
  const settled = () =>
    taker
      .listSeries()
      .then((series) => series.filter((one) => isOver(one, now)).map(({ resolutionBps }) => resolutionBps !== null))
  expect(await settled()).not.toEqual([])
  await expect.poll(settled, { timeout: 110_000, interval: 500 }).not.toContain(false)
})
