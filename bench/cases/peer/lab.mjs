import { setTimeout as pause } from 'node:timers/promises'
import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, makerKeys, openRequestBody, quoteRequest } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { quantile } from '../../stats.mjs'

/** Connections of bare Fastify. */
const CONNECTIONS = 50

/** A round is played on until the look at the end of its cell. */
const SLACK_MS = 50

/**
 * All systems, up at once, with so many makers each. What they do in a cell is looked at once requests of the same kind end all
 * the time: `ttlMs` after it has begun, for `cellMs`.
 */
export async function openLab({ makers, ttlMs, cellMs }) {
  const keys = makerKeys(makers)
  // One taker fills none of its orders.
  const env = {
    QUOTE_REQUEST_TTL_MS: String(ttlMs),
    MAX_UNFILLED_ORDERS: '0',
    MAKER_API_KEYS: JSON.stringify(keys),
  }
  const start = () => startRelay({ flags: ['--memory', '--no-chain'], env })
  const load = startWorker('load/quoting-load')
  const servers = {
    socket: await start(),
    rest: await start(),
    standIn: startWorker('lab/stand-in'),
    echo: startWorker('lab/bare-echo'),
    bare: startWorker('lab/bare-fastify'),
  }
  const ports = {
    socket: servers.socket.port,
    rest: servers.rest.port,
    standIn: await servers.standIn.call('listen'),
    echo: await servers.echo.call('listen'),
    bare: await servers.bare.call('listen'),
  }
  const series = await longestSeries(ports.rest)
  for (const name of ['socket', 'rest', 'standIn']) {
    await load.call('join', { name, port: ports[name], makersBy: name, keys, series })
  }
  const request = quoteRequest({ requestId: 'any', apiKey: 'any' })
  const requests = Array.from({ length: CONNECTIONS }, () => [request])
  const opening = await load.call('open', { port: ports.bare, requests })

  const look = async (server) => ({
    cpuMs: await server.call('mainCpuMs'),
    loadMs: await load.call('cpuMs'),
    ...(await load.call('look')),
  })

  /** What is played while it is looked at. */
  const played = async ({ relay, takerBy, ends }, atOnce) => {
    const server = servers[relay]
    const looks = async () => {
      await pause(ttlMs)
      const before = await look(server)
      await pause(cellMs)
      return [before, await look(server)]
    }
    const terms = { name: relay, takerBy, ends, durationMs: ttlMs + cellMs + SLACK_MS, atOnce }
    const [[before, after]] = await Promise.all([looks(), load.call('play', terms)])
    if (after.refused > 0) throw new Error(`${after.refused} quotes were refused as too many`)
    if (after.unsigned > 0) throw new Error(`${after.unsigned} commits were not signed in time`)
    return figuresOf(before, after)
  }

  /** What is run, once the requests of the former cell have ended. */
  const run = async (server, work) => {
    await pause(ttlMs)
    const before = await look(server)
    const { count } = await work()
    return figuresOf(before, { ...(await look(server)), count })
  }

  return {
    cells: ({ ways, atOnce }) => ({
      ...Object.fromEntries(ways.map((way) => [way.name, () => played(way, atOnce)])),
      echo: () => run(servers.echo, () => load.call('echo', { port: ports.echo, durationMs: cellMs })),
      bare: () => run(servers.bare, () => load.call('run', { opening, durationMs: cellMs })),
    }),
    offersOneCall: () => offersOneCall(servers.socket.url, series),
    close: async () => {
      await load.stop()
      await Promise.all(Object.values(servers).map((server) => server.stop()))
    },
  }
}

/** What was done between two looks, and what that took of the thread that serves and of the load's process. */
function figuresOf(before, after) {
  const { count, latencies, outlived } = after
  const tookMs = after.at - before.at
  return {
    perSecond: (count * 1_000) / tookMs,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / count,
    loadShare: (after.loadMs - before.loadMs) / tookMs,
    outlived,
  }
}

/** Whether the relay answers the call that asks by a stream: a build to compare with may not. */
async function offersOneCall(url, series) {
  const { headers, body } = await fetch(`${url}/quote-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(openRequestBody(series)),
  })
  await body?.cancel()
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}
