// Runs the built dashboard on a terminal that only counts, for `measure.mjs`: one JSON line a second on stdout.

import { createOperatorClient } from '../../dist/modules/client/operator.js'
import { systemClock } from '../../dist/modules/lib/clock.js'
import { preferReleaseBuilds } from '../../dist/modules/relay/config/environment.js'
import { UNICODE } from '../../dist/modules/web/dashboard/theme.js'

const [url = '', columns = '118', rows = '28'] = process.argv.slice(2)
preferReleaseBuilds()
const { runDashboard } = await import('../../dist/modules/cli/dashboard/terminal/run.js')

let writes = 0
let bytes = 0
let firstFrameMs = null
const startedAt = performance.now()

const stdout = {
  isTTY: true,
  columns: Number(columns),
  rows: Number(rows),
  write: (text, done) => {
    if (firstFrameMs === null && text.includes('rfqctl')) firstFrameMs = Math.round(performance.now() - startedAt)
    writes += text.includes('rfqctl') ? 1 : 0
    bytes += Buffer.byteLength(text)
    if (typeof done === 'function') done()
    return true
  },
  on: () => stdout,
  off: () => stdout,
}
const stdin = {
  isTTY: true,
  setEncoding: () => {},
  setRawMode: () => {},
  addListener: () => {},
  removeListener: () => {},
  ref: () => {},
  unref: () => {},
  read: () => null,
}

let last = process.cpuUsage()
let lastAt = performance.now()
setInterval(() => {
  const used = process.cpuUsage(last)
  const elapsedMs = performance.now() - lastAt
  // Not counted: only what survives it tells whether memory is flat.
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const coreShare = (used.user + used.system) / 1_000 / elapsedMs
  process.stdout.write(`${JSON.stringify({ coreShare, heapUsed, rss, redraws: writes, bytes, firstFrameMs })}\n`)
  last = process.cpuUsage()
  lastAt = performance.now()
  writes = 0
  bytes = 0
}, 1_000)

await runDashboard({
  client: createOperatorClient({ url, token: 'bench' }),
  clock: systemClock,
  theme: { glyphs: UNICODE, medium: 'screen' },
  view: process.env.BENCH_VIEW ?? 'requests',
  terminal: { stdin, stdout },
  isColorful: true,
  signal: new AbortController().signal,
})
