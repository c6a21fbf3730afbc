import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildWhenStale } from '../../kit/build.ts'
import { closeAll } from '../../kit/keep.ts'
import { SOAKED } from '../attacks/catalogue.ts'
import { percentile } from '../lab/flood.ts'
import { type Attacked, startAttacked } from '../lab/forms.ts'
import { createHonestPair, type HonestPair } from '../lab/honest.ts'
import { createTarget, type Target } from '../lab/target.ts'
import { startArmy } from './army.ts'
import { assertKept } from './promises.ts'

/** How long the attacks last; a quarter of that is the quiet before them, in milliseconds. */
const ATTACKED_MS = Number(process.env.RFQCTL_HOSTILE_S ?? 45) * 1_000
const QUIET_MS = ATTACKED_MS / 4

/** How often the pair trades, and how often it thinks better of it. */
const TRADE_EVERY_MS = 400
const CANCEL_EVERY = 5

/** What a commit may take under attack, as a multiple of what it takes in quiet. */
const MOST_TIMES_SLOWER = 5

/** How many commits must lie beyond the share that is judged: the slowest few of a short run tell of luck. */
const BEYOND = 10
const MOST_SHARE = 0.99

/** What a commit takes at least by the clock of a busy machine, in milliseconds: below it no multiple says anything. */
const LEAST_MS = 20

/** Honest calls of a thousand that may be refused under attack. */
const MOST_REFUSED_PER_MILLE = 5

/** What a stretch of trading was like. */
type Stretch = {
  times: number[]
  /** What the thread that serves did on a core while a trade was made. */
  worked: number[]
  faults: string[]
  residentMiB: number
  aliveMs: number
  ran: number
  waited: number
}

