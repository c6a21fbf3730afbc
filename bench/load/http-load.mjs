import { offer } from '../lab/rpc.mjs'
import { quantile } from '../stats.mjs'
import { call, openHttpConnection } from './http-connection.mjs'

/** Load on kept connections, each with one request under way. */

const openings = []

/** Connections for what only has to be done, as fast as it goes. */
const LANES = 20

offer({
  /** Opens connections; each goes through its own requests, in turn and from the start again. */
  open: ({ port, requests }) => {
    openings.push(requests.map((ofLane) => ({ connection: openHttpConnection(port), requests: ofLane, next: 0 })))
    return openings.length - 1
  },
  /** Sends for a while. `refused` counts the answers that were not 200; latencies in milliseconds. */
  run: async ({ opening, durationMs }) => {
    const latencies = []
    let refused = 0
    const begun = performance.now()
    const end = begun + durationMs
    const runLane = (lane) =>
      new Promise((resolve) => {
        const next = () => {
          const sentAt = performance.now()
          if (sentAt >= end) return resolve()
          const request = lane.requests[lane.next]
          lane.next = (lane.next + 1) % lane.requests.length
          lane.connection.send(request, ({ status }) => {
            latencies.push(performance.now() - sentAt)
            if (status !== 200) refused += 1
            next()
          })
        }
        next()
      })
    await Promise.all((openings[opening] ?? []).map(runLane))
    const seconds = (performance.now() - begun) / 1_000
    return {
      perSecond: latencies.length / seconds,
      count: latencies.length,
      refused,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    }
  },
  /** Sends each request once; fails unless all are answered by 200. */
  sendAll: ({ port, requests }) => sendAll(port, requests, () => {}),
  /** Sends one request so often; resolves with a field of each answer, or with nothing for `field: null`. */
  collect: async ({ port, request, count, field }) => {
    const values = []
    await sendAll(port, Array(count).fill(request), (body) => {
      if (field !== null) values.push(JSON.parse(body.toString())[field])
    })
    return values
  },
})

async function sendAll(port, requests, onBody) {
  let next = 0
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const connection = openHttpConnection(port)
      while (next < requests.length) {
        next += 1
        const { status, body } = await call(connection, requests[next - 1])
        if (status !== 200) throw new Error(`answered by ${status}: ${body}`)
        onBody(body)
      }
      connection.close()
    }),
  )
}
