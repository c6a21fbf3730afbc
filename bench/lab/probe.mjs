import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { offer } from './rpc.mjs'

/** How finely the loop is watched; what is shorter is not seen as a stop. */
const RESOLUTION_MS = 1

/** Between two samples of a profile, microseconds. */
const SAMPLE_US = 100
const session = new Session()
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

offer({
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  mainCpuMs: () =>
    Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
  startProfile: async () => {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
    await session.post('Profiler.start')
  },
  stopProfile: async (path) => {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(path, JSON.stringify(profile))
    session.disconnect()
  },
  residentBytes: async () => {
    await tidy()
    return process.memoryUsage.rss()
  },
  usedBytes: async () => {
    await tidy()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
  watchLoop: () => {
    loop.enable()
    loop.reset()
  },
  longestStopMs: () => Math.max(0, loop.max / 1e6 - RESOLUTION_MS),
})

/** Two collections: what the first finalises goes with the second. */
async function tidy() {
  for (let i = 0; i < 2; i += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
