import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { startLoad } from '../dashboard/load.mjs'
import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequest, quoteRequest } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { ratios } from '../stats.mjs'
import { browserCpuMs, firstLoad, openBrowser, openPages, watchDesk } from '../web/pages.mjs'

const CONNECTIONS = 50
const PAGES = 5
const EVENTS_PER_SECOND = 500

/** How long pages that were just opened, or closed, have to come to rest, and how long relay and browser are then watched at rest. */
const SETTLE_MS = 5_000
const REST_MS = 5_000

/** What the web pages weigh, how soon they are there, and what they cost the relay and their reader. */
export const p14 = {
  id: 'P14',
  title: 'the web pages in Chromium',
  /** Where there is no browser there is nothing to measure. */
  isApart: true,
  block: 'web',
  run: async ({ quick, say }) => {
    const browser = await openBrowser()
    if (browser === null) return { lines: [], notes: ['There is no Chromium on this machine: nothing was measured.'] }
    const makers = makerKeys(CONNECTIONS)
    say('starting a relay on its own chain')
    const relay = await startRelay({
      flags: ['--memory'],
      env: { MAKER_API_KEYS: JSON.stringify(makers), WEB: 'on', QUOTE_REQUEST_TTL_MS: '3600000' },
    })
    try {
      say('first load')
      const loads = []
      for (let i = 0; i < (quick ? 3 : 9); i += 1) loads.push(await firstLoad(browser, relay.url))
      say(`quotes with ${PAGES} pages open, and with none`)
      const rates = await quoteRates({ relay, browser, makers, turns: quick ? 3 : 9 })
      say('the operator’s page under load')
      const desk = await deskUnderLoad(browser, quick ? 10 : 60)
      say(`the operator’s page says ${desk.shown.replaceAll('\n', ' ')}`)
      return {
        lines: linesOf({ loads, rates, desk }),
      }
    } finally {
      await browser.close()
      await relay.stop()
    }
  },
}

async function quoteRates({ relay, browser, makers, turns }) {
  const requestId = await openRequest(relay.port, await longestSeries(relay.port))
  const wallets = relay.sandbox().makers
  const requests = makers.map(({ apiKey }, i) =>
    Array.from({ length: 40 }, () => quoteRequest({ requestId, apiKey, maker: wallets[i % wallets.length].address })),
  )
  const load = startWorker('load/http-load')
  const opening = await load.call('open', { port: relay.port, requests })
  const burst = async (durationMs) => {
    const before = await relay.call('mainCpuMs')
    const { perSecond, count, refused } = await load.call('run', { opening, durationMs })
    if (refused > 0) throw new Error(`${refused} quotes were refused`)
    return { perSecond, cpuUs: (((await relay.call('mainCpuMs')) - before) * 1_000) / count }
  }
  const measure = async () => {
    await setTimeout(SETTLE_MS)
    const before = await relay.call('mainCpuMs')
    const browserBefore = await browserCpuMs(browser)
    await setTimeout(REST_MS)
    const restShare = ((await relay.call('mainCpuMs')) - before) / REST_MS
    const browserShare = ((await browserCpuMs(browser)) - browserBefore) / REST_MS / availableParallelism()
    return { restShare, browserShare, ...(await burst(2_000)) }
  }
  try {
    await burst(4_000)
    return await takeTurns(turns, {
      none: measure,
      open: async () => {
        const close = await openPages(browser, relay.url, PAGES)
        const measured = await measure()
        await close()
        return measured
      },
    })
  } finally {
    await load.stop()
  }
}

async function deskUnderLoad(browser, seconds) {
  const feed = await startLoad({ eventsPerSecond: EVENTS_PER_SECOND, makers: 20 })
  try {
    return await watchDesk(browser, { feedUrl: feed.url, seconds })
  } finally {
    feed.close()
  }
}

function linesOf({ loads, rates, desk }) {
  const alone = (what, unit, samples, goal) => ({
    what,
    ours: { name: 'page', unit, samples },
    comparator: null,
    ratio: null,
    goal,
  })
  const pair = (what, unit, figure, goal) => {
    const [open, none] = [rates.open.map(figure), rates.none.map(figure)]
    return {
      what: `${what}, ${PAGES} pages open`,
      ours: { name: 'relay', unit, samples: open },
      comparator: { name: 'none open', unit, samples: none },
      ratio: ratios(open, none),
      goal,
    }
  }
  return [
    alone(
      'first load, gzipped',
      'kB',
      loads.map(({ bytes }) => bytes / 1_000),
      { atMost: 250 },
    ),
    alone(
      'navigation until markets are drawn',
      's',
      loads.map(({ seconds }) => seconds),
      { atMost: 1 },
    ),
    alone(
      'CPU of the process that draws them, until then',
      's',
      loads.map(({ cpuSeconds }) => cpuSeconds),
      null,
    ),
    pair('quotes a second', '/s', ({ perSecond }) => perSecond, { atLeast: 0.97 }),
    alone(
      `CPU of the browser, ${PAGES} pages at rest, of the machine`,
      '%',
      rates.open.map(({ browserShare }) => browserShare * 100),
      null,
    ),
    pair('CPU of the thread that serves, a quote', 'µs', ({ cpuUs }) => cpuUs, null),
    pair('the same thread without quotes, of a core', '%', ({ restShare }) => restShare * 100, null),
    alone(`longest task, ${EVENTS_PER_SECOND} events a second`, 'ms', [desk.longest], { atMost: 100 }),
  ]
}
