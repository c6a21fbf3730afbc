import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRedisLive, type RedisLive } from '../../../../src/relay/adapters/live/redis/live.ts'
import type { OrderSignature } from '../../../../src/relay/core/ports/book.ts'
import type { MakerEvent } from '../../../../src/relay/core/ports/live.ts'
import { eventually } from '../../../kit/eventually.ts'
import { aQuote, aRequest } from '../../../ports/book.fixtures.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog, type FakeLog } from '../../../support/fake-log.ts'
import { createOwnRedis, HAS_REDIS, type OwnRedis } from '../../../support/own-redis.ts'
import { SIGNATURE_KEY, temporaryName } from '../../../support/redis.ts'
import { createTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { DEMOTION, START_MS } from '../../../support/test-relay.ts'

const FIRM_SIGNATURE: OrderSignature = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' }
const HINT = HAS_REDIS ? '' : ' (skipped: install redis-server)'

describe.skipIf(!HAS_REDIS)(`an address that leads to a former primary again${HINT}`, () => {
  let name: string
  let clock: FakeClock
  let log: FakeLog
  let epoch: number
  let begunEpoch: number
  let former: OwnRedis
  let promoted: OwnRedis
  let address: TcpProxy
  let closers: (() => Promise<unknown>)[]

  beforeEach(async () => {
    name = temporaryName()
    clock = createFakeClock(START_MS)
    log = createFakeLog()
    epoch = 3
    begunEpoch = 0
    former = await createOwnRedis()
    await former.send('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
    promoted = await createOwnRedis({ replicaOf: Number(new URL(former.url).port) })
    address = await createTcpProxy(placeOf(former))
    closers = [former.kill, promoted.kill, address.close]
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  const placeOf = ({ url }: OwnRedis) => ({ host: '127.0.0.1', port: Number(new URL(url).port) })

  async function open(): Promise<RedisLive> {
    const raiseEpoch = async (above = 0) => {
      epoch = Math.max(epoch, above) + 1
      return epoch
    }
    const url = `redis://127.0.0.1:${address.port}`
    const noteBegunEpoch = async (begun: number) => {
      begunEpoch = Math.max(begunEpoch, begun)
    }
    const kept = { raiseEpoch, begunEpoch, noteBegunEpoch, signatureKey: SIGNATURE_KEY, demotion: DEMOTION }
    const live = await openRedisLive({ url, name, clock, log, ...kept })
    closers.push(live.close)
    return live
  }

  const offset = async ({ send }: OwnRedis) =>
    /master_repl_offset:(\d+)/.exec(await send<string>('INFO', 'replication'))?.[1]

  /** Leads the address there, and waits until every node has seen the market that it finds. */
  async function lead(to: OwnRedis, nodes: readonly RedisLive[]): Promise<void> {
    address.pointTo(placeOf(to))
    for (const { check } of nodes) {
      await eventually(
        () =>
          check()
            .then(() => true)
            .catch(() => false),
        (isDone) => isDone,
      )
    }
  }

  /** Two nodes that have gone on with the replica, and whose address leads to the former primary again, which ran on alone. */
  async function withdrawnAndLedBack() {
    const nodes = [await open(), await open()] as const
    const [here, there] = nodes
    const events: MakerEvent[] = []
    const breaks: string[] = []
    there.feed.listen((event) => events.push(event))
    await here.book.open(aRequest('one'))
    const { quote } = (await here.book.put(aQuote('ada'))) as { quote: ReturnType<typeof aQuote> }
    expect(await here.book.makeFirm(quote, FIRM_SIGNATURE)).toBe('firm')
    await here.book.put(aQuote('bob'))
    await eventually(
      async () => (await offset(former)) === (await offset(promoted)),
      (isLevel) => isLevel,
    )
    await promoted.send('REPLICAOF', 'NO', 'ONE')
    await lead(promoted, nodes)
    await here.book.open(aRequest('two'))
    await here.settled()
    await there.settled()
    expect(await here.book.remove(aQuote('ada'))).toBe('removed')
    expect(await here.book.remove(aQuote('bob'))).toBe('removed')
    const told = Math.max(...events.map(({ id }) => id))
    there.feed.onBreak(() => breaks.push('break'))
    return { nodes, here, there, events, breaks, told, quote }
  }

  it('shows and hands out nothing that was withdrawn since (invariants V13, V16)', async () => {
    const { here, there, quote } = await withdrawnAndLedBack()
    address.pointTo(placeOf(former))
    // The first that asks finds out, before any look of its own.
    const ask = async () => ({ firm: await here.book.firmSignature(quote) })
    const madeFirm = await eventually(
      () => ask().catch(() => null),
      (found) => found !== null,
    )
    expect(madeFirm).toEqual({ firm: null })
    await there.check()
    for (const { book } of [here, there]) {
      expect(await book.ranked('one')).toEqual([])
      expect(await book.lock(aQuote('ada'))).toBeNull()
    }
  })

  it('is known for one also to a node that starts only then, by what the durable store keeps', async () => {
    const { here, there, quote } = await withdrawnAndLedBack()
    address.pointTo(placeOf(former))
    for (const { close } of [here, there]) await close()
    const fresh = await open()
    expect(await fresh.book.firmSignature(quote)).toBeNull()
    expect(await fresh.book.ranked('one')).toEqual([])
  })

  it('repeats no id that was given out, and no stream falls silent (invariant V6)', async () => {
    const { nodes, here, there, events, breaks, told } = await withdrawnAndLedBack()
    await lead(former, nodes)
    expect(await there.feed.position()).toBeGreaterThan(told)
    await here.book.open(aRequest('three'))
    const heard = await eventually(
      async () => events.find((event) => 'request' in event && event.request.requestId === 'three'),
      (event) => event !== undefined,
    )
    expect(heard?.id).toBeGreaterThan(told)
    expect(breaks).toContain('break')
    expect(await there.feed.since(told)).toBeNull()
  })

  it('is put back from the store, said once with what to do, and not ready meanwhile', async () => {
    const { here, there, nodes } = await withdrawnAndLedBack()
    let isStoreUp = false
    const refilled: string[] = []
    for (const { book } of nodes) {
      book.onEmptied(async () => {
        if (!isStoreUp) throw new Error('the store does not answer')
        await book.open(aRequest('one'))
        refilled.push('one')
      })
    }
    address.pointTo(placeOf(former))
    await eventually(
      () =>
        here.presence
          .countStreams()
          .then(() => here.check())
          .then(() => 'up')
          .catch(String),
      (found) => found.includes('the store does not answer'),
    )
    await expect(here.presence.countStreams()).rejects.toMatchObject({ code: 'store_unavailable' })
    isStoreUp = true
    await clock.advance(11_000)
    await eventually(
      () =>
        here
          .check()
          .then(() => here.presence.countStreams())
          .then(() => 'up')
          .catch(String),
      (found) => found === 'up',
    )
    expect((await there.book.find('one'))?.status).toBe('open')
    expect(refilled).toEqual(['one'])
    const said = log.lines.filter(({ event }) => event === 'redis_went_back')
    expect(said[0]?.fields).toMatchObject({ hint: expect.stringContaining('replica') })
  })
})
