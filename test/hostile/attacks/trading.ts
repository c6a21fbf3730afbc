import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { askedToSign, signOrder } from '../../kit/maker.ts'
import { trade } from '../../kit/service.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { startSigner } from '../lab/signer.ts'
import { only, openBody, openMany } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

/** Attacks at the trade itself: races, other people's requests and quotes, signatures that are none. */
export const tradingAttacks: readonly Attack[] = [
  {
    holds: 'who commits first for somebody else gets nothing to trade with, and binds nobody beyond a limit',
    isQuick: true,
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const { service } = target
      const taker = service.wallet()
      await service.fund(taker)
      const greedy = await target.maker()
      const signer = await startSigner(greedy)
      const [opened] = await openMany(target, 1, { wallet: taker.address })
      const requestId = opened?.requestId as string
      await greedy.quoted(requestId, { price: 0.5, size: 100 })
      // Every maker hears the id of the request and the taker's wallet.
      await target.stranger().ask('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: taker.address } })
      for (const protections of [
        { limitPrice: 0.1, minContracts: 400 },
        { limitPrice: 0.499999 },
        { minContracts: 101 },
        { expectedQuoteId: crypto.randomUUID() },
      ]) {
        const { status, body } = await service.commit(requestId, { wallet: taker.address, ...protections })
        assert.notEqual(status, 200, `${JSON.stringify(protections)}: ${JSON.stringify(body)}`)
      }
      // Within its limits it still gets what was promised.
      const fair = await service.commit(requestId, { wallet: taker.address, limitPrice: 0.5, minContracts: 100 })
      assert.equal(fair.status, 200)
      signer.close()
    },
  },
  {
    holds: 'a commit that joins a running one is answered by its own limits',
    isQuick: true,
    known: true,
    run: async (target) => {
      const { service } = target
      const maker = await target.maker()
      const socket = await maker.connect()
      const taker = service.wallet()
      await service.fund(taker)
      const [opened] = await openMany(target, 1)
      const requestId = opened?.requestId as string
      const quoteId = await maker.quoted(requestId, { price: 0.2 })
      const first = service.commit(requestId, { wallet: taker.address })
      const accepted = await askedToSign(socket, requestId)
      const joined = service.commit(requestId, { wallet: taker.address, limitPrice: 0.1 })
      await wait(50)
      await maker.confirm(quoteId, await maker.sign(accepted))
      assert.equal((await first).status, 200)
      assert.equal((await joined).status, 409)
    },
  },
  {
    holds: 'after a cancel has been answered nobody quotes, and nobody sees the request open',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const taker = target.service.wallet()
      await target.service.fund(taker)
      const maker = await target.maker()
      const other = await target.maker()
      const decline = ({ quoteId }: { quoteId: string }) => maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`, {})
      const decliner = await startSigner(maker, decline)
      for (let round = 0; round < 12; round += 1) {
        const [opened] = await openMany(target, 1)
        const { requestId, takerSecret } = opened as { requestId: string; takerSecret: string }
        await maker.quoted(requestId)
        const [cancelled, committed] = [
          target.service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } }),
          target.service.commit(requestId, { wallet: taker.address }),
        ]
        if ((await cancelled).status === 200) {
          const [quoted, polled] = await Promise.all([
            other.quote(requestId, { price: 0.05 }),
            target.service.call('GET', `/quote-requests/${requestId}/quotes`),
          ])
          assert.equal(quoted.status, 409, `a quote behind the cancel: ${quoted.text}`)
          assert.equal(polled.body.status, 'cancelled')
        }
        assert.notEqual((await committed).status, 200)
      }
      decliner.close()
    },
  },
  {
    holds: 'a quote whose time is over is not asked to sign',
    known: true,
    run: async (target) => {
      const maker = await target.maker({ funded: target.service.chain !== null })
      const taker = target.service.wallet()
      for (const lifeMs of [40, 100, 300]) {
        const [opened] = await openMany(target, 1)
        const requestId = opened?.requestId as string
        const { status } = await maker.quote(requestId, { expires_in_ms: lifeMs })
        only(status, [200])
        await wait(lifeMs)
        // Its socket comes when its quote is gone.
        const committing = target.service.commit(requestId, { wallet: taker.address })
        const socket = await maker.connect()
        assert.notEqual((await committing).status, 200)
        assert(!socket.messages.all().some(({ type }) => type === 'quote:accepted'))
        socket.close()
      }
    },
  },
  {
    holds: 'signatures that are none, of others, too long or malleable confirm nothing, and the right one still does',
    isQuick: true,
    run: async (target) => {
      const { service } = target
      const maker = await target.maker()
      const thief = service.wallet()
      const taker = service.wallet()
      await service.fund(taker)
      const socket = await maker.connect()
      const [opened] = await openMany(target, 1)
      const requestId = opened?.requestId as string
      const quoteId = await maker.quoted(requestId)
      const committing = service.commit(requestId, { wallet: taker.address })
      const accepted = await askedToSign(socket, requestId)
      const right = await maker.sign(accepted)
      const foreign = await signOrder(thief, accepted)
      const dearer = await maker.sign({ ...accepted, order: { ...accepted.order, premiumAmount: '1' } })
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const highS = `${right.slice(0, 66)}${(order - BigInt(`0x${right.slice(66, 130)}`)).toString(16).padStart(64, '0')}${right.endsWith('1b') ? '1c' : '1b'}`
      const junk = [
        foreign,
        dearer,
        highS,
        '0x',
        '',
        `0x${'0'.repeat(130)}`,
        `0x${'f'.repeat(130)}`,
        `0x${'ab'.repeat(30_000)}`,
        right.slice(0, -4),
        `${right}00`,
        '\u0000',
        null,
        1,
        {},
        [right],
      ]
      for (const signature of junk) only((await maker.confirm(quoteId, signature)).status, [400])
      assert.equal((await maker.confirm(quoteId, right)).status, 200)
      assert.equal((await committing).status, 200)
      // Said again it is no second trade, and said by another it is none at all.
      assert.equal((await maker.confirm(quoteId, right)).status, 200)
      const stranger = await target.maker({ funded: false })
      assert.equal((await stranger.confirm(quoteId, right)).status, 404)
    },
  },
  {
    holds: 'what belongs to another maker can be neither confirmed, declined, withdrawn, nor seen',
    isQuick: true,
    run: async (target) => {
      const owner = await target.maker()
      const thief = await target.maker()
      const socket = await owner.connect()
      const taker = target.service.wallet()
      await target.service.fund(taker)
      const [opened] = await openMany(target, 1)
      const requestId = opened?.requestId as string
      const quoteId = await owner.quoted(requestId)
      const committing = target.service.commit(requestId, { wallet: taker.address })
      const accepted = await askedToSign(socket, requestId)
      const signature = await owner.sign(accepted)
      assert.equal((await thief.confirm(quoteId, signature)).status, 404)
      assert.equal((await thief.call('POST', `/v1/mm/quotes/${quoteId}/decline`, {})).status, 404)
      assert.equal((await thief.call('DELETE', `/v1/mm/quotes/${quoteId}`)).status, 404)
      const seen = JSON.stringify([
        (await thief.call('GET', '/v1/mm/quotes')).body,
        (await thief.call('GET', '/v1/mm/executions')).body,
      ])
      assert(!seen.includes(quoteId))
      assert.equal((await owner.quote(requestId, { price: 0.4 })).status, 409)
      assert.equal((await owner.call('DELETE', `/v1/mm/quotes/${quoteId}`)).status, 409)
      assert.equal((await owner.confirm(quoteId, signature)).status, 200)
      assert.equal((await committing).status, 200)
      socket.close()
    },
  },
  {
    holds: 'a request that is locked is closed to all that do not know its secret',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker()
      const [opened, other] = await openMany(target, 2, { locked: true })
      const { requestId } = opened as { requestId: string }
      await maker.quoted(requestId)
      const stranger = target.stranger()
      const wallet = target.service.wallet().address
      const secrets = [
        undefined,
        '',
        other?.takerSecret,
        `${opened?.takerSecret} `.repeat(2),
        `${opened?.takerSecret}\u0000`,
        'null',
        `${opened?.takerSecret}`.slice(1),
      ]
      for (const takerSecret of secrets) {
        const calls = [
          stranger.ask('POST', `/quote-requests/${requestId}/commit`, {
            body: { wallet, ...(takerSecret === undefined ? {} : { takerSecret }) },
          }),
          stranger.ask('POST', `/quote-requests/${requestId}/cancel`, {
            body: takerSecret === undefined ? {} : { takerSecret },
          }),
          stranger.ask('GET', `/quote-requests/${requestId}/quotes`),
          stranger.ask('GET', `/quote-requests/${requestId}/stream`),
        ]
        for (const { status } of await Promise.all(calls)) only(status, [400, 403])
      }
    },
  },
  {
    holds: 'of fifty commits and fifty cancels at once exactly one story is true',
    aimsAtStore: true,
    run: async (target) => {
      const taker = target.service.wallet()
      await target.service.fund(taker)
      const maker = await target.maker()
      const signer = await startSigner(maker)
      for (let round = 0; round < 4; round += 1) {
        const [opened] = await openMany(target, 1)
        const { requestId, takerSecret } = opened as { requestId: string; takerSecret: string }
        await maker.quoted(requestId)
        const strangers = Array.from({ length: 10 }, () => target.stranger())
        await flood(100, 100, (n) => {
          const stranger = strangers[n % 10] as (typeof strangers)[0]
          return n % 2 === 0
            ? stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: taker.address } })
            : stranger.ask('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
        })
        const { body } = await target.service.call('GET', `/quote-requests/${requestId}/quotes`)
        const again = await target.service.commit(requestId, { wallet: taker.address })
        assert.equal(body.closed, true)
        assert.equal(
          again.status === 200,
          body.status === 'committed',
          `${body.status}, and a commit is ${again.status}`,
        )
      }
      signer.close()
    },
  },
  {
    holds: 'a confirm that is sent five times at once is one trade, and is told so five times',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const done = await trade(target.service)
      assert.equal(done.committed.status, 200)
      const again = await Promise.all(Array.from({ length: 5 }, () => done.maker.confirm(done.quoteId, done.signature)))
      assert.deepEqual(
        again.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
      const { body } = await done.maker.call<{ executions: unknown[] }>('GET', '/v1/mm/executions')
      assert.equal(body.executions.length, 1)
    },
  },
  {
    holds: 'quotes without end of one maker leave one quote, and the relay alive',
    known: true,
    run: async (target) => {
      const maker = await target.maker()
      const stranger = target.stranger()
      const [opened] = await openMany(target, 1)
      const requestId = opened?.requestId as string
      const before = target.residentMiB()
      const { statuses } = await flood(10_000, 24, (n) => {
        const quote = {
          maker: maker.wallet.address,
          side: 'buy',
          price: 0.1 + (n % 50) / 1_000,
          size: 1_000,
          expires_in_ms: 250_000,
        }
        return stranger.ask('POST', '/v1/mm/quotes', {
          headers: { 'x-api-key': maker.apiKey },
          body: { requestId, quote },
        })
      })
      only(statuses, [200, 429, 503])
      const { body } = await target.service.call('GET', `/quote-requests/${requestId}/quotes`)
      assert.equal(body.quoteCount, 1)
      const grown = target.residentMiB() - before
      assert(grown < 80, `${Math.round(grown)} MiB`)
    },
  },
  {
    holds: 'quotes that are outside of what an option can be worth are refused',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker()
      const [opened] = await openMany(target, 1)
      const bad = [
        { price: 0 },
        { price: 1 },
        { price: -0.1 },
        { price: 0.5500001 },
        { price: 0.56 },
        { price: '0.1' },
        { price: null },
        { size: 0 },
        { size: -1 },
        { size: 1.5 },
        { size: 2 ** 53 },
        { size: 1e300 },
        { side: 'sell' },
        { maker: '0x0' },
        { maker: `0x${'0'.repeat(40)}` },
        { expires_in_ms: 0 },
        { expires_in_ms: -1 },
        { expires_in_ms: 1.5 },
        { expiresInMs: 5 },
      ]
      for (const terms of bad) {
        const { status } = await maker.quote(opened?.requestId as string, terms)
        assert.equal(status, 400, JSON.stringify(terms))
      }
    },
  },
  {
    holds: 'quotes for ids that are none, are another kind of id, or are over are told so',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker()
      const done = await trade(target.service)
      const ids = [crypto.randomUUID(), done.quoteId, '', '__proto__', 'toString', '\u0000', 'x'.repeat(5_000)]
      for (const id of ids) only((await maker.quote(id)).status, [400, 404])
      assert.equal((await maker.quote(done.created.requestId)).status, 409)
      for (const id of [
        done.created.requestId,
        done.created.requestId.toUpperCase(),
        '..%2f',
        '%00',
        'x'.repeat(5_000),
      ])
        only((await maker.confirm(id, done.signature)).status, [400, 404, 414])
    },
  },
  {
    holds: 'strangers who ask about what is not theirs are told the same as about what is not there',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const stranger = target.stranger()
      const body = await openBody(target)
      const mine = await target.service.call('POST', '/quote-requests', { body: { ...body, locked: true } })
      const other = crypto.randomUUID()
      for (const path of ['/ops/v1/audit/', '/ops/v1/reviews/', '/v1/user/api-keys/']) {
        const [known, unknown] = await Promise.all([
          stranger.ask('GET', `${path}${mine.body.requestId}`, { headers: { 'x-api-key': maker.apiKey } }),
          stranger.ask('GET', `${path}${other}`, { headers: { 'x-api-key': maker.apiKey } }),
        ])
        assert.equal(known?.status, unknown?.status)
        assert.deepEqual(known?.body.code, unknown?.body.code)
      }
    },
  },
]

/** How many makers one commit asks. */
const CANDIDATES = 5

/** How often a maker may let somebody down before it ranks behind all others. */
const MISSES = 2

/** Makers that quote better than all others and never sign keep an honest one from few trades, and then from none. */
export async function ghosts(target: Target, count: number): Promise<void> {
  const { service } = target
  const honest = await target.maker()
  const taker = service.wallet()
  const all = await Promise.all(Array.from({ length: count }, () => target.maker()))
  const signer = await startSigner(honest)
  const sockets = await Promise.all(all.map((maker) => maker.connect()))
  const lost = Math.ceil(count / CANDIDATES) * MISSES
  const statuses: number[] = []
  for (let request = 0; request < lost + 3; request += 1) {
    const [opened] = await openMany(target, 1)
    const requestId = opened?.requestId as string
    await honest.quoted(requestId, { price: 0.12 })
    for (const ghost of all) await ghost.quote(requestId, { price: 0.01 })
    statuses.push((await service.commit(requestId, { wallet: taker.address })).status)
  }
  for (const { close } of [signer, ...sockets]) close()
  assert.deepEqual(statuses.slice(lost), [200, 200, 200], `commits beside ${count} that never sign: ${statuses}`)
}
