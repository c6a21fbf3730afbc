import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** @typedef {{ apiKey: string, body: unknown }} QuoteCall */

/**
 * The generator `wrk` (Debian), null where it is not installed. It goes through the calls in turn on so many connections,
 * one under way on each, and costs a third of a generator in JavaScript, so that even bare Fastify is what limits.
 * @param {{ path: string, calls: readonly QuoteCall[], connections: number }} input
 */
export function openWrk({ path, calls, connections }) {
  if (spawnSync('wrk', ['--version']).error !== undefined) return null
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  const script = join(dir, 'calls.lua')
  writeFileSync(script, scriptOf(path, calls))
  return {
    /** Sends for a while; `refused` counts the answers that were not 2xx, `p99` is in milliseconds. */
    run: async ({ port, durationMs }) => {
      const seconds = Math.max(1, Math.round(durationMs / 1_000))
      const { stdout } = await promisify(execFile)('wrk', [
        ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '-s', script],
        `http://127.0.0.1:${port}${path}`,
      ])
      return {
        perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
        count: Number(/(\d+) requests in/.exec(stdout)?.[1]),
        refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
        p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
      }
    },
    close: () => rmSync(dir, { recursive: true }),
  }
}

const scriptOf = (path, calls) => `local calls = {}
init = function()
${calls.map(formatOf(path)).join('\n')}
end
local at = 0
request = function()
  at = at % #calls + 1
  return calls[at]
end
`

const formatOf =
  (path) =>
  ({ apiKey, body }, i) => {
    const headers = `{["x-api-key"]="${apiKey}",["content-type"]="application/json"}`
    return `calls[${i + 1}] = wrk.format("POST", "${path}", ${headers}, [[${JSON.stringify(body)}]])`
  }

const UNIT_MS = { us: 0.001, ms: 1, s: 1_000 }

const milliseconds = (match) => (match === null ? Number.NaN : Number(match[1]) * UNIT_MS[match[2]])
