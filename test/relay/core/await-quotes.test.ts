import { expect, test } from 'vitest'
import { createTestRelay, type TestRelay } from '../../support/test-relay.ts'

const never = () => () => {}

const wait = ({ relay }: TestRelay, requestId: string, onWait: (end: () => void) => () => void = never) =>
  relay.awaitQuotes({ requestId, quotes: 1, waitMs: 1_000, onWait })

test('a quote from before the wait counts, and nothing waits', async () => {
  const fixture = createTestRelay()
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const timers = fixture.clock.pending()
  expect(await wait(fixture, requestId, () => expect.fail('it waits'))).toMatchObject({ quoteCount: 1 })
  expect(fixture.clock.pending()).toBe(timers)
})

test('a wait that is ended leaves no timer and no watcher, and its request open', async () => {
  const fixture = createTestRelay()
  const { book } = fixture.ports
  let watching = 0
  const original = book.watch
  book.watch = async (...input) => {
    const stop = await original(...input)
    watching += 1
    return () => {
      watching -= 1
      stop()
    }
  }
  const { requestId } = await fixture.open()
  const timers = fixture.clock.pending()
  let left = 0
  const shown = await wait(fixture, requestId, (end) => {
    expect([watching, fixture.clock.pending()]).toEqual([1, timers + 1])
    end()
    return () => {
      left += 1
    }
  })
  expect(shown).toMatchObject({ status: 'open', quoteCount: 0 })
  expect([watching, left, fixture.clock.pending()]).toEqual([0, 1, timers])
})

test('the store says how a request ended that the live market has forgotten', async () => {
  const fixture = createTestRelay()
  const { requestId, takerSecret } = await fixture.open()
  await fixture.relay.cancelRequest({ requestId, takerSecret })
  const restarted = await fixture.restart()
  expect(await wait(restarted, requestId)).toMatchObject({ status: 'cancelled', best: null, quoteCount: 0 })
})

test('a committed request is shown as by a poll', async () => {
  const fixture = createTestRelay()
  const { requestId } = await fixture.trade()
  const polled = await fixture.relay.readRequest({ requestId, takerSecret: null })
  expect(polled.status).toBe('committed')
  expect(await wait(fixture, requestId)).toEqual(polled)
})

test('a market that cannot be read ends the wait, and leaves no watcher', async () => {
  const fixture = createTestRelay()
  const { requestId } = await fixture.open()
  const { book } = fixture.ports
  let watching = 0
  book.watch = async () => {
    watching += 1
    return () => {
      watching -= 1
    }
  }
  book.top = () => Promise.reject(new Error('the market is down'))
  await expect(wait(fixture, requestId)).rejects.toThrow('the market is down')
  expect(watching).toBe(0)
})
