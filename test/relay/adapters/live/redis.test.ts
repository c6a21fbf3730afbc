import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usd6 } from '../../../../src/protocol/domain/units.ts'
import { openRedisLive, type RedisLive } from '../../../../src/relay/adapters/live/redis/live.ts'
import type { BookTop, OrderSignature } from '../../../../src/relay/core/ports/book.ts'
import type { MakerEvent, MakerMessage } from '../../../../src/relay/core/ports/live.ts'
import { aQuote, aRequest, aTwoSidedRequest } from '../../../ports/book.fixtures.ts'
import { anAcceptance } from '../../../ports/store.fixtures.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog, type FakeLog } from '../../../support/fake-log.ts'
import { createOwnRedis, HAS_REDIS } from '../../../support/own-redis.ts'
import { flush, REDIS_HINT, REDIS_URL, redis, SIGNATURE_KEY, temporaryName } from '../../../support/redis.ts'
import { createTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { DEMOTION, START_MS } from '../../../support/test-relay.ts'

const FIRM_SIGNATURE: OrderSignature = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' }

const UNAVAILABLE = { code: 'store_unavailable' }

describe.skipIf(REDIS_URL === undefined)(`the live market in Redis${REDIS_HINT}`, () => {
  let name: string
  let epoch: number
  let clock: FakeClock
  let log: FakeLog
  let closers: (() => Promise<unknown>)[]

  beforeEach(() => {
    name = temporaryName()
    epoch = 3
    clock = createFakeClock(START_MS)
    log = createFakeLog()
    closers = [() => flush(name)]
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  async function open(url = REDIS_URL as string, lowestEpoch = 0): Promise<RedisLive> {
    const raiseEpoch = async (above = 0) => {
      epoch = Math.max(epoch, above) + 1
      return epoch
    }
    const settings = { url, name, raiseEpoch, lowestEpoch, signatureKey: SIGNATURE_KEY, demotion: DEMOTION }
    const live = await openRedisLive({ ...settings, clock, log })
    closers.push(live.close)
    return live
  }

  const key = (rest: string) => `${name}:0:${rest}`

  async function openBehindProxy(): Promise<{ live: RedisLive; proxy: TcpProxy }> {
    const server = new URL(REDIS_URL as string)
    const proxy = await createTcpProxy({ host: server.hostname, port: Number(server.port || 6_379) })
    closers.push(proxy.close)
    server.hostname = '127.0.0.1'
    server.port = String(proxy.port)
    return { live: await open(server.href), proxy }
  }

  function hearing({ feed }: RedisLive): MakerEvent[] {
    const events: MakerEvent[] = []
    feed.listen((event) => events.push(event))
    return events
  }

  describe('on two nodes', () => {
    it('tells both of every event, under the same ids, in the same order', async () => {
      const [here, there] = [await open(), await open()]
      const [heardHere, heardThere] = [hearing(here), hearing(there)]
      await here.book.open(aRequest('one'))
      await there.book.open(aRequest('two'))
      await there.book.close('one', 'expired')
      await Promise.all([here.settled(), there.settled()])
      expect(heardHere.map(({ id }) => id)).toEqual([4_000_000_001, 4_000_000_002, 4_000_000_003])
      expect(heardThere).toEqual(heardHere)
    })

    it('shows what was quoted on one to who watches on the other', async () => {
      const [here, there] = [await open(), await open()]
      await here.book.open(aRequest('one'))
      const tops: BookTop[] = []
      await there.book.watch('one', (top) => tops.push(top))
      await here.book.put(aQuote('ada'))
      await here.book.close('one', 'cancelled')
      await there.settled()
      expect(tops.map(({ bookSeq, best, status }) => [bookSeq, best?.makerId, status])).toEqual([
        [1, 'ada', 'open'],
        [2, undefined, 'cancelled'],
      ])
      expect(tops[0]?.request).toEqual(aRequest('one'))
    })

    it('ends the best quote of each side on time for who watches, where the node that took it is gone', async () => {
      const [here, there] = [await open(), await open()]
      await here.book.open(aTwoSidedRequest('one'))
      await here.book.put(aQuote('ada', { otherPrice: usd6(90_000n) }))
      const short = { otherPrice: usd6(100_000n), price: usd6(130_000n), expiresAt: START_MS + 1_000 }
      await here.book.put(aQuote('bob', short))
      const tops: BookTop[] = []
      await there.book.watch('one', (top) => tops.push(top))
      expect((await there.book.top('one'))?.bestBid?.makerId).toBe('bob')
      await clock.advance(1_100)
      await there.settled()
      expect(tops.map(({ best, bestBid, quoteCount }) => [best?.makerId, bestBid?.makerId, quoteCount])).toEqual([
        ['ada', 'ada', 1],
      ])
    })

    it('tells those who watch of the first of many quotes, and of no other until they have looked', async () => {
      const [here, there] = [await open(), await open()]
      await here.book.open(aRequest('one'))
      const tops: BookTop[] = []
      await there.book.watch('one', (top) => tops.push(top))
      for (const maker of ['ada', 'bob', 'cyd']) await here.book.put(aQuote(maker))
      await there.settled()
      expect(tops.map(({ quoteCount }) => quoteCount)).toEqual([1])
      await clock.advance(20)
      await there.settled()
      expect(tops.map(({ quoteCount }) => quoteCount)).toEqual([1, 3])
    })

    it('carries a message to its addressee on the other, once and whole', async () => {
      const [here, there] = [await open(), await open()]
      const heard: MakerMessage[] = []
      for (const { bus } of [here, there]) bus.subscribe('maker', 'ada', (message) => heard.push(message))
      await there.settled()
      const acceptance = anAcceptance(aRequest('one'), { now: START_MS })
      await here.bus.publish('maker', 'ada', { kind: 'accepted', acceptance })
      await Promise.all([here.settled(), there.settled()])
      expect(heard).toEqual([
        { kind: 'accepted', acceptance },
        { kind: 'accepted', acceptance },
      ])
    })

    it('passes over a message of a newer version, and says so once (fault I12)', async () => {
      const live = await open()
      const heard: MakerMessage[] = []
      live.bus.subscribe('maker', 'ada', (message) => heard.push(message))
      await live.settled()
      const message = JSON.stringify({ from: 'another', message: { kind: 'of_the_future' } })
      for (let i = 0; i < 2; i += 1) await redis('PUBLISH', key('bus:maker:ada'), message)
      await live.settled()
      expect(heard).toEqual([])
      expect(log.lines).toMatchObject([
        { event: 'market_begun' },
        { event: 'bus_message_unknown', fields: { reason: 'of_the_future' } },
      ])
    })

    it('passes over an outcome and an event of a newer version, and receives what comes after it (fault I12)', async () => {
      const [here, there] = [await open(), await open()]
      const outcomes: string[] = []
      here.bus.subscribe('acceptance', 'one', (outcome) => outcomes.push(outcome))
      const events = hearing(here)
      await here.settled()
      await redis('PUBLISH', key('bus:acceptance:one'), JSON.stringify({ from: 'another', message: 'put_off' }))
      await redis('HSET', key('feed'), 'offset', '2')
      for (const id of ['4-1', '4-2']) await redis('XADD', key('events'), id, 'of_the_future', '{}', 'more', 'fields')
      await there.book.open(aRequest('one'))
      await there.bus.publish('acceptance', 'one', 'declined')
      await Promise.all([here.settled(), there.settled()])
      expect(outcomes).toEqual(['declined'])
      expect(events.map(({ id }) => id)).toEqual([4_000_000_003])
      expect((await here.feed.since(4_000_000_001))?.map(({ id }) => id)).toEqual([4_000_000_003])
      const told = log.lines.map(({ event, fields }) => `${event} ${fields.reason ?? ''}`)
      expect(told.filter((line) => line.includes('unknown')).toSorted()).toEqual([
        'bus_message_unknown put_off',
        'feed_event_unknown of_the_future',
        'feed_event_unknown of_the_future',
      ])
    })

    it('counts a maker of both once, and forgets a node that is silent for 35 s (fault I10, invariant V9)', async () => {
      const [here, there] = [await open(), await open()]
      await here.presence.join('stream', 'ada', '1')
      const leave = await here.presence.join('socket', 'ada', '2')
      await there.presence.join('stream', 'ada', '3')
      await there.presence.join('stream', 'bob', '4')
      await Promise.all([here.settled(), there.settled()])
      expect(await here.presence.countStreams()).toBe(2)
      expect(await there.presence.hasSocket('ada')).toBe(true)
      expect(await there.presence.list()).toEqual([
        { makerId: 'ada', streams: 2, sockets: 1 },
        { makerId: 'bob', streams: 1, sockets: 0 },
      ])
      leave()
      await here.settled()
      expect(await there.presence.hasSocket('ada')).toBe(false)
      await there.close()
      await clock.advance(36_000)
      await here.settled()
      expect(await here.presence.countStreams()).toBe(1)
    })

    it('says on both that a socket has joined', async () => {
      const [here, there] = [await open(), await open()]
      const joined: string[] = []
      there.presence.onSocket((makerId) => joined.push(makerId))
      await there.settled()
      await here.presence.join('socket', 'ada', '1')
      await here.settled()
      await there.settled()
      expect(joined).toEqual(['ada'])
    })
  })

  describe('and what is lost on the way', () => {
    it('is a change that a watcher receives within 500 ms, and a doubled one comes once', async () => {
      const live = await open()
      await live.book.open(aRequest('one'))
      const tops: BookTop[] = []
      await live.book.watch('one', (top) => tops.push(top))
      await live.book.put(aQuote('ada'))
      await live.settled()
      const old = JSON.stringify(['open', '1', '', '0', ''])
      await redis('PUBLISH', key('top:one'), old)
      await live.settled()
      expect(tops.map(({ bookSeq }) => bookSeq)).toEqual([1])
      await redis('HINCRBY', key('request:one'), 'seq', '1')
      await clock.advance(500)
      await live.settled()
      await clock.advance(0)
      expect(tops.map(({ bookSeq, best }) => [bookSeq, best?.makerId])).toEqual([
        [1, 'ada'],
        [2, 'ada'],
      ])
    })

    it('is an outage: every call is refused at once, and afterwards no event is missing or doubled', async () => {
      const { live, proxy } = await openBehindProxy()
      const other = await open()
      const events = hearing(live)
      await other.book.open(aRequest('one'))
      await live.settled()
      proxy.cut()
      await expect(live.book.open(aRequest('mine'))).rejects.toMatchObject(UNAVAILABLE)
      await expect(live.book.put(aQuote('ada'))).rejects.toMatchObject(UNAVAILABLE)
      await expect(live.presence.countStreams()).rejects.toMatchObject(UNAVAILABLE)
      await other.book.open(aRequest('two'))
      await other.book.close('one', 'expired')
      proxy.pass()
      await expect.poll(() => live.settled().catch(() => 'down')).toBeUndefined()
      expect(events.map(({ id }) => id)).toEqual([4_000_000_001, 4_000_000_002, 4_000_000_003])
    })

    it('is everything: a new epoch begins, ids rise, streams must start again, and open requests come back once', async () => {
      const [here, there] = [await open(), await open()]
      const refills: string[] = []
      for (const [node, { book }] of Object.entries({ here, there })) {
        book.onEmptied(async () => {
          refills.push(node)
          await book.open(aRequest('one'))
        })
      }
      await here.book.open(aRequest('one'))
      await here.book.put(aQuote('ada'))
      await here.check()
      refills.length = 0
      await here.presence.join('stream', 'ada', '1')
      await Promise.all([here.settled(), there.settled()])
      const breaks: string[] = []
      there.feed.onBreak(() => breaks.push('there'))
      const before = await here.feed.position()

      await flush(name)
      await Promise.all([here.check(), there.check()])
      await Promise.all([here.settled(), there.settled()])
      expect(refills).toHaveLength(1)
      // Both have noticed, and one of them has begun the epoch.
      const [again] = await here.book.openRequests()
      expect(again?.id).toBeOneOf([5_000_000_001, 6_000_000_001])
      expect(await here.book.ranked('one')).toEqual([])
      expect(await here.feed.since(before)).toBeNull()
      expect(breaks).toEqual(['there'])
      await here.check()
      await here.settled()
      expect(await there.presence.countStreams()).toBe(1)
    })

    it('is who is connected, also to a node that had not looked at the market yet: it tells them again', async () => {
      const [here, there] = [await open(), await open()]
      await here.presence.join('socket', 'ada', '1')
      await expect.poll(() => there.presence.hasSocket('ada')).toBe(true)
      await flush(name)
      expect(await there.presence.hasSocket('ada')).toBe(false)
      await here.check()
      await expect.poll(() => there.presence.hasSocket('ada')).toBe(true)
    })

    it('is the last moment: a server in the place of another begins an epoch, in which no id is given twice (fault I4)', async () => {
      const [here, there] = [await open(), await open()]
      const refills: string[] = []
      for (const { book } of [here, there]) book.onEmptied(async () => void refills.push('one'))
      await here.book.open(aRequest('one'))
      await Promise.all([here.check(), there.check()])
      refills.length = 0
      const before = await here.feed.position()
      await here.book.open(aRequest('told and lost'))
      const breaks: string[] = []
      there.feed.onBreak(() => breaks.push('there'))
      await there.settled()
      // As a replica has it that did not hear of the last request and is the primary now.
      await redis('HSET', key('feed'), 'offset', '1', 'server', 'another')
      await redis('XDEL', key('events'), '4-2')
      await Promise.all([here.book.open(aRequest('two')), there.check()])
      await here.check()
      await there.settled()
      expect(refills).toEqual(['one'])
      expect(breaks).toEqual(['there'])
      expect(await here.feed.since(before)).toBeNull()
      const ids = (await here.book.openRequests()).map(({ id }) => id)
      expect(ids).toContain(before)
      expect(ids.at(-1)).toBeGreaterThan(before + 1)
    })

    it.skipIf(!HAS_REDIS)(
      'is that a firm quote was withdrawn: its firm signature is not in what takes the place of the server',
      async () => {
        const server = await createOwnRedis()
        const replica = await createOwnRedis({ replicaOf: Number(new URL(server.url).port) })
        closers.push(server.kill, replica.kill)
        const quote = aQuote('ada', { firmTerms: { nonce: 7, validUntil: START_MS } })
        const first = await open(server.url)
        await first.book.open(aRequest('one'))
        await first.book.put(quote)
        expect(await first.book.makeFirm(quote, FIRM_SIGNATURE)).toBe('firm')
        // All that comes later is what a failover loses.
        await expect.poll(() => replica.send('HLEN', key('seals:one'))).toBe(1)
        await replica.send('REPLICAOF', 'NO', 'ONE')
        expect(await first.book.remove(quote)).toBe('removed')
        await server.kill()

        const { book, check } = await open(replica.url)
        expect(await book.lock(quote)).toMatchObject({ isFirm: true })
        expect(await book.firmSignature(quote)).toBeNull()
        await check()
        expect(await book.firmSignature(quote)).toBeNull()
        await book.unlock('one', quote.quoteId, 'unasked')
        // Its maker may make it firm again.
        expect(await book.makeFirm(quote, FIRM_SIGNATURE)).toBe('firm')
        expect(await book.firmSignature(quote)).toEqual(FIRM_SIGNATURE)
        expect((await book.ranked('one'))[0]).toMatchObject({ isFirm: true, price: quote.price })
      },
    )

    it('is what the durable store has forgotten: its market is put back from it, once, and makers stay connected', async () => {
      const [here, there] = [await open(), await open()]
      const refills: string[] = []
      for (const { book } of [here, there]) {
        book.onEmptied(async () => {
          refills.push('kept')
          await book.open(aRequest('kept'))
        })
      }
      await here.book.open(aRequest('kept'))
      await here.book.open(aRequest('lost'))
      await here.book.open(aRequest('traded and lost'))
      await here.book.put(aQuote('ada', { requestId: 'kept' }))
      await here.book.close('traded and lost', 'committed')
      await here.presence.join('stream', 'ada', '1')
      await Promise.all([here.check(), there.check(), here.settled(), there.settled()])
      refills.length = 0
      const before = await here.feed.position()
      const breaks: string[] = []
      for (const { feed } of [here, there]) feed.onBreak(() => breaks.push('away'))
      // As the store has raised it when it noticed; a node that was away for it begins with it.
      const lowest = Math.floor(before / 1_000_000_000) + 100
      epoch = lowest
      await Promise.all([here.renew(lowest), there.renew(lowest)])
      const late = await open(REDIS_URL, lowest)
      await late.check()
      await Promise.all([here.settled(), there.settled()])
      expect(refills).toEqual(['kept'])
      expect(breaks).toEqual(['away', 'away'])
      expect((await late.book.openRequests()).map(({ request }) => request.requestId)).toEqual(['kept'])
      expect(await here.book.find('lost')).toBeNull()
      expect(await here.book.find('traded and lost')).toBeNull()
      expect(await here.book.ranked('kept')).toEqual([])
      expect(await here.feed.since(before)).toBeNull()
      expect(await here.feed.position()).toBeGreaterThan(before)
      expect(await there.presence.countStreams()).toBe(1)
    })

    it('is nothing when nodes start together: one of them begins the epoch, for all', async () => {
      const nodes = await Promise.all([open(), open(), open()])
      const breaks: string[] = []
      for (const { feed } of nodes) feed.onBreak(() => breaks.push('away'))
      await nodes[0]?.book.open(aRequest('one'))
      await Promise.all(nodes.flatMap(({ check, settled }) => [check(), settled()]))
      expect(breaks).toEqual([])
    })

    it('is the library: a Redis that was replaced is given it again', async () => {
      const live = await open()
      await redis('FUNCTION', 'FLUSH')
      await live.book.open(aRequest('one'))
      expect((await live.book.find('one'))?.status).toBe('open')
    })
  })

  it('begins a new epoch when the ids of one are used up', async () => {
    const live = await open()
    await redis('HSET', key('feed'), 'offset', '999999998')
    await live.book.open(aRequest('one'))
    await live.book.open(aRequest('two'))
    expect((await live.book.openRequests()).map(({ id }) => id)).toEqual([4_999_999_999, 5_000_000_001])
  })

  it('continues after an event that it still has, and after no other', async () => {
    const live = await open()
    for (const id of ['one', 'two']) await live.book.open(aRequest(id))
    expect((await live.feed.since(4_000_000_001))?.map(({ id }) => id)).toEqual([4_000_000_002])
    expect(await live.feed.since(4_000_000_002)).toEqual([])
    for (const id of [4_000_000_003, 3_999_999_999, 12, -1, 0.5]) expect(await live.feed.since(id)).toBeNull()
  })

  it('runs one commit of a request at a time, and tells who follows it how it ended', async () => {
    const [here, there] = [await open(), await open()]
    const begun = await here.leases.begin('one', 'terms', null)
    if (begun.kind !== 'begun') throw new Error('not begun')
    const running = await there.leases.begin('one', 'other terms', null)
    expect(running).toMatchObject({ kind: 'running', terms: 'terms' })
    expect(await there.leases.isRunning('one')).toBe(true)
    expect(await begun.isOwner()).toBe(true)
    const waitingFor = running.kind === 'running' ? running.leaseId : ''
    const ended = new Promise<void>((resolve) => there.leases.onEnd(waitingFor, resolve))
    await there.settled()
    const refused = { kind: 'refused', code: 'no_maker_confirmed', detail: 'Nobody.', data: {} } as const
    await begun.end(refused)
    await ended
    expect(await there.leases.begin('one', 'terms', waitingFor)).toEqual({ kind: 'ended', outcome: refused })
    expect(await there.leases.isRunning('one')).toBe(false)
    expect((await there.leases.begin('one', 'terms', null)).kind).toBe('begun')
    expect(await begun.isOwner()).toBe(false)
  })

  it('knows on each node who quoted on a request, also when it is closed', async () => {
    const [here, there] = [await open(), await open()]
    await here.book.open(aRequest('one'))
    await here.book.put(aQuote('ada'))
    await here.book.put(aQuote('bob'))
    await here.book.remove(aQuote('bob'))
    const closed = await here.book.close('one', 'cancelled')
    const quotedBy = ['ada', 'bob'].map((makerId) => ({ makerId, quoteId: `${makerId}-quote` }))
    expect(closed).toEqual({ kind: 'closed', quotedBy })
    expect(await there.quotedBy('one')).toEqual(quotedBy)
    expect(await there.quotedBy('another')).toEqual([])
  })

  it('names the requests that a node left behind, and forgets those that are gone', async () => {
    const live = await open()
    await live.book.open(aRequest('one'))
    await live.book.put(aQuote('ada'))
    await live.book.lock(aQuote('ada'))
    expect(await live.book.orphans()).toEqual([])
    await clock.advance(3_000)
    expect(await live.book.orphans()).toEqual(['one'])
    await live.book.unlock('one', 'ada-quote', 'unasked')
    expect(await live.book.orphans()).toEqual([])
    await clock.advance(300_000)
    expect(await live.book.orphans()).toEqual(['one'])
    await redis('DEL', key('request:one'))
    await live.book.orphans()
    expect(await live.book.orphans()).toEqual([])
  })

  it('keeps no key without an end: each has a time to live, a bound, or the life of an open request', async () => {
    const live = await open()
    await live.presence.join('stream', 'ada', '1')
    for (const id of ['one', 'two']) {
      await live.book.open(aRequest(id))
      await live.book.put(aQuote('ada', { requestId: id, quoteId: `${id}-quote` }))
      await live.book.lock(aQuote('ada', { requestId: id, quoteId: `${id}-quote` }))
      await live.book.unlock(id, `${id}-quote`, 'missed')
    }
    await live.leases.begin('one', 'terms', null)
    const bounded = ['feed', 'events', 'open', 'due', 'held'].map(key)
    const keys = (await redis<string[]>('KEYS', key('*'))).filter((found) => !bounded.includes(found))
    expect(keys.length).toBeGreaterThan(10)
    for (const found of keys) {
      expect({ found, hasEnd: (await redis<number>('PTTL', found)) > 0 }).toEqual({ found, hasEnd: true })
    }
    for (const id of ['one', 'two']) await live.book.close(id, 'expired')
    for (const set of ['open', 'due', 'held']) expect(await redis('EXISTS', key(set))).toBe(0)
    expect(await redis('PTTL', key('quoted:one'))).toBeLessThanOrEqual(16 * 60_000)
    expect(await redis('EXISTS', key('rows:one'))).toBe(0)
    expect(await redis('EXISTS', key('place:one-quote'))).toBe(0)
  })
})
