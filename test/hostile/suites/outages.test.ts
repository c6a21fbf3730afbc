import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedChain, startChain } from '../../cluster/cluster.ts'
import { buildWhenStale } from '../../kit/build.ts'
import { closeAll, keep } from '../../kit/keep.ts'
import { json } from '../../kit/plays.ts'
import { AUDIENCE, ISSUER, newKey, tokenOf } from '../../support/identity-provider.ts'
import { createTcpProxy } from '../../support/tcp-proxy.ts'
import { type BadServer, startBadServer } from '../lab/bad-server.ts'
import { flood } from '../lab/flood.ts'
import { type Attacked, startAttacked } from '../lab/forms.ts'
import { GARBAGE } from '../lab/garbage.ts'
import { createHonestPair } from '../lab/honest.ts'
import { only, openMany } from '../lab/steps.ts'
import { createTarget, type Target } from '../lab/target.ts'

/** How long a wait for something of the chain's may take, in milliseconds. */
const CHAIN_MS = 30_000

/** A relay, the chain that it reaches by a wire of ours, and what sees to it that it ends. */
type OnWire = { target: Target; attacked: Attacked }

describe('services of a relay answer late, badly or never', { timeout: 120_000 }, () => {
  let chain: SharedChain
  const relays: Attacked[] = []

  beforeAll(async () => {
    await buildWhenStale()
    chain = await startChain()
  }, 120_000)
  afterAll(async () => {
    closeAll()
    await Promise.all(relays.map(({ remove }) => remove()))
    await chain?.relay.stop()
  }, 60_000)

  /** A relay that reaches the chain at another address. */
  async function startOn(rpcUrl: string, env: Record<string, string> = {}): Promise<OnWire> {
    const attacked = await startAttacked({ flags: ['--rpc', rpcUrl], env: { ...chain.env, ...env } })
    relays.push(attacked)
    // Its own service has no chain: its makers and takers have their money from the relay that brought the chain.
    const target = createTarget({ ...attacked, ready: { ...attacked.ready, rpcUrl: null } })
    const { option, fund, proven } = chain.service
    return { attacked, target: { ...target, service: { ...target.service, option, fund, proven } } }
  }

  /** A maker of a relay with money. */
  async function funded(target: Target) {
    const maker = await target.maker({ funded: false })
    await chain.service.fund(maker.wallet)
    return maker
  }

  it('a node that freezes while hundreds read and quote does not end the relay (a former hole)', async () => {
    const { hostname, port } = new URL(String(chain.relay.ready.rpcUrl))
    const wire = await createTcpProxy({ host: hostname, port: Number(port) })
    keep(() => void wire.close())
    const { target, attacked } = await startOn(`http://127.0.0.1:${wire.port}`)
    const maker = await target.maker({ funded: false })
    const [opened] = await openMany(target, 1)
    wire.freeze()
    const reading = Array.from({ length: 40 }, () => {
      const stranger = target.stranger()
      return flood(10, 10, () => stranger.ask('GET', `/v1/positions?wallet=${target.service.wallet().address}`))
    })
    const quoter = target.stranger()
    const quoting = flood(1_500, 500, (n) => {
      const wallet = `0x${(n + 1).toString(16).padStart(40, '0')}`
      const quote = { maker: wallet, side: 'buy', price: 0.1, size: 1_000 }
      const headers = { 'x-api-key': maker.apiKey }
      return quoter.ask('POST', '/v1/mm/quotes', { headers, body: { requestId: opened?.requestId, quote } })
    })
    for (const { statuses } of await Promise.all([...reading, quoting])) only(statuses, [404, 409, 422, 429, 503])
    wire.pass()
    await target.assertServes()
    const pair = await createHonestPair(target.service, await funded(target))
    await expect.poll(() => pair.trade().catch(() => null), { timeout: CHAIN_MS }).not.toBeNull()
    pair.close()
    await attacked.process.stop()
  })

  it('a quote that lasts less long than a read of the chain is not asked to sign (what once got through)', async () => {
    const { hostname, port } = new URL(String(chain.relay.ready.rpcUrl))
    const wire = await createTcpProxy({ host: hostname, port: Number(port) })
    keep(() => void wire.close())
    const { target } = await startOn(`http://127.0.0.1:${wire.port}`, { SOLVENCY_CACHE_MS: '30000' })
    const maker = await funded(target)
    const taker = target.service.wallet()
    await chain.service.fund(taker)
    const socket = await maker.connect()
    const [warm, opened] = await openMany(target, 2)
    await maker.quoted(warm?.requestId as string)
    wire.delay(300)
    const lifeMs = 500
    const quoted = await maker.quote(opened?.requestId as string, { expires_in_ms: lifeMs })
    const until = Date.now() + lifeMs
    only(quoted.status, [200])
    const { status } = await target.service.commit(opened?.requestId as string, { wallet: taker.address })
    const asked = socket.messages.all().find(({ type }) => type === 'quote:accepted')
    socket.close()
    wire.delay(0)
    assert(Date.now() > until)
    assert.equal(asked, undefined, 'it was asked after its time')
    assert.notEqual(status, 200)
  })

  describe('a node that answers badly', () => {
    let node: BadServer
    let onWire: OnWire

    beforeAll(async () => {
      node = await startBadServer(String(chain.relay.ready.rpcUrl))
      onWire = await startOn(node.url)
    }, 60_000)

    for (const [name, play] of Object.entries(GARBAGE))
      it(`answers ${name}: calls that need it are refused for now, and all others work`, async () => {
        const { target } = onWire
        const maker = await target.maker({ funded: false })
        const [opened] = await openMany(target, 1)
        const requestId = opened?.requestId as string
        const stranger = target.stranger()
        node.play(play)
        const wallet = target.service.wallet().address
        const answers = await Promise.all([
          ...Array.from({ length: 5 }, () => stranger.ask('GET', `/v1/positions?wallet=${wallet}`)),
          stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body: { wallet } }),
          stranger.ask('GET', `/v1/series/${BigInt(target.service.wallet().address)}`),
          maker.quote(requestId),
        ])
        // What the relay knows of its chain may be a second old.
        const readiness = async () => (await stranger.ask('GET', '/readyz')).status
        await expect.poll(readiness, { timeout: CHAIN_MS }).toBe(503)
        node.play(null)
        for (const { status, text } of answers) {
          only(status, [404, 409, 503], text)
          assert(!text.includes('internal_error'), text)
        }
        await target.assertServes()
      })

    it('is believed again when it is well', async () => {
      const { target } = onWire
      const pair = await createHonestPair(target.service, await funded(target))
      await expect.poll(() => pair.trade().catch(() => null), { timeout: CHAIN_MS }).not.toBeNull()
      pair.close()
    })

    it('is not asked once for each stranger who asks whether the relay is ready (what once got through)', async () => {
      const { target } = onWire
      const strangers = Array.from({ length: 20 }, () => target.stranger())
      const before = node.asked()
      const begun = Date.now()
      await flood(400, 40, (n) => {
        const stranger = strangers[n % 20] as (typeof strangers)[0]
        return stranger.ask('GET', n % 2 === 0 ? '/readyz' : '/metrics')
      })
      // The relay looks at the chain by itself, too: some few calls in each second.
      const most = 20 + ((Date.now() - begun) / 1_000) * 10
      assert(node.asked() - before < most, `${node.asked() - before} calls for 400 questions`)
    })
  })

  describe('prices and markets', () => {
    let prices: BadServer
    let markets: BadServer
    let target: Target
    let seriesId: string
    let expiry: number

    beforeAll(async () => {
      ;[prices, markets] = await Promise.all([startBadServer(), startBadServer()])
      prices.play(json({ history: [] }))
      markets.play(json([]))
      const env = { PRICE_HISTORY_URL: prices.url, MARKETS_URL: markets.url, SETTLE_LAG_MS: '0' }
      ;({ target } = await startOn(String(chain.relay.ready.rpcUrl), env))
      // Its settling is never begun by the relay itself: while prices are garbage there is nothing to pin.
      prices.play(json(null))
      const { seriesId: id, option } = await chain.service.option({ expiresInS: 5 })
      seriesId = id
      expiry = option.expiryMs / 1_000
      while (((await chain.service.chain?.now()) ?? 0) <= expiry) await wait(200)
    }, 90_000)

    const prepare = () => target.service.call('POST', '/settlement/prepare', { body: { seriesId } })

    for (const [name, play] of Object.entries(GARBAGE))
      it(`answered with ${name} settle nothing`, async () => {
        prices.play(play)
        markets.play(play)
        const { status, text } = await prepare()
        only(status, [409, 503], text)
        await target.assertServes()
      })

    for (const [name, history] of Object.entries({
      'one print in the last second': () => [{ t: expiry, p: 1 }],
      'prints outside of the window': () => Array.from({ length: 50 }, (_, n) => ({ t: expiry + 1 + n, p: 1 })),
      'prices that are none': () => Array.from({ length: 50 }, (_, n) => ({ t: expiry - n, p: 2 })),
      'one print, a thousand times': () => Array(1_000).fill({ t: expiry, p: 1 }),
      'prints of the last minute alone': () => Array.from({ length: 9 }, (_, n) => ({ t: expiry - n, p: 1 })),
    }))
      it(`with ${name} settle nothing (a former hole)`, async () => {
        markets.play(json([]))
        prices.play(json({ history: history() }))
        const { status, text } = await prepare()
        only(status, [409, 503], text)
      })
  })

  it('an identity provider that answers badly lets in no one, and is asked no more than it must be', async () => {
    const keys = await startBadServer()
    const env = { IDP_ISSUER: ISSUER, IDP_AUDIENCE: AUDIENCE, IDP_JWKS_URL: keys.url }
    const attacked = await startAttacked({ flags: ['--no-chain'], env })
    relays.push(attacked)
    const target = createTarget(attacked)
    const headers = { authorization: `Bearer ${await tokenOf(await newKey('key-1'), { nowMs: Date.now() })}` }
    for (const [name, play] of Object.entries(GARBAGE)) {
      keys.play(play)
      const { status } = await target.stranger().ask('GET', '/v1/user/profile', { headers })
      only(status, [401, 503], name)
    }
    await target.assertServes()
    assert(keys.asked() < 100)
  })
})
