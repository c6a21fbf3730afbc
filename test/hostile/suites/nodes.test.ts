import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { CLUSTER_HINT, HAS_CLUSTER } from '../../cluster/cluster.ts'
import type { Node } from '../../cluster/node.ts'
import { useCluster } from '../../cluster/use-cluster.ts'
import { layWire } from '../../cluster/wire.ts'
import { eventually } from '../../kit/eventually.ts'

/** How long a maker has to sign, in milliseconds. */
const CONFIRMATION_MS = 2_000

/** How soon a key that was revoked on one node opens nothing on any, in milliseconds. */
const REVOKED_MS = 1_000

/** What once got through where several nodes share a Redis and a Postgres. */
describe.skipIf(!HAS_CLUSTER)(`nodes${CLUSTER_HINT}`, { timeout: 60_000 }, () => {
  const inUse = useCluster(0, { confirmationMs: CONFIRMATION_MS })

  it('a node that loses Redis while it asks a maker, and then Postgres, continues when they are back', async () => {
    const { cluster } = inUse
    const [redis, postgres] = await Promise.all([layWire(cluster.redis.url), layWire(cluster.databaseUrl)])
    const root = process.env.RFQCTL_HOSTILE_BUILD
    const node = await cluster.start({
      redisUrl: redis.url,
      databaseUrl: postgres.url,
      ...(root === undefined ? {} : { root }),
    })
    const maker = node.maker('ada')
    const socket = await maker.connect()
    const { requestId } = await node.service.open()
    await maker.quoted(requestId)
    redis.loseRequest('accepted')
    const committing = node.service.commit(requestId, { wallet: node.service.wallet().address }).catch(() => null)
    await wait(200)
    redis.cut()
    postgres.cut()
    const ended = await Promise.race([node.process.exited, wait(CONFIRMATION_MS + 2_000, null)])
    assert.equal(ended, null, `it has ended: ${node.process.stderr().slice(-2_000)}`)
    redis.pass()
    postgres.pass()
    await committing
    socket.close()
    await eventually(
      () => node.service.call('GET', '/readyz').catch(() => null),
      (answer) => answer?.status === 200,
    )
  })

  it('a key that was revoked on one node opens nothing on another', async () => {
    const [a, b] = (await inUse.cluster.startAll(2)) as [Node, Node]
    const headers = await a.accountHeaders()
    for (let round = 0; round < 5; round += 1) {
      const made = await a.service.call<{ key: string; apiKey: { id: string } }>('POST', '/v1/user/api-keys', {
        headers,
        body: {},
      })
      const asMaker = { headers: { 'x-api-key': made.body.key } }
      assert.equal((await b.service.call('GET', '/v1/mm/quotes', asMaker)).status, 200)
      assert.equal(
        (await a.service.call('DELETE', `/v1/user/api-keys/${made.body.apiKey.id}`, { headers })).status,
        200,
      )
      assert.equal((await a.service.call('GET', '/v1/mm/quotes', asMaker)).status, 401)
      await wait(REVOKED_MS)
      assert.equal((await b.service.call('GET', '/v1/mm/quotes', asMaker)).status, 401)
    }
  })
})
