import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createAnswerTimes } from '../../../src/relay/adapters/metrics/answer-times.ts'

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const ROUTES = [
  { method: 'POST', route: '/v1/mm/quotes' },
  { method: 'GET', route: 'none' },
]

it('the times of answers read as those of a histogram of prom-client', async () => {
  const times = createAnswerTimes()
  const registry = new Registry()
  const histogram = new Histogram({
    name: 'rfqctl_http_request_seconds',
    help: 'Time from the head of a request to its answer; streams are not counted.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  })
  expect(times.expose()).toBe(await registry.metrics())
  for (const route of ROUTES) {
    for (const status of [200, 404]) {
      for (const durationMs of [0, 0.5, 0.6, 2, 30_000, 31_000]) {
        times.of(route)({ status, durationMs })
        histogram.observe({ ...route, status }, durationMs / 1_000)
      }
    }
  }
  expect(times.expose()).toBe(await registry.metrics())
})

it('the counter of a route is the same each time', () => {
  const times = createAnswerTimes()
  const route = { method: 'GET', route: '/' }
  expect(times.of(route)).toBe(times.of({ ...route }))
})