describe('a relay that everything is done to at once', () => {
  let attacked: Attacked
  let target: Target
  let pair: HonestPair
  let hasEnded = false

  beforeAll(async () => {
    await buildWhenStale()
    attacked = await startAttacked()
    void attacked.process.exited.then(() => {
      hasEnded = true
    })
    target = createTarget(attacked)
    pair = await createHonestPair(target.service, await target.maker())
    for (let n = 0; n < 30; n += 1) await pair.trade()
  }, 180_000)
  afterAll(async () => {
    pair?.close()
    // A relay that is killed leaves its chain running for the next one to go on with.
    await attacked?.remove()
    closeAll()
  }, 60_000)

  /** The pair trades for so long; somebody else asks meanwhile whether the relay is alive. */
  async function tradeFor(ms: number): Promise<Stretch> {
    const stretch: Stretch = { times: [], worked: [], faults: [], residentMiB: 0, aliveMs: 0, ran: 0, waited: 0 }
    const end = Date.now() + ms
    const [ranBefore, waitedBefore] = coreMs(attacked.pid)
    const watcher = target.stranger()
    const watching = (async () => {
      while (Date.now() < end && !hasEnded) {
        stretch.residentMiB = Math.max(stretch.residentMiB, target.residentMiB())
        const begun = performance.now()
        const { status } = await watcher.ask('GET', '/healthz')
        if (status !== 200) stretch.faults.push(`/healthz: ${status}`)
        stretch.aliveMs = Math.max(stretch.aliveMs, performance.now() - begun)
        await wait(500)
      }
    })()
    for (let n = 0; Date.now() < end && !hasEnded; n += 1) {
      const begun = Date.now()
      const [workedBefore] = coreMs(attacked.pid)
      const trading = n % CANCEL_EVERY === CANCEL_EVERY - 1 ? pair.changeMind() : pair.trade()
      await trading.then(
        (took) => {
          if (took === undefined) return
          stretch.times.push(took)
          stretch.worked.push(coreMs(attacked.pid)[0] - workedBefore)
        },
        (fault) => void stretch.faults.push(String(fault).slice(0, 200)),
      )
      await wait(Math.max(0, TRADE_EVERY_MS - (Date.now() - begun)))
    }
    await watching
    const [ran, waited] = hasEnded ? [0, 0] : coreMs(attacked.pid)
    stretch.ran = (ran - ranBefore) / ms
    stretch.waited = (waited - waitedBefore) / ms
    return stretch
  }

  it('lets honest people trade, and keeps all that it promised them over a crash', {
    timeout: ATTACKED_MS * 2 + 240_000,
  }, async () => {
    const loadBefore = loadavg()[0]
    const quiet = await tradeFor(QUIET_MS)
    const army = await startArmy(
      { ready: attacked.ready, pid: attacked.pid, keys: attacked.keys.slice(1), operatorToken: attacked.operatorToken },
      target.service.chain as NonNullable<typeof target.service.chain>,
    )
    const stormy = await tradeFor(ATTACKED_MS)
    assert(!hasEnded, `the relay has ended: ${attacked.process.stderr().slice(-2_000)}`)
    const made = await army.stop()
    assert(made.length >= SOAKED.length, `only ${made.length} of ${SOAKED.length} attacks were made to the end`)

    console.log(table({ quiet, stormy }))
    const [quietP99, stormyP99] = [quiet, stormy].map(({ times }) => percentile(times, MOST_SHARE)) as [number, number]
    console.log(`p99 of commits: ${(stormyP99 / quietP99).toFixed(1)} of that in quiet`)
    console.log(`load of the machine before: ${loadBefore?.toFixed(1)}; under attack: ${loadavg()[0]?.toFixed(1)}`)
    console.log(`${made.length} attacks, ${made.reduce((sum, { runs }) => sum + runs, 0)} runs of them`)
    for (const { holds, runs, faults, last } of made.filter(({ faults }) => faults > 0))
      console.log(`  ${faults} of ${runs} runs saw something else: ${holds}\n    ${last}`)
    for (const fault of new Set(stormy.faults)) console.log(`  told an honest client: ${fault}`)

    attacked = await attacked.restart()
    const again = createTarget(attacked)
    await assertKept(again, pair)
    await again.assertServes()
    console.log(`${pair.promised.length} promises kept over a kill`)

    assert.equal(quiet.faults.length, 0, quiet.faults[0])
    const calls = stormy.times.length + stormy.faults.length
    assert(
      stormy.faults.length <= (calls * MOST_REFUSED_PER_MILLE) / 1_000,
      `${stormy.faults.length} of ${calls}: ${stormy.faults[0]}`,
    )
    const share = Math.min(MOST_SHARE, 1 - BEYOND / stormy.times.length)
    const [before, under] = [quiet, stormy].map(({ times }) => percentile(times, share)) as [number, number]
    const most = MOST_TIMES_SLOWER * Math.max(before, LEAST_MS)
    const slow = `${Math.round(share * 100)} of 100 commits take up to ${Math.round(under)} ms`
    assert(under < most, `${slow}, and ${Math.round(before)} ms in quiet`)
  })
})

/** How long the thread that serves has had a core, and how long it waited for one, in milliseconds. */
function coreMs(pid: number): [ran: number, waited: number] {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  return [Number(ran) / 1e6, Number(waited) / 1e6]
}

/** What was measured, in columns. */
function table(stretches: Record<string, Stretch>): string {
  const rows = Object.entries(stretches).map(([name, { times, worked, faults, residentMiB, aliveMs, ran, waited }]) => {
    const [workedHalf, workedMost] = [0.5, 0.99].map((share) => `${Math.round(percentile(worked, share))} ms`)
    const [half, most, worst] = [0.5, 0.99, 1].map((share) => `${Math.round(percentile(times, share))} ms`)
    return [
      name,
      times.length,
      half,
      most,
      worst,
      workedHalf,
      workedMost,
      faults.length,
      `${Math.round(residentMiB)} MiB`,
      `${Math.round(aliveMs)} ms`,
      `${Math.round(ran * 100)} %`,
      `${Math.round(waited * 100)} %`,
    ]
  })
  const head = [
    '',
    'commits',
    'p50',
    'p99',
    'max',
    'its work p50',
    'p99',
    'refused',
    'resident',
    '/healthz max',
    'on a core',
    'waits for one',
  ]
  return [head, ...rows].map((row) => row.map((cell) => String(cell).padEnd(13)).join('')).join('\n')
}
