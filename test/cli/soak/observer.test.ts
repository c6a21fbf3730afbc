import { expect, test } from 'vitest'
import { createObserver } from '../../../src/cli/soak/observer.ts'
import type { MakerSocketMessage } from '../../../src/client/index.ts'
import { usd6 } from '../../../src/domain/units.ts'

const observe = (play: (observer: ReturnType<typeof createObserver>) => void): string[] => {
  const observer = createObserver({ makers: 2, now: () => 1_000 })
  play(observer)
  observer.settle(2_000)
  return [...observer.report().examples]
}

type Observer = ReturnType<typeof createObserver>
const both = (tell: (maker: number) => void) => [0, 1].forEach(tell)
const opened = (observer: Observer, id = 1) =>
  both((maker) => observer.streamed(maker, { kind: 'quote_request', id, requestId: 'r' }))
const ended = (observer: Observer, id = 2) =>
  both((maker) => observer.streamed(maker, { kind: 'quote_request_expired', id, requestId: 'r' }))
const accepted = { kind: 'accepted', acceptance: { requestId: 'r', quoteId: 'q' } } as MakerSocketMessage
const confirmed: MakerSocketMessage = { kind: 'confirmed', requestId: 'r', quoteId: 'q' }
const rejected = { kind: 'rejected', requestId: 'r', quoteId: 'q', reason: 'another_quote_won' } as MakerSocketMessage

/** A trade that maker 0 wins at 0.05 against 0.06, with one step left out or changed. */
function trade(observer: Observer, change: Partial<Record<'asked' | 'loser' | 'end', () => void>> = {}): void {
  opened(observer)
  observer.opened('r', 2)
  observer.quoted(0, 'r', usd6(50_000n))
  observer.quoted(1, 'r', usd6(60_000n))
  observer.messaged(0, accepted)
  change.asked?.()
  observer.committed('r', usd6(50_000n))
  observer.messaged(0, confirmed)
  if (change.loser) change.loser()
  else observer.messaged(1, rejected)
  if (change.end) change.end()
  else ended(observer)
}

test('a trade as it should be has no fault', () => {
  expect(observe(trade)).toEqual([])
})

test('two makers that are asked at the same time are a fault, one after another declined is none', () => {
  const second = (observer: Observer) => observer.messaged(1, accepted)
  expect(observe((observer) => trade(observer, { asked: () => second(observer) }))).toEqual([
    'V1: r waits for two makers',
  ])
  const after = (observer: Observer) => {
    observer.declined(0, 'r')
    second(observer)
  }
  expect(observe((observer) => trade(observer, { asked: () => after(observer) }))).toEqual([])
})

test('a maker that quoted and hears nothing of the end, or twice, is a fault', () => {
  expect(observe((observer) => trade(observer, { loser: () => {} }))).toEqual([
    'V3: maker 1 got 0 last messages about r',
  ])
  const twice = (observer: Observer) => [1, 1].forEach((maker) => void observer.messaged(maker, rejected))
  expect(observe((observer) => trade(observer, { loser: () => twice(observer) }))).toEqual([
    'V3: maker 1 got 2 last messages about r',
  ])
})

test('an end that one stream does not tell is a fault', () => {
  const one = (observer: Observer) => observer.streamed(0, { kind: 'quote_request_expired', id: 2, requestId: 'r' })
  expect(observe((observer) => trade(observer, { end: () => one(observer) }))).toEqual([
    'V4: r ended on 1 of 2 streams',
  ])
})

test('streams that tell different events, or ids that fall, are faults', () => {
  expect(
    observe((observer) => {
      observer.streamed(0, { kind: 'quote_request', id: 1, requestId: 'r' })
      observer.streamed(1, { kind: 'quote_request', id: 2, requestId: 's' })
    }),
  ).toEqual(['V6: maker 1 heard "2 quote_request s" in place of "1 quote_request r"'])
  expect(
    observe((observer) => {
      opened(observer, 5)
      ended(observer, 5)
    }),
  ).toEqual(['V6: the id 5 came after 5'])
})

test('a price that was not the best is a fault, unless the better maker declined', () => {
  const worse = (observer: Observer) => observer.committed('r', usd6(60_000n))
  expect(
    observe((observer) => {
      observer.quoted(0, 'r', usd6(50_000n))
      worse(observer)
    }),
  ).toEqual(['V7: r was taken at a price that was not the best'])
  expect(
    observe((observer) => {
      observer.quoted(0, 'r', usd6(50_000n))
      observer.declined(0, 'r')
      worse(observer)
    }),
  ).toEqual([])
})

test('a wrong number of makers is a fault', () => {
  expect(observe((observer) => observer.opened('r', 3))).toEqual(['V9: 3 of 2 makers were connected'])
})

test('a request that ended a moment ago is not judged yet', () => {
  const observer = createObserver({ makers: 2, now: () => 1_000 })
  trade(observer, { loser: () => {} })
  observer.settle(1_000)
  expect(observer.report()).toEqual({ faults: 0, examples: [], looked: 0 })
})
