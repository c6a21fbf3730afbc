import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { OperatorNews } from '../../../src/relay/core/operations.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

const snapshotOf = async ({ operations }: TestRelay, lastEventId: number | null = null) => {
  const opening = await operations.feed.open(lastEventId)
  if (opening.kind !== 'snapshot') throw new Error('a replay')
  return opening
}

function listen({ operations }: TestRelay) {
  const news: OperatorNews[] = []
  const stop = operations.feed.listen((item) => news.push(item))
  return { news, stop, kinds: () => news.map(({ kind }) => kind) }
}

describe('the snapshot of the operator feed', () => {
  it('shows open requests with their quotes best first, who is asked and until when', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    await fixture.quote('bob', requestId, { price: usd6(110_000n) })
    const commit = fixture.commit(requestId)
    commit.catch(() => {})
    await settle()
    const { openRequests, requests } = await snapshotOf(fixture)
    expect(openRequests).toBe(1)
    expect(requests).toMatchObject([
      {
        requestId,
        quotes: [{ makerId: 'ada' }, { makerId: 'bob' }],
        quoteCount: 2,
        pending: { makerId: 'ada', quoteId, deadline: fixture.clock.now() + 10_000 },
      },
    ])
    expect(requests[0]).not.toHaveProperty('takerSecretDigest')
  })

  it('shows the newest requests, and before them older ones that wait for a signature', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    fixture.commit(requestId).catch(() => {})
    await settle()
    const quiet = await fixture.open()
    for (let i = 0; i < 500; i += 1) await fixture.open()
    const { openRequests, requests } = await snapshotOf(fixture)
    expect([openRequests, requests.length]).toEqual([502, 501])
    expect(requests[0]?.requestId).toBe(requestId)
    expect(requests.map(({ requestId }) => requestId)).not.toContain(quiet.requestId)
  })

  it('carries the newest of the audit log, so that refusals of before are known', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await refusal(fixture.quote('ada', requestId, { price: usd6(999_999n) }))
    const { recent, position } = await snapshotOf(fixture)
    expect(recent.map(({ entry }) => entry.kind)).toEqual(['opened', 'quote_refused'])
    expect(recent.at(-1)?.id).toBe(position)
  })

  it('says nothing of what cannot be read, and everything else', async () => {
    const fixture = createTestRelay()
    fixture.chain.down = true
    const { state } = await snapshotOf(fixture)
    expect(state.series).toBeNull()
    expect(state.makers).toEqual([])
    expect(state.health.parts.chain.state).toBe('down')
  })
})

describe('the replay of the operator feed', () => {
  it('tells what came after an id, and gives a snapshot for one it cannot continue from', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const { position } = await snapshotOf(fixture)
    await fixture.quote('ada', requestId)
    expect(await fixture.operations.feed.open(position)).toMatchObject({
      kind: 'replay',
      position: position + 1,
      missed: [{ id: position + 1, entry: { kind: 'quoted' } }],
    })
    expect(await fixture.operations.feed.open(position + 1)).toMatchObject({ kind: 'replay', missed: [] })
    expect(await fixture.operations.feed.open(7)).toMatchObject({ kind: 'snapshot' })
  })
})

describe('the news of the operator feed', () => {
  it('tell what happens, once and in order', async () => {
    const fixture = createTestRelay()
    const { news } = listen(fixture)
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await settle()
    const events = news.flatMap((item) => (item.kind === 'happened' ? item.events : []))
    expect(events.map(({ entry }) => entry.kind)).toEqual(['opened', 'quoted'])
  })

  it('tell of makers that came, went or did something, and of no others', async () => {
    const fixture = createTestRelay()
    const { news } = listen(fixture)
    const ada = await fixture.connect('ada')
    await fixture.relay.joinMakerStream('bob', { connectionId: 'b1', hears: { packages: false, twoSided: false } })
    await fixture.clock.advance(1_000)
    const makers = () => news.flatMap((item) => (item.kind === 'makers' ? [item.makers] : []))
    expect(makers()).toMatchObject([
      [
        { makerId: 'bob', streams: 1, sockets: 0 },
        { makerId: 'ada', streams: 0, sockets: 1 },
      ],
    ])
    await fixture.clock.advance(2_000)
    expect(makers()).toHaveLength(1)
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(1_000)
    expect(makers().at(-1)).toMatchObject([{ makerId: 'ada', quotes: 1, requestsQuoted: 1 }])
    ada.disconnect()
    await fixture.clock.advance(1_000)
    expect(makers().at(-1)).toMatchObject([{ makerId: 'ada', sockets: 0 }])
  })

  it('show keyless streams as one maker', async () => {
    const fixture = createTestRelay()
    await fixture.relay.joinMakerStream('anonymous', { connectionId: 'a', hears: { packages: false, twoSided: false } })
    await fixture.relay.joinMakerStream('anonymous', { connectionId: 'b', hears: { packages: false, twoSided: false } })
    const { state } = await snapshotOf(fixture)
    expect(state.makers).toMatchObject([{ makerId: 'anonymous', streams: 2 }])
  })

  it('carry health every other second, and read nothing without listeners', async () => {
    const fixture = createTestRelay()
    const { kinds, stop } = listen(fixture)
    await fixture.clock.advance(4_000)
    expect(kinds()).toEqual(['health', 'series', 'health'])
    stop()
    await fixture.clock.advance(10_000)
    expect(kinds()).toHaveLength(3)
    expect(fixture.clock.pending()).toBe(0)
  })

  it('tell of series that came further, and of no others', async () => {
    const fixture = createTestRelay()
    const { news } = listen(fixture)
    const told = () => news.flatMap((item) => (item.kind === 'series' ? [item.series.map(({ phase }) => phase)] : []))
    await fixture.clock.advance(1_790_000)
    expect(told()).toEqual([['trading', 'trading']])
    await fixture.clock.advance(10_000)
    expect(told().at(-1)).toEqual(['window', 'window'])
  })

  it('keep one pace however many listen, leave and come back', async () => {
    const fixture = createTestRelay()
    listen(fixture).stop()
    listen(fixture).stop()
    const { kinds } = listen(fixture)
    listen(fixture)
    await fixture.clock.advance(2_000)
    expect(kinds()).toEqual(['health', 'series'])
  })

  it('keep one pace also when all leave and one comes while a look is under way', async () => {
    const fixture = createTestRelay()
    const { presence } = fixture.ports
    const list = presence.list
    let release = () => {}
    presence.list = () =>
      new Promise((resolve) => {
        release = () => resolve([])
      })
    const first = listen(fixture)
    await fixture.clock.advance(1_000)
    first.stop()
    const { kinds } = listen(fixture)
    presence.list = list
    release()
    await fixture.clock.advance(4_000)
    expect(kinds().filter((kind) => kind === 'health')).toHaveLength(2)
  })

  it('go on when a part fails', async () => {
    const fixture = createTestRelay()
    const { news } = listen(fixture)
    fixture.chain.down = true
    await fixture.clock.advance(2_000)
    fixture.chain.down = false
    await fixture.clock.advance(2_000)
    expect(news.map((item) => (item.kind === 'health' ? item.health.parts.chain.state : item.kind))).toEqual([
      'down',
      'up',
      'series',
    ])
  })
})
