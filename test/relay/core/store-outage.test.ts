import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

/** Takes the store's writes down; the returned function brings them back. */
function breakStore({ ports: { store } }: TestRelay): () => void {
  const { close } = store.requests
  const { end } = store.acceptances
  const broken = () => Promise.reject(new RfqError('store_unavailable'))
  store.requests.close = broken
  store.acceptances.end = broken
  return () => {
    store.requests.close = close
    store.acceptances.end = end
  }
}

const statusOf = async ({ relay }: TestRelay, requestId: string) =>
  (await relay.readRequest({ requestId, takerSecret: null })).status

describe('while the store is down', () => {
  it('a cancel is refused and the request stays open for all', async () => {
    const fixture = createTestRelay()
    const opened = await fixture.open()
    const mend = breakStore(fixture)
    expect(await refusal(fixture.relay.cancelRequest(opened))).toBe('store_unavailable')
    expect(await statusOf(fixture, opened.requestId)).toBe('open')
    expect((await fixture.relay.openMakerFeed(null)).kind).toBe('snapshot')
    mend()
    await fixture.relay.cancelRequest(opened)
    expect(await statusOf(fixture, opened.requestId)).toBe('cancelled')
  })

  it('a missed deadline fails the commit; once the store is back the request can be committed again', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = refusal(fixture.commit(requestId))
    await settle()
    const mend = breakStore(fixture)
    await fixture.clock.advance(12_000)
    expect(await commit).toBe('store_unavailable')
    mend()
    await fixture.clock.advance(1_000)
    const again = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await again).execution.acceptance.makerId).toBe('ada')
  })

  it('a request does not expire, and does so as soon as it is back', async () => {
    const fixture = createTestRelay()
    const events: string[] = []
    fixture.relay.listenMakerFeed(({ kind }) => events.push(kind))
    await fixture.open()
    const mend = breakStore(fixture)
    await fixture.clock.advance(310_000)
    expect(events).toEqual(['quote_request'])
    mend()
    await fixture.clock.advance(1_000)
    expect(events).toEqual(['quote_request', 'quote_request_expired'])
  })

  it('a request whose maker was asked before a crash expires after its deadline once the store is back', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(295_000)
    void fixture.commit(requestId).catch(() => {})
    await settle()
    const after = await fixture.restart()
    const mend = breakStore(after)
    await after.clock.advance(30_000)
    mend()
    await after.clock.advance(2_000)
    expect(await refusal(statusOf(after, requestId))).toBe('request_expired')
    expect(await after.ports.store.acceptances.findActive(requestId)).toBeNull()
  })
})

it('a maker that was away reads in its history how its quotes ended', async () => {
  const fixture = createTestRelay()
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const lost = await fixture.quote('bob', requestId)
  const commit = fixture.commit(requestId)
  await settle()
  await ada.confirm()
  await commit
  const outcomes = await fixture.ports.store.history.list({
    makerId: 'bob',
    after: null,
    since: null,
    status: null,
    limit: 9,
  })
  expect(outcomes).toMatchObject([{ status: 'rejected', quoteId: lost, reason: 'another_quote_won' }])
})

describe('a request whose opening fails after the store has it', () => {
  const outage = new RfqError('store_unavailable')

  it.each(['store', 'book'])('ends at its time: its %s has not answered', async (part) => {
    const fixture = createTestRelay()
    const { store, book } = fixture.ports
    const { insert } = store.requests
    if (part === 'book') book.open = () => Promise.reject(outage)
    else
      store.requests.insert = async (request) => {
        await insert(request)
        throw outage
      }
    expect(await refusal(fixture.open())).toBe('store_unavailable')
    expect(await store.requests.listOpen()).toHaveLength(1)
    await fixture.clock.advance(310_000)
    expect(await store.requests.listOpen()).toHaveLength(0)
  })
})
