import { expect, test } from 'vitest'
import { createFeedJudge, type FeedEvent } from './judge-feed.ts'

const opened = (id: number, requestId = 'r'): FeedEvent => ({ id, event: 'quote_request', requestId })

/** What was wrong with events that two streams tell, each of them from the id 10 on. */
function faultsOf(...told: [stream: string, event: FeedEvent][]): (string | null)[] {
  const judge = createFeedJudge()
  judge.follow('ada', 10)
  judge.follow('bob', 10)
  return told.map(([stream, event]) => judge.hear(stream, event).fault)
}

test('streams that tell the same, each at its own pace, have no fault', () => {
  const events = [11, 12, 15].map((id) => opened(id, `r${id}`))
  const told = ['ada', 'bob'].flatMap((stream) => events.map((event): [string, FeedEvent] => [stream, event]))
  expect(faultsOf(...told)).toEqual(told.map(() => null))
})

test('an id that falls, or comes again, is a fault', () => {
  expect(faultsOf(['ada', opened(12)], ['ada', opened(11)])[1]).toBe('ada showed quote_request r as 11 after the id 12')
  expect(faultsOf(['ada', opened(12)], ['ada', opened(12)])[1]).toBe('ada showed quote_request r as 12 after the id 12')
})

test('an event that one stream leaves out is a fault, and only once', () => {
  const faults = faultsOf(
    ['ada', opened(11)],
    ['ada', opened(12, 's')],
    ['ada', opened(13, 't')],
    ['bob', opened(11)],
    ['bob', opened(13, 't')],
    ['bob', opened(14, 'u')],
  )
  expect(faults).toEqual([
    null,
    null,
    null,
    null,
    'bob showed quote_request t as 13 instead of quote_request s as 12',
    null,
  ])
})

test('one id that means two things is a fault', () => {
  expect(faultsOf(['ada', opened(11)], ['bob', opened(11, 's')])[1]).toBe(
    'bob showed quote_request s as 11 instead of quote_request r as 11',
  )
})

test('a stream that comes later tells what is new since, and one that left need not tell more', () => {
  const judge = createFeedJudge()
  judge.follow('ada', 10)
  judge.hear('ada', opened(11))
  judge.hear('ada', opened(12, 's'))
  judge.follow('cyd', 11)
  expect(judge.hear('cyd', opened(12, 's')).fault).toBeNull()
  judge.leave('cyd')
  expect(judge.hear('ada', opened(13, 't')).fault).toBeNull()
})

test('what all have told is let go of, and the rest is still held against the others', () => {
  const judge = createFeedJudge()
  judge.follow('ada', 0)
  judge.follow('bob', 0)
  const faults = Array.from({ length: 25_000 }, (_, i) => i + 1).flatMap((id) =>
    ['ada', 'bob'].map((stream) => judge.hear(stream, opened(id)).fault),
  )
  expect(faults.filter((fault) => fault !== null)).toEqual([])
  judge.hear('ada', opened(25_001))
  expect(judge.hear('bob', opened(25_002)).fault).not.toBeNull()
})
