// What the dashboard costs under load: `node bench/dashboard/measure.mjs [seconds] [events per second]`, after a build.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startLoad } from './load.mjs'

const WARM_UP_S = 10

/**
 * Runs the dashboard in a process of its own against a feed of so many events a second, and tells what it cost.
 * @param {{ seconds?: number, eventsPerSecond?: number, makers?: number, columns?: number, rows?: number }} [options]
 * @returns {Promise<{ coreShare: number, redrawsPerSecond: number, bytesPerSecond: number, firstFrameMs: number,
 *   heapStartBytes: number, heapEndBytes: number, rssEndBytes: number }>} `coreShare`: 1 is a whole core.
 */
export async function measureDashboard({
  seconds = 30,
  eventsPerSecond = 500,
  makers = 20,
  columns = 118,
  rows = 28,
} = {}) {
  const load = await startLoad({ eventsPerSecond, makers })
  const watched = fileURLToPath(new URL('./watched.mjs', import.meta.url))
  const child = spawn(process.execPath, ['--expose-gc', watched, load.url, String(columns), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CI: 'false', CONTINUOUS_INTEGRATION: 'false' },
  })
  const samples = []
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      samples.push(JSON.parse(line))
      if (samples.length >= WARM_UP_S + seconds) break
    }
  } finally {
    child.kill()
    load.close()
  }
  const measured = samples.slice(WARM_UP_S)
  const mean = (of) => measured.reduce((sum, sample) => sum + of(sample), 0) / measured.length
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  const third = Math.max(1, Math.floor(measured.length / 3))
  const heap = (part) => median(part.map(({ heapUsed }) => heapUsed))
  return {
    coreShare: mean(({ coreShare }) => coreShare),
    redrawsPerSecond: mean(({ redraws }) => redraws),
    bytesPerSecond: Math.round(mean(({ bytes }) => bytes)),
    firstFrameMs: samples[0].firstFrameMs,
    heapStartBytes: heap(measured.slice(0, third)),
    heapEndBytes: heap(measured.slice(-third)),
    rssEndBytes: measured.at(-1).rss,
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [seconds, eventsPerSecond] = process.argv.slice(2).map(Number)
  const options = { ...(seconds ? { seconds } : {}), ...(eventsPerSecond ? { eventsPerSecond } : {}) }
  process.stdout.write(`${JSON.stringify(await measureDashboard(options), null, 2)}\n`)
}
