import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { buildFormer, FIRST, HAS_HISTORY, HISTORY_HINT, LAST_RELEASE, RELEASE_0_2 } from '../support/former-program.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { makeNextVersion, NEXT_COLUMN, NEXT_TABLE } from './next-version.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'

/** A trade whose request is opened, quoted, committed and confirmed where the test says; all of `nodes` give its order. */
async function trade(
  at: { opened: Node; quoted: Node; socket: Node; committed: Node; confirmed: Node },
  nodes: readonly Node[],
) {
  const socket = await at.socket.maker('ada').connect()
  const loser = await at.quoted.maker('bob').connect()
  const { requestId } = await at.opened.service.open()
  const watching = await at.socket.service.stream(`/quote-requests/${requestId}/stream`)
  const quoteId = await at.quoted.maker('ada').quoted(requestId)
  await at.committed.maker('bob').quoted(requestId, { price: 0.2 })
  const seesAda = ({ bestQuote }: Record<string, unknown>) => (bestQuote as { price?: number } | null)?.price === 0.12
  await watching.until('best_quote', seesAda)
  const wallet = at.committed.service.wallet().address
  const committing = at.committed.service.commit(requestId, { wallet })
  const accepted = await askedToSign(socket, requestId)
  const signature = await at.confirmed.maker('ada').sign(accepted)
  expect((await at.confirmed.maker('ada').confirm(quoteId, signature)).status).toBe(200)
  const committed = await committing
  expect(committed.status).toBe(200)
  for (const node of nodes) expect((await node.service.commit(requestId, { wallet })).text).toBe(committed.text)
  await socket.until('quote:confirmed', requestId)
  await loser.until('quote:rejected', requestId)
  await watching.until('closed')
  for (const { close } of [socket, loser, watching]) close()
}

