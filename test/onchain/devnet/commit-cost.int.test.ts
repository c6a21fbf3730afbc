import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { type RequestTerms, seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { contracts, type Hex, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { connectChain } from '../../../src/relay/adapters/chain/connect.ts'
import type { Ports } from '../../../src/relay/core/ports/ports.ts'
import { type HttpServer, openHttpServer } from '../../kit/server.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, TAKER, type TestRelay } from '../../support/test-relay.ts'

/** The one call of contracts: funds, series and nonces. */
const CALL = 'eth_call'

/** The last block or the next one, for the time. */
const BLOCK = 'eth_getBlockByNumber'

/** All that is read to ask one maker. */
const RUNG = [CALL, BLOCK, BLOCK]

let devnet: Devnet
let proxy: HttpServer
/** The JSON-RPC calls that reached the node, however many HTTP requests carried them. */
let carried: string[]
let terms: RequestTerms

beforeAll(async () => {
  devnet = await startDevnet({
    dataDir: null,
    port: 0,
    seriesAt: (time) => {
      const option = { optionType: 'call' as const, strikeBps: 4_500 as StrikeBps, expiryMs: (time + 3_600) * 1_000 }
      terms = {
        wallet: null,
        market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '7', question: null },
        option,
        trade: { side: 'buy', budget: usd6(100_000_000n) },
      }
      return [seriesTermsOf(terms)]
    },
  })
  proxy = await openHttpServer(async (response, { body }) => {
    const calls = JSON.parse(body) as { method: string } | { method: string }[]
    carried.push(...[calls].flat().map(({ method }) => method))
    const answer = await fetch(devnet.rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    response.setHeader('Content-Type', 'application/json').end(await answer.text())
  })
})

afterAll(async () => {
  await proxy?.close()
  await devnet?.stop()
})

describe('the calls of a commit to a node', () => {
  let connected: Pick<Ports, 'chain' | 'seriesIndex'>
  let fixture: TestRelay
  let now: number

  beforeEach(async () => {
    carried = []
    now = 0
    connected = await connectChain({
      rpcUrl: proxy.url,
      environment: { chainId: devnet.chainId, ...devnet.deployment },
      startBlock: 0,
      cacheMs: 3_000,
      clock: { now: () => now },
    })
    await connected.seriesIndex.refresh()
    fixture = createTestRelay({ ports: connected })
  })

  it('is one call of contracts and the time, whatever the maker owes already', async () => {
    expect(await commitOnce()).toEqual(RUNG)
    expect(await commitOnce()).toEqual(RUNG)
    expect(await commitOnce()).toEqual(RUNG)
  })

  it('is the same on an idle relay: a maker that could pay for all it owes is not asked about its orders', async () => {
    expect(await commitOnce({ idleMs: 10_000 })).toEqual(RUNG)
    expect(await commitOnce({ idleMs: 10_000 })).toEqual(RUNG)
  })

  it('includes the head where commits must stop with it', async () => {
    fixture = createTestRelay({ ports: connected, settings: { headStaleMs: 10 ** 12 } })
    expect(await commitOnce()).toEqual([CALL, BLOCK, BLOCK, BLOCK])
  })

  /** One trade of the first maker; what was asked of the node from the commit to its end. */
  async function commitOnce({ idleMs = 0 } = {}): Promise<string[]> {
    const account = privateKeyToAccount(devnet.accounts.makers[0]?.privateKey as Hex)
    const maker = await fixture.connect('ada')
    const { requestId } = await fixture.open(terms)
    const quoteId = await fixture.quote('ada', requestId, { maker: account.address, size: contracts(100n) })
    now += idleMs
    carried = []
    const commit = fixture.relay.commit({
      requestId,
      takerSecret: null,
      terms: { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null },
    })
    commit.catch(() => {})
    while (maker.accepted().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const { order, domain } = maker.accepted().at(-1) ?? (await commit).execution.acceptance
    const signature = await account.signTypedData(orderTypedData(order, domain))
    await fixture.relay.confirm({ makerId: 'ada', quoteId, signature })
    await commit
    await settle()
    maker.disconnect()
    return carried.toSorted()
  }
})
