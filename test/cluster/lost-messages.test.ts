import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import type { Fate } from '../support/redis-pushes.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'
import { layWire } from './wire.ts'

/** How late a key may be found revoked whose message was lost, in milliseconds (fault B7). */
const REVOKED_WITHIN_MS = 30_000

const lost: Fate = () => 0
const doubled: Fate = () => 2

/** Each message of a channel meets another fate: lost, as it should, doubled, and again. */
function mixed(): Fate {
  let count = 0
  return () => (count++ * 7) % 3
}

describe.skipIf(!HAS_CLUSTER)(`nodes whose messages are lost or doubled${CLUSTER_HINT}`, () => {
  const inUse = useCluster(0, { confirmationMs: 6_000 })
  let a: Node
  let b: Node
  let fate: Fate

  beforeAll(async () => {
    const { redis, start } = inUse.cluster
    const lay = () => layWire(redis.url, (channel) => fate(channel))
    fate = () => 1
    const [one, two] = await Promise.all([lay(), lay()])
    ;[a, b] = await Promise.all([start({ redisUrl: one.url }), start({ redisUrl: two.url })])
  })
  beforeEach(() => {
    fate = () => 1
  })

  /** Two makers on two nodes, who sign; both see all requests. */
  async function makers() {
    const sockets = [await signEverything('ada', [() => b]), await signEverything('bob', [() => a])]
    const streams = [await a.maker('ada').stream(), await b.maker('bob').stream()]
    for (const stream of streams) await stream.until('snapshot_complete')
    return {
      close: () => {
        for (const { close } of [...sockets, ...streams]) close()
      },
    }
  }

  /** A request, quoted and committed on different nodes; its taker watches on a third place. */
  async function trade(n: number): Promise<void> {
    const [here, there] = n % 2 === 0 ? [a, b] : [b, a]
    const { requestId } = await here.service.open()
    const watching = await there.service.stream(`/quote-requests/${requestId}/stream`)
    await there.maker('bob').quoted(requestId, { price: 0.2 })
    await here.maker('ada').quoted(requestId, { price: 0.11 })
    await watching.until('best_quote', ({ bestQuote }) => (bestQuote as { price?: number } | null)?.price === 0.11)
    const committed = await here.service.commit(requestId, { wallet: here.service.wallet().address })
    expect(committed).toMatchObject({ status: 200, body: { quote: { maker_id: 'ada' } } })
    await watching.until('closed')
    const seen = watching.events.all().flatMap(({ data }) => (typeof data.bookSeq === 'number' ? [data.bookSeq] : []))
    expect(seen).toEqual([...new Set(seen)].sort((x, y) => x - y))
  }

  it('trade all the same, a little later, and end what a key has opened within 30 s of its end (fault B7)', async () => {
    const headers = await a.accountHeaders()
    const { body } = await a.service.call<{ key: string; apiKey: { id: string } }>('POST', '/v1/user/api-keys', {
      headers,
    })
    const stream = await b.service.stream('/v1/mm/quote-requests/stream', { 'x-api-key': body.key })
    await stream.until('snapshot_complete')
    fate = lost
    const revoked = await a.service.call('DELETE', `/v1/user/api-keys/${body.apiKey.id}`, { headers })
    expect(revoked.status).toBe(200)
    const revokedAt = Date.now()

    const { close } = await makers()
    for (let n = 0; n < 4; n += 1) await trade(n)
    // A maker that is connected after it was chosen is asked, though nobody hears that it came.
    const { requestId } = await a.service.open()
    await a.maker('cyd').quoted(requestId)
    const committing = a.service.commit(requestId, { wallet: a.service.wallet().address })
    const late = await b.maker('cyd').connect()
    const accepted = await askedToSign(late, requestId)
    await b.maker('cyd').confirm(accepted.quoteId, await b.maker('cyd').sign(accepted))
    expect((await committing).status).toBe(200)
    late.close()
    close()

    await stream.ended
    expect(Date.now() - revokedAt).toBeLessThan(REVOKED_WITHIN_MS)
    const answer = await b.service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': body.key } })
    expect(answer.status).toBe(401)
  })

  it('tell each thing once, when every message comes twice', async () => {
    fate = doubled
    const { close } = await makers()
    for (let n = 0; n < 4; n += 1) await trade(n)
    const sockets = [await a.maker('cyd').connect(), await b.maker('cyd').connect()]
    const { requestId, takerSecret } = await a.service.open()
    await b.maker('cyd').quoted(requestId)
    await b.service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    for (const socket of sockets) await socket.until('quote:rejected', requestId)
    // What comes twice comes at once; the collector has seen both, and looks for it.
    await eventually(
      () => a.service.call('GET', `/quote-requests/${requestId}/quotes`),
      ({ body }) => body.status === 'cancelled',
    )
    for (const socket of sockets) socket.close()
    close()
  })

  it('and when some come, some do not, and some come twice', async () => {
    fate = mixed()
    const { close } = await makers()
    await Promise.all(Array.from({ length: 6 }, (_, n) => trade(n)))
    close()
  })
})