describe.skipIf(!HAS_CLUSTER)(`nodes of two versions${CLUSTER_HINT}`, () => {
  const inUse = useCluster(2, { confirmationMs: 6_000, skipsIds: true })
  let old: Node
  let older: Node
  let next: Node

  beforeAll(async () => {
    ;[old, older] = inUse.nodes as [Node, Node]
    // It comes to a cluster that runs, as in a rollout, and brings the schema up to date under the feet of the others.
    next = await inUse.cluster.start({ root: makeNextVersion() })
  })

  const isUnknown = (line: string) => line.includes('_unknown"')
  const noted = (node: Node) =>
    node.process
      .stderr()
      .split('\n')
      .filter(isUnknown)
      .map((line) => JSON.parse(line) as { event: string; reason: string })

  it('trade with each other in every combination (fault I12)', async () => {
    const streams = [await old.maker('watcher').stream(), await next.maker('cyd').stream()]
    for (const stream of streams) await stream.until('snapshot_complete')
    await trade({ opened: next, quoted: old, socket: next, committed: old, confirmed: next }, [old, next])
    await trade({ opened: old, quoted: next, socket: old, committed: next, confirmed: old }, [old, next])
    await trade({ opened: next, quoted: next, socket: older, committed: next, confirmed: older }, [old, next])
    for (const stream of streams) stream.close()
  })

  it('the older one passes over what it does not know, says so once for each kind, and shows no field of it (fault I12)', async () => {
    await trade({ opened: next, quoted: old, socket: old, committed: next, confirmed: next }, [old, next])
    const stream = await old.maker('watcher').stream()
    const first = await next.service.open()
    const { id, data } = await stream.until('quote_request', ({ requestId }) => requestId === first.requestId)
    expect(JSON.stringify(data)).not.toContain('sweet')
    const second = await next.service.open()
    // What is told again from the middle has the same gaps.
    const again = await older.maker('watcher').stream({ 'last-event-id': String(id) })
    await again.until('quote_request', ({ requestId }) => requestId === second.requestId)
    await eventually(
      () => noted(old),
      (lines) => lines.some(({ event }) => event === 'feed_event_unknown'),
    )
    for (const node of [old, older]) {
      const told = noted(node).map(({ event, reason }) => `${event} ${reason}`)
      expect(told).toEqual([...new Set(told)])
    }
    const known = ['feed_event_unknown noticed', 'bus_message_unknown noticed', 'bus_message_unknown put_off']
    expect(
      noted(old)
        .map(({ event, reason }) => `${event} ${reason}`)
        .toSorted(),
    ).toEqual(known.toSorted())
    stream.close()
    again.close()
  })

  it('an older one starts on the schema of the newer one, and leaves it as it is (faults I12, F9)', async () => {
    const late = await inUse.cluster.start()
    await trade({ opened: late, quoted: next, socket: next, committed: late, confirmed: old }, [old, next])
    const columns = await inUse.cluster.sql<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = 'requests' and column_name = '${NEXT_COLUMN}'
       union select table_name from information_schema.tables where table_name = '${NEXT_TABLE}'`,
    )
    expect(columns.map(({ name }) => name).toSorted()).toEqual([NEXT_COLUMN, NEXT_TABLE])
  })
})

describe.skipIf(!HAS_CLUSTER || !HAS_HISTORY)(`a rollout from 0.2.0${CLUSTER_HINT || HISTORY_HINT}`, () => {
  const inUse = useCluster(0, { confirmationMs: 6_000, skipsIds: true })
  let released: Node
  let first: Node
  let second: Node

  beforeAll(async () => {
    released = await inUse.cluster.start({ root: await buildFormer(RELEASE_0_2) })
    first = await inUse.cluster.start()
    second = await inUse.cluster.start()
  })

  it('trades on in all roles, while nodes of both run (fault I14)', async () => {
    const streams = [await released.maker('watcher').stream(), await first.maker('cyd').stream()]
    for (const stream of streams) await stream.until('snapshot_complete')
    const all = [released, first, second]
    await trade({ opened: released, quoted: first, socket: released, committed: first, confirmed: released }, all)
    await trade({ opened: first, quoted: released, socket: first, committed: released, confirmed: first }, all)
    await trade({ opened: released, quoted: released, socket: second, committed: released, confirmed: second }, all)
    await trade({ opened: first, quoted: second, socket: released, committed: second, confirmed: released }, all)
    for (const stream of streams) stream.close()
  })

  /** Requests of which a maker has the only quote. */
  async function quotedBy(name: string, count: number): Promise<string[]> {
    const opening = Array.from({ length: count }, async () => {
      const { requestId } = await first.service.open()
      await second.maker(name).quoted(requestId)
      return requestId
    })
    return Promise.all(opening)
  }

  const commit = async (node: Node, requestId: string) =>
    node.service.commit(requestId, { wallet: node.service.wallet().address })

  it('a node of 0.2.0 asks no maker whose protections it does not know (fault I14, invariant V11)', async () => {
    await first.maker('cyd').call('PUT', '/v1/mm/protections', { windows: [{ ms: 600_000, maxAccepted: 4 }] })
    const signing = await signEverything('cyd', [() => first])
    const requests = await quotedBy('cyd', 3)
    for (const requestId of requests) {
      expect(await commit(released, requestId)).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
    }
    expect(await executedBy('cyd')).toBe(0)
    // Another node asks it, as far as its window goes.
    const answers = await Promise.all(requests.map((requestId) => commit(second, requestId)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await executedBy('cyd')).toBe(1)
    signing.close()
  })

  it('a node of the first version promises nothing, and the others trade on (fault I14)', async () => {
    const ancient = await inUse.cluster.start({ root: await buildFormer(FIRST) })
    const signing = await signEverything('bob', [() => first])
    const [requestId] = (await quotedBy('bob', 1)) as [string]
    expect(await commit(ancient, requestId)).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    await eventually(
      () => ancient.process.stderr(),
      (text) => text.includes('a program of schema 0 must not trade beside one of schema 7'),
    )
    expect(await inUse.cluster.sql(`select 1 from acceptances where request_id = '${requestId}'`)).toEqual([])
    expect((await commit(released, requestId)).status).toBe(200)
    signing.close()
  })

  /** How often a maker's signature was taken. */
  async function executedBy(name: string): Promise<number> {
    const [row] = await inUse.cluster.sql<{ count: string }>(
      `select count(*) from acceptances where maker_id = '${name}'`,
    )
    return Number(row?.count)
  }
})

describe.skipIf(!HAS_CLUSTER || !HAS_HISTORY)(`a rollout from the last release${CLUSTER_HINT || HISTORY_HINT}`, () => {
  const inUse = useCluster(0, { confirmationMs: 6_000, skipsIds: true })
  let released: Node
  let current: Node
  let second: Node

  beforeAll(async () => {
    released = await inUse.cluster.start({ root: await buildFormer(LAST_RELEASE) })
    current = await inUse.cluster.start()
    second = await inUse.cluster.start()
  })

  /** Bob has quoted on one node, and ada has made a quote of the same price firm on another one, later. */
  async function quotedOn(bobs: Node, adas: Node) {
    const wallet = adas.service.wallet().address
    const { requestId } = await adas.service.open({ wallet })
    await bobs.maker('bob').quoted(requestId)
    const maker = adas.maker('ada')
    const { body } = await maker.quote(requestId, { firm: true })
    const signature = await maker.sign(body as never)
    expect((await maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })).status).toBe(200)
    return { requestId, wallet, quoteId: body.quoteId }
  }

  const both = (run: (one: Node, other: Node) => Promise<void>) => async () => {
    await run(released, current)
    await run(current, released)
  }

  it(
    'has firm quotes of either version first on both, and a node of the other takes them (fault I14, invariant V13)',
    both(async (one, other) => {
      const { requestId, wallet, quoteId } = await quotedOn(other, one)
      for (const node of [one, other]) {
        const { body } = await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
        expect(body).toMatchObject({ bestQuote: { quote_id: quoteId, firm: true }, quoteCount: 2 })
      }
      const committed = await other.service.commit(requestId, { wallet, firmOnly: true })
      expect(committed).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId, firm: true } } })
    }),
  )

  it(
    'has no firm quote left once its maker quotes again on a node of the other version (fault I14, invariant V13)',
    both(async (one, other) => {
      const { requestId, wallet } = await quotedOn(one, one)
      await other.maker('ada').quoted(requestId)
      for (const node of [one, other]) {
        // Bob was earlier, and ada's price is as old as its first quote.
        const { body } = await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
        expect(body).toMatchObject({ bestQuote: { maker_id: 'bob' }, quoteCount: 2 })
      }
      const refused = await one.service.commit(requestId, { wallet, firmOnly: true })
      expect(refused).toMatchObject({ status: 409, body: { code: 'no_acceptable_quote' } })
    }),
  )

  it('trades on in all roles, while nodes of both run (fault I14)', async () => {
    const all = [released, current, second]
    await trade({ opened: released, quoted: current, socket: released, committed: current, confirmed: released }, all)
    await trade({ opened: current, quoted: released, socket: current, committed: released, confirmed: current }, all)
    await trade({ opened: released, quoted: released, socket: second, committed: released, confirmed: second }, all)
    await trade({ opened: current, quoted: second, socket: released, committed: second, confirmed: released }, all)
  })

  it('exceeds no window of a maker, whichever nodes commit at the same time (fault I14, invariant V11)', async () => {
    await current.maker('cyd').call('PUT', '/v1/mm/protections', { windows: [{ ms: 600_000, maxAccepted: 8 }] })
    const signing = await signEverything('cyd', [() => current])
    const opened = Array.from({ length: 6 }, async () => {
      const { requestId } = await current.service.open()
      await second.maker('cyd').quoted(requestId)
      return requestId
    })
    const answers = await Promise.all(
      (await Promise.all(opened)).map((requestId, i) => {
        const { service } = [released, current, second][i % 3] as Node
        return service.commit(requestId, { wallet: service.wallet().address })
      }),
    )
    // Takers without a proof have a quarter of it.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const [row] = await inUse.cluster.sql<{ count: string }>("select count(*) from acceptances where maker_id = 'cyd'")
    expect(Number(row?.count)).toBe(2)
    signing.close()
  })
})
