import { setTimeout as delay } from 'node:timers/promises'
import { verifyTypedData } from 'ethers'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TypedDataDomain } from '../../src/protocol/domain/order.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import type { Hex, StrikeBps } from '../../src/protocol/domain/units.ts'
import type { TestChain } from '../kit/chain.ts'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import type { Created, Service } from '../kit/service.ts'
import { ethersAttestationTypes } from '../support/oracles/ethers-signing.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'

/** How often each node looks for ends of orders, at least. */
const WATCH_MS = 1_000

type Attestation = {
  seriesId: string
  resolutionBps: number
  validUntil: number
  signature: string
  domain: TypedDataDomain
}
type Market = { name: string; conditionId: Hex; yesClobTokenId: string }

/** How many ask each node for an attestation at the same time (fault G11). */
const ASKERS = 10

describe.skipIf(!HAS_CLUSTER)(`three nodes on a chain${CLUSTER_HINT}`, () => {
  const env = { ORDER_WATCH_MS: String(WATCH_MS), FEEDBACK: 'price', TAKER_RATINGS: 'true' }
  const inUse = useCluster(3, { confirmationMs: 15_000, onChain: true, env })
  let a: Node
  let b: Node
  let c: Node
  let owner: Service & { chain: TestChain }

  beforeAll(async () => {
    ;[a, b, c] = inUse.nodes as [Node, Node, Node]
    owner = inUse.cluster.chainService as typeof owner
    await Promise.all(['ada', 'bob'].map((name) => owner.fund(a.maker(name).wallet)))
  })

  it('reveal one order, signed by its maker for the wallet that committed, which fills on chain (fault I1, invariants V1, V2)', async () => {
    const taker = owner.wallet()
    await owner.fund(taker)
    const socket = await b.maker('ada').connect()
    const loser = await a.maker('bob').connect()
    const { requestId } = await a.service.open()
    const quoteId = await c.maker('ada').quoted(requestId)
    await b.maker('bob').quoted(requestId, { price: 0.2 })
    const committing = a.service.commit(requestId, { wallet: taker.address })
    const accepted = await askedToSign(socket, requestId)
    const signature = await b.maker('ada').sign(accepted)
    expect((await c.maker('ada').confirm(quoteId, signature)).status).toBe(200)
    const committed = await committing
    expect(committed).toMatchObject({ status: 200, body: { mode: 'onchain' } })
    for (const node of [b, c]) {
      expect((await node.service.commit(requestId, { wallet: taker.address })).text).toBe(committed.text)
    }
    // What a loser is told, it is told by the node that took the signature (protocol close-4).
    const feedback = { reason: 'another_quote_won', rank: 2, quoteCount: 2, winningPrice: 0.12 }
    expect(await loser.until('quote:rejected', requestId)).toMatchObject(feedback)
    const { body } = await eventually(
      () => b.maker('bob').call<{ executions: object[] }>('GET', '/v1/mm/executions'),
      (answer) => answer.body.executions.length > 0,
    )
    expect(body.executions.at(-1)).toMatchObject({ requestId, ...feedback })
    loser.close()
    const { order, makerSignature } = committed.body.onchain as NonNullable<typeof committed.body.onchain>
    await owner.chain.fill(taker, order, makerSignature)
    expect(await owner.chain.optionsOf(taker.address, order.seriesId)).toBe(BigInt(order.optionAmount))
    socket.close()
  })

  it('tell a fill once to each socket, also when a node that has seen it is killed (protocol order-2, order-3)', async () => {
    const victim = await inUse.cluster.start()
    const taker = owner.wallet()
    await owner.fund(taker)
    const sockets = await Promise.all([a, b, c].map((node) => node.maker('ada').connect()))
    for (const socket of sockets) socket.send({ type: 'subscribe', to: 'orders' })
    const [socket] = sockets as [(typeof sockets)[number]]
    const { requestId } = await a.service.open()
    const quoteId = await c.maker('ada').quoted(requestId)
    const committing = a.service.commit(requestId, { wallet: taker.address })
    const accepted = await askedToSign(socket, requestId)
    expect((await c.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))).status).toBe(200)
    const { order, makerSignature } = (await committing).body.onchain as NonNullable<
      Awaited<typeof committing>['body']['onchain']
    >
    await owner.chain.fill(taker, order, makerSignature)
    victim.process.signal('SIGKILL')
    const told = await Promise.all(sockets.map((one) => one.until('order:filled', requestId)))
    expect(new Set(told.map(({ transactionHash }) => transactionHash)).size).toBe(1)
    await delay(3 * WATCH_MS)
    for (const one of sockets) {
      expect(
        one.messages.all().filter((message) => message.type === 'order:filled' && message.requestId === requestId),
      ).toHaveLength(1)
      one.close()
    }
    // Whichever node opens its next request, makers hear what it filled (protocol stream-7).
    for (const [opening, hearing] of [
      [b, c],
      [c, a],
    ] as const) {
      const { requestId: next } = await opening.service.open({ wallet: taker.address })
      const { data } = await (await hearing.maker('bob').stream()).until(
        'quote_request',
        (event) => event.requestId === next,
      )
      expect(data).toMatchObject({ takerRating: { orders: 1, filled: 1 } })
    }
  })

  it('let a wallet that can pay for one fill sign one order, when each of them commits at the same moment', async () => {
    const nodes = [a, b, c]
    const takers = nodes.map(() => owner.wallet())
    await Promise.all([a.maker('cyd').wallet, ...takers].map((wallet) => owner.fund(wallet)))
    const socket = await signEverything('cyd', [() => b, () => c])
    // $550 of the wallet's $1,000 each.
    const requests = await Promise.all(nodes.map(({ service }) => service.open()))
    for (const [n, { requestId }] of requests.entries()) {
      await (nodes[(n + 1) % 3] as Node).maker('cyd').quoted(requestId, { price: 0.1 })
    }
    // Each has read what the wallet owes before any of them has written what it adds.
    inUse.cluster.chainWire?.delay(150)
    const answers = await Promise.all(
      nodes.map(({ service }, n) =>
        service.commit((requests[n] as Created).requestId, { wallet: (takers[n] as PrivateKeyAccount).address }),
      ),
    )
    inUse.cluster.chainWire?.delay(0)
    const outcomes = answers.map(({ status, body }) => (status === 200 ? 200 : body.code)).toSorted()
    expect(outcomes).toEqual([200, 'maker_insufficient_balance', 'maker_insufficient_balance'])
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
    socket.close()
  })

  it('attest one price of a series, for every caller and order of calls, and ever after (fault G11, invariant V5)', async () => {
    const { markets } = (await a.service.call<{ markets: Market[] }>('GET', '/v1/markets')).body
    const { conditionId, yesClobTokenId } = markets.find(({ name }) => name.startsWith('Will the Harbour')) as Market
    const market = { conditionId, yesTokenId: yesClobTokenId }
    const terms = await owner.chain.registerExpired({ ...market, strikeBps: 5_300 as StrikeBps, optionType: 'call' })
    const seriesId = seriesIdOf(terms)
    const prepare = (node: Node) =>
      node.service.call<Attestation>('POST', '/settlement/prepare', { body: { seriesId } })
    const askers = Array.from({ length: ASKERS }, () => [a, b, c]).flat()
    const answers = await Promise.all(askers.map(prepare))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.resolutionBps)).size).toBe(1)
    b.process.signal('SIGKILL')
    await b.process.exited
    const late = await inUse.cluster.start()
    const { body } = await prepare(late)
    expect(body.resolutionBps).toBe(answers[0]?.body.resolutionBps)
    const { resolutionBps, validUntil, signature, domain } = body
    const signer = verifyTypedData(domain, ethersAttestationTypes, { seriesId, resolutionBps, validUntil }, signature)
    expect(signer).toBe(late.process.ready.resolutionSigner)
    await owner.chain.settle(body)
  })
})
