import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll, keep } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createOwnPostgres, type OwnPostgres, POSTGRES_BIN } from '../support/own-postgres.ts'
import { createOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { KEYS, type Node, nodeOf, OPERATOR_TOKEN } from './node.ts'
import { layWire, type Wire } from './wire.ts'

const LOST = 5

type Traded = { requestId: string; wallet: string; nonce: string }

/** No collector watches these nodes: that a 200 is kept is what an asynchronous standby breaks (invariant V10). */
describe.skipIf(!HAS_CLUSTER || POSTGRES_BIN === null)(`relays whose Postgres goes back in time${CLUSTER_HINT}`, () => {
  let postgres: OwnPostgres
  let address: Wire
  let redis: OwnRedis
  let relays: RelayProcess[]
  let traded: Traded[]

  beforeAll(buildWhenStale)
  beforeEach(async () => {
    postgres = await createOwnPostgres()
    address = await layWire(postgres.url)
    redis = await createOwnRedis()
    keep(() => void redis.kill())
    relays = []
    traded = []
  })
  afterEach(async () => {
    for (const { signal } of relays) signal('SIGKILL')
    await Promise.all(relays.map(({ exited }) => exited))
    await redis.kill()
    await postgres.remove()
  })
  afterAll(closeAll)

  async function start({ alone = false } = {}): Promise<Node> {
    const bus = alone ? [] : ['--redis-url', redis.url]
    const env = { MAKER_API_KEYS: JSON.stringify(KEYS), OPERATOR_TOKEN, MAKER_CONFIRMATION_MS: '20000' }
    const relay = await startRelay({ flags: ['--no-chain', '--database-url', address.url, ...bus], env })
    relays.push(relay)
    keep(() => relay.signal('SIGKILL'))
    return nodeOf(relay, null)
  }

  /** Trades of one maker, committed on each of the nodes in turn. */
  async function trade(nodes: readonly Node[], count: number): Promise<Traded[]> {
    const made: Traded[] = []
    for (let i = 0; i < count; i += 1) {
      const { service, maker } = nodes[i % nodes.length] as Node
      const ada = maker('ada')
      const socket = await ada.connect()
      const { requestId } = await service.open()
      const quoteId = await ada.quoted(requestId)
      const wallet = service.wallet().address
      const committing = service.commit(requestId, { wallet })
      const accepted = await askedToSign(socket, requestId)
      expect((await ada.confirm(quoteId, await ada.sign(accepted))).status).toBe(200)
      expect((await committing).status).toBe(200)
      made.push({ requestId, wallet, nonce: String(accepted.order.nonce) })
      socket.close()
    }
    traded.push(...made)
    return made
  }

  /** The standby that is made now takes the primary's place once it lacks what `meanwhile` has done. */
  async function failOver(meanwhile: () => Promise<Traded[]>): Promise<Traded[]> {
    const standby = await postgres.createStandby()
    keep(() => void standby.remove())
    const lost = await meanwhile()
    await postgres.kill()
    await standby.promote()
    address.pointTo({ host: '127.0.0.1', port: Number(new URL(standby.url).port) })
    return lost
  }

  const noticed = ({ process }: Node) =>
    eventually(
      () => process.stderr(),
      (text) => text.includes('store_went_back'),
    )
  const isReady = ({ service }: Node) =>
    eventually(
      () => service.call('GET', '/readyz').then(({ status }) => status),
      (status) => status === 200,
    )

  function expectOwnNonces(): void {
    const nonces = traded.map(({ nonce }) => nonce)
    expect(nonces.filter((nonce, i) => nonces.indexOf(nonce) !== i)).toEqual([])
  }

  it('nodes with Redis give no nonce to two requests, and a lost trade is gone on every node', async () => {
    const nodes = await Promise.all([start(), start(), start()])
    const [kept] = await trade(nodes, 2)
    const lost = await failOver(() => trade(nodes, LOST))
    await Promise.all(nodes.map(noticed))
    await Promise.all(nodes.map(isReady))
    await trade(nodes, LOST)
    expectOwnNonces()
    for (const { service } of nodes) {
      for (const { requestId, wallet } of lost)
        expect((await service.commit(requestId, { wallet })).body).toMatchObject({ code: 'request_not_found' })
      const { requestId, wallet } = kept as Traded
      expect((await service.commit(requestId, { wallet })).status).toBe(200)
    }
    const { text } = await nodes[0].service.call('GET', '/metrics', {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    expect(text).toContain('rfqctl_store_went_back_total 1')
  })

  it('nodes that start with a Redis of before and a restored dump treat a lost trade as gone', async () => {
    const before = await start()
    const [kept] = await trade([before], 1)
    postgres.run('pg_dump', '-Fc', '-n', 'rfqctl', '-f', 'store.dump', '-d')
    const lost = await trade([before], LOST)
    await before.process.stop()
    postgres.run('pg_restore', '--clean', '--if-exists', 'store.dump', '-d')
    const nodes = await Promise.all([start(), start()])
    await Promise.all(nodes.map(isReady))
    await trade(nodes, LOST)
    expectOwnNonces()
    for (const { service } of nodes) {
      for (const { requestId, wallet } of lost)
        expect((await service.commit(requestId, { wallet })).body).toMatchObject({ code: 'request_not_found' })
      const { requestId, wallet } = kept as Traded
      expect((await service.commit(requestId, { wallet })).status).toBe(200)
    }
  })

  it('alone, it ends, and the next one gives no nonce to two requests and answers no lost trade', async () => {
    const first = await start({ alone: true })
    await trade([first], 1)
    const lost = await failOver(() => trade([first], LOST))
    expect(await first.process.exited).toEqual({ code: 10, signal: null })
    expect(first.process.stderr()).toContain('store_went_back')
    const second = await start({ alone: true })
    await trade([second], LOST)
    expectOwnNonces()
    for (const { requestId, wallet } of lost)
      expect((await second.service.commit(requestId, { wallet })).body).toMatchObject({ code: 'request_not_found' })
  })
})
