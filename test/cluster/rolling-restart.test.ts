import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll } from '../kit/keep.ts'
import type { Maker } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import type { Service } from '../kit/service.ts'
import type { SocketMessage } from '../kit/socket.ts'
import { findFreePort } from '../support/free-port.ts'
import { createOwnNginx, HAS_NGINX, type OwnProxy } from '../support/own-proxy.ts'
import { CLUSTER_HINT, type Cluster, createCluster, HAS_CLUSTER } from './cluster.ts'
import { KEYS, type Node, nodeOf, OPERATOR_TOKEN } from './node.ts'

const CAN_RUN = HAS_CLUSTER && HAS_NGINX
const HINT = CAN_RUN ? '' : CLUSTER_HINT || ' (skipped: needs nginx and openssl)'

/** What a maker and a taker have lived while nodes came and went. */
type Lived = {
  opened: string[]
  /** The requests that the maker heard of, in their order, and the ids of their events. */
  heard: { requestId: string; id: number }[]
  snapshots: number
  commits: { requestId: string; wallet: string; status: number; text: string }[]
  confirmations: number[]
  /** Refusals of what is not sent to a second node, as `status code`. */
  refusals: Set<string>
  /** Ends each connection that was opened. */
  closes: (() => void)[]
}

/** Sends a call until it is taken, as clients do where a relay says that it stops. */
async function untilTaken(lived: Lived, send: () => Promise<{ status: number; body: Record<string, unknown> }>) {
  for (;;) {
    const { status, body } = await send()
    if (status === 200) return body
    lived.refusals.add(`${status} ${String(body.code)}`)
  }
}

/** Reads the maker's stream, again after the last id whenever it ends, and quotes whatever it hears of. */
async function makeQuotes(maker: Maker, lived: Lived, isOver: () => boolean): Promise<void> {
  let last: string | null = null
  while (!isOver()) {
    const stream = await maker.stream(last === null ? {} : { 'last-event-id': last })
    lived.closes.push(stream.close)
    for (;;) {
      const event = await stream.events.next().catch(() => null)
      if (event === null) break
      if (event.event === 'snapshot_begin') lived.snapshots += 1
      if (event.id !== null) last = event.id
      if (event.event !== 'quote_request') continue
      const requestId = String(event.data.requestId)
      lived.heard.push({ requestId, id: Number(event.id) })
      await untilTaken(lived, () => maker.quote(requestId))
    }
  }
}

/** Keeps a socket open, and signs whatever it is asked to. */
async function signOrders(maker: Maker, lived: Lived, isOver: () => boolean): Promise<void> {
  const asked = new Set<unknown>()
  while (!isOver()) {
    const socket = await maker.connect().catch(() => null)
    if (socket !== null) lived.closes.push(socket.close)
    for (;;) {
      const message: SocketMessage | null = (await socket?.messages.next().catch(() => null)) ?? null
      if (message === null) break
      if (message.type !== 'quote:accepted' || asked.has(message.quoteId)) continue
      asked.add(message.quoteId)
      lived.confirmations.push((await maker.confirm(message.quoteId, await maker.sign(message))).status)
    }
  }
}

/** One trade, from opening to the answer to the commit, which is sent once. */
async function tradeOnce(service: Service, lived: Lived): Promise<void> {
  const { market, option } = await service.option()
  const body = { market, option, trade: { side: 'buy', budgetUsd: 100 } }
  const created = await untilTaken(lived, () => service.call('POST', '/quote-requests', { body }))
  const requestId = String(created.requestId)
  lived.opened.push(requestId)
  await eventually(
    () => service.call('GET', `/quote-requests/${requestId}/quotes`),
    ({ body }) => Boolean(body.bestQuote),
  )
  const wallet = service.wallet().address
  const { status, text } = await service.commit(requestId, { wallet })
  lived.commits.push({ requestId, wallet, status, text })
}

describe.skipIf(!CAN_RUN)(`two nodes behind the nginx of docs/deploy${HINT}`, () => {
  let cluster: Cluster
  let proxy: OwnProxy
  let front: Node
  const ports: number[] = []
  const nodes: RelayProcess[] = []

  const start = (port: number) =>
    startRelay({
      flags: [
        '--no-chain',
        '--database-url',
        cluster.databaseUrl,
        '--redis-url',
        cluster.redis.url,
        '--port',
        `${port}`,
      ],
      env: {
        MAKER_API_KEYS: JSON.stringify(KEYS),
        OPERATOR_TOKEN,
        TRUST_PROXY: '127.0.0.1',
        // A machine that is held back takes its time to connect again, and to sign.
        MAKER_CONFIRMATION_MS: '14000',
        UNPROVEN_CONFIRMATION_MS: '14000',
        MAKER_OFFLINE_GRACE_MS: '10000',
      },
    })

  beforeAll(async () => {
    await buildWhenStale()
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    cluster = await createCluster({ confirmationMs: 14_000 })
    ports.push(await findFreePort(), await findFreePort())
    for (const port of ports) nodes.push(await start(port))
    proxy = await createOwnNginx(nodes.map(({ ready }) => ready.url))
    const [first] = nodes as [RelayProcess]
    front = nodeOf({ ...first, ready: { ...first.ready, url: proxy.url, wsUrl: proxy.wsUrl } }, null)
  })
  afterAll(async () => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    closeAll()
    await proxy?.stop()
    await Promise.all(nodes.map(({ stop }) => stop()))
    await cluster?.remove()
  })

  it('a rolling restart under trades loses no event of a stream and no commit, and only openings and quotes are sent again', async () => {
    const lived: Lived = {
      opened: [],
      heard: [],
      snapshots: 0,
      commits: [],
      confirmations: [],
      refusals: new Set(),
      closes: [],
    }
    let isOver = false
    const maker = front.maker('ada')
    const making = Promise.all([makeQuotes(maker, lived, () => isOver), signOrders(maker, lived, () => isOver)])
    let isRolled = false
    const trading = Promise.all(
      [1, 2, 3, 4].map(async () => {
        while (!isRolled) await tradeOnce(front.service, lived)
        await tradeOnce(front.service, lived)
      }),
    )
    const tradesReach = (count: number) =>
      eventually(
        () => lived.commits.length,
        (done) => done >= count,
      )
    for (const [index, port] of ports.entries()) {
      await tradesReach(lived.commits.length + 3)
      const node = nodes[index] as RelayProcess
      node.signal('SIGTERM')
      expect((await node.exited).code).toBe(0)
      await tradesReach(lived.commits.length + 3)
      nodes[index] = await start(port)
    }
    await tradesReach(lived.commits.length + 3)
    isRolled = true
    await trading

    expect(lived.commits.filter(({ status }) => status !== 200)).toEqual([])
    expect(lived.confirmations.filter((status) => status !== 200)).toEqual([])
    // 502: it went out on a connection that the node closed at that moment, unread.
    expect([...lived.refusals].filter((refusal) => !/^(?:503 shutting_down|502 )/.test(refusal))).toEqual([])
    await eventually(
      () => lived.heard.length,
      (count) => count >= lived.opened.length,
    )
    expect(lived.heard.map(({ requestId }) => requestId).toSorted()).toEqual(lived.opened.toSorted())
    expect(lived.heard.map(({ id }) => id)).toEqual(lived.heard.map(({ id }) => id).toSorted((a, b) => a - b))
    // After the first stream everything came by its id.
    expect(lived.snapshots).toBe(1)
    for (const { requestId, wallet, text } of lived.commits) {
      expect((await front.service.commit(requestId, { wallet })).text).toBe(text)
    }
    isOver = true
    for (const close of lived.closes) close()
    await making
  })
})
