import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { keep } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import type { MakerSocket } from '../kit/socket.ts'
import type { SseStream } from '../kit/sse.ts'
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { useCluster } from './use-cluster.ts'

/** How soon a request of the node that dies expires, in milliseconds. */
const TTL_MS = 3_000

describe.skipIf(!HAS_CLUSTER)(
  `a node that dies between closing a request and telling its makers${CLUSTER_HINT}`,
  () => {
    const inUse = useCluster(1, { confirmationMs: 20_000 })
    let proxy: TcpProxy
    let frail: Node
    let b: Node
    let stream: SseStream
    let sockets: Record<'ada' | 'bob', MakerSocket>

    beforeAll(async () => {
      b = inUse.nodes[0] as Node
      stream = await b.maker('watcher').stream()
      await stream.until('snapshot_complete')
      sockets = { ada: await b.maker('ada').connect(), bob: await b.maker('bob').connect() }
    })
    beforeEach(async () => {
      const { hostname, port } = new URL(inUse.cluster.redis.url)
      proxy = await createTcpProxy({ host: hostname, port: Number(port) })
      // Until the end: the collector looks into Redis where the last node found it.
      keep(proxy.close)
      const redisUrl = `redis://127.0.0.1:${proxy.port}`
      frail = await inUse.cluster.start({ redisUrl, env: { QUOTE_REQUEST_TTL_MS: String(TTL_MS) } })
    })

    /** A request of a node with quotes of both makers, ada's the better one. */
    async function quotedOn(node: Node) {
      const { requestId, takerSecret } = await node.service.open()
      const quoteId = await b.maker('ada').quoted(requestId, { price: 0.1 })
      await b.maker('bob').quoted(requestId, { price: 0.2 })
      return { requestId, takerSecret, quoteId }
    }

    /** The node closes the request in Redis, does not hear of it, and is dead when everybody else does. */
    async function dieClosing(requestId: string, close: () => Promise<unknown>): Promise<void> {
      proxy.loseAnswerTo('_close\r\n')
      const closing = close().catch(() => null)
      await stream.until('quote_request_expired', (data) => data.requestId === requestId)
      frail.process.signal('SIGKILL')
      await Promise.all([frail.process.exited, closing])
    }

    /** Each maker has heard what became of its quote, once. */
    async function expectTold(requestId: string, ada: object, bob: object): Promise<void> {
      const ends = (socket: MakerSocket) =>
        socket.messages.all().filter((message) => message.requestId === requestId && message.type !== 'quote:accepted')
      const told = async () => [ends(sockets.ada), ends(sockets.bob)]
      expect(await eventually(told, ([a, c]) => a?.length === 1 && c?.length === 1)).toMatchObject([[ada], [bob]])
      const { body } = await b.maker('bob').call<{ executions: object[] }>('GET', '/v1/mm/executions')
      expect(
        body.executions.filter((outcome) => 'requestId' in outcome && outcome.requestId === requestId),
      ).toHaveLength(1)
    }

    it('leaves the messages of a confirmed trade to another one, and the taker has its order', async () => {
      const { requestId, quoteId } = await quotedOn(b)
      const committing = b.service.commit(requestId, { wallet: b.service.wallet().address })
      const signature = await b.maker('ada').sign(await askedToSign(sockets.ada, requestId))
      await dieClosing(requestId, () => frail.maker('ada').confirm(quoteId, signature))
      expect((await committing).status).toBe(200)
      await expectTold(
        requestId,
        { type: 'quote:confirmed', quoteId },
        { type: 'quote:rejected', reason: 'another_quote_won' },
      )
    })

    it('leaves the messages of a cancelled request to another one', async () => {
      const { requestId, takerSecret } = await quotedOn(b)
      const path = `/quote-requests/${requestId}/cancel`
      await dieClosing(requestId, () => frail.service.call('POST', path, { body: { takerSecret } }))
      const rejected = { type: 'quote:rejected', reason: 'request_cancelled' }
      await expectTold(requestId, rejected, rejected)
    })

    it('leaves the messages of an expired request to another one', async () => {
      const { requestId } = await quotedOn(frail)
      await dieClosing(requestId, async () => {})
      const rejected = { type: 'quote:rejected', reason: 'request_expired' }
      await expectTold(requestId, rejected, rejected)
    })
  },
)
