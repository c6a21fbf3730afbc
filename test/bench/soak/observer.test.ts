import { expect, test } from 'vitest'
import { createObserver, TAKER_STREAM } from '../../../bench/soak/observer.ts'
import { usd6 } from '../../../src/domain/units.ts'

const MAKERS = ['ada', 'bob']
const trade = { side: 'buy', budget: usd6(1_000_000n) } as const

/** A request that opens and ends; the streams that tell its end may be chosen. */
function observe(ends: readonly string[] = [...MAKERS, TAKER_STREAM], makersConnected = 2) {
  const observer = createObserver({ makers: MAKERS, now: () => 1_000 })
  for (const maker of MAKERS) observer.follow(maker, 0)
  for (const maker of MAKERS) observer.streamed(maker, { id: 1, event: 'quote_request', requestId: 'r' })
  observer.opened('r', { trade, makersConnected })
  for (const stream of ends) {
    if (stream === TAKER_STREAM) observer.saw('r', { kind: 'ended', stream })
    else observer.streamed(stream, { id: 2, event: 'quote_request_expired', requestId: 'r' })
  }
  return observer
}

test('a request is judged once it ended long enough ago, and forgotten', () => {
  const observer = observe()
  observer.settle(1_000)
  expect(observer.report().judged).toBe(0)
  observer.settle(1_001)
  observer.settle(1_001)
  expect(observer.report()).toMatchObject({ judged: 1, faults: 0, broken: 0, examples: [] })
})

test('what judges find is counted by its invariant: an end that one stream does not tell, a wrong number of makers', () => {
  const observer = observe(['ada', TAKER_STREAM], 3)
  observer.settle(2_000)
  const { scores, examples } = observer.report()
  expect(examples).toEqual(['V9: 3 of 2 makers were connected', 'V4: bob showed 0 times that r ended'])
  expect(scores.V4).toEqual({ checks: 3, faults: 1 })
})

test('streams that tell different events are a fault', () => {
  const observer = observe()
  observer.streamed('ada', { id: 3, event: 'quote_request', requestId: 's' })
  observer.streamed('bob', { id: 3, event: 'quote_request', requestId: 't' })
  expect(observer.report().scores.V6?.faults).toBe(1)
})

test('news of a request after it was judged is a fault', () => {
  const observer = observe()
  observer.settle(2_000)
  observer.saw('r', { kind: 'ended', stream: 'ada' })
  observer.opened('r', { trade, makersConnected: 2 })
  observer.settle(2_000)
  expect(observer.report().scores.V4?.faults).toBe(2)
})

test('calls that failed are counted beside the invariants', () => {
  const observer = observe()
  observer.failed('a quote', new Error('answered by 500'))
  expect(observer.report()).toMatchObject({ broken: 1, faults: 0, examples: ['a quote: answered by 500'] })
})
