import { offer } from '../lab/rpc.mjs'
import { quantile } from '../stats.mjs'
import { openHttpConnection } from './http-connection.mjs'

const openings = []

offer({
  open: ({ port, requests }) => {
    openings.push(requests.map((ofLane) => ({ connection: openHttpConnection(port), requests: ofLane, next: 0 })))
    return openings.length - 1
  },
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
})
