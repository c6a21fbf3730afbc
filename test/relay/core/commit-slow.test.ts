import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { Ports } from '../../../src/relay/core/ports/ports.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, refusal, START_MS, type TestRelay } from '../../support/test-relay.ts'

/** Lets each call of a port's method take as long as `ms`. */
function slow<Port extends object>(fixture: TestRelay, port: Port, method: keyof Port, ms: number): void {
  const call = port[method] as (...args: unknown[]) => unknown
  const late = async (...args: unknown[]) => {
    await new Promise<void>((resolve) => void fixture.clock.schedule(fixture.clock.now() + ms, resolve))
    return call(...args)
  }
  Object.assign(port, { [method]: late })
}

const SLOW: readonly [name: string, port: (ports: Ports) => object, method: string][] = [
  ['the funds are read', ({ chain }) => chain, 'funds'],
  ['the time of the chain is read', ({ chain }) => chain, 'time'],
  ['the series is read', ({ chain }) => chain, 'series'],
  ['the nonce is allotted', ({ store }) => store, 'allotNonce'],
  ['the quote is held', ({ book }) => book, 'lock'],
  ['its socket is looked for', ({ presence }) => presence, 'hasSocket'],
  ['the order is written', ({ store }) => store.acceptances, 'insert'],
]

describe('a quote that runs out while a commit is on its way', () => {
  it.each(SLOW)('is not asked for, and the next maker is: while %s', async (_, port, method) => {
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(110_000n), expiresInMs: 300 })
    await fixture.quote('bob', requestId)
    const written: string[] = []
    const { acceptances } = fixture.ports.store
    const { insert } = acceptances
    acceptances.insert = (acceptance, ...rest) => {
      written.push(acceptance.makerId)
      return insert(acceptance, ...rest)
    }
    slow(fixture, port(fixture.ports) as Record<string, unknown>, method, 400)
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(3_000)
    expect(ada.accepted()).toEqual([])
    expect(bob.accepted()).toHaveLength(1)
    await bob.confirm()
    await fixture.clock.advance(1_000)
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(await acceptances.pending()).toEqual([])
    // Nothing is written of what is known to have run out.
    expect(written).toEqual(method === 'insert' ? ['ada', 'bob'] : ['bob'])
  })

  it('is not asked for when its maker connects later than that', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { expiresInMs: 600 })
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(700)
    const ada = await fixture.connect('ada')
    await fixture.clock.advance(1_000)
    expect(await commit).toBe('no_valid_quotes')
    expect(ada.accepted()).toEqual([])
  })

  it('is asked for when its order was written, found and signed before it could be taken back', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.connect('ada')
    await fixture.quote('ada', requestId, { expiresInMs: 300 })
    const { acceptances } = fixture.ports.store
    const { insert } = acceptances
    acceptances.insert = async (acceptance) => {
      const inserted = await insert(acceptance)
      await new Promise<void>((resolve) => void fixture.clock.schedule(fixture.clock.now() + 400, resolve))
      return inserted
    }
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(100)
    // A maker that connects now is told of what is pending.
    await (await fixture.connect('ada')).confirm()
    await fixture.clock.advance(1_000)
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })
})

describe('near the end of the option', () => {
  const option = { ...CALL_BUY.option, expiryMs: EXPIRY_S * 1_000 }

  async function commitAt(leftMs: number) {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.clock.advance(EXPIRY_S * 1_000 - START_MS - Math.max(leftMs, 1_000) - 1_000)
    const { requestId } = await fixture.open({ option })
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(EXPIRY_S * 1_000 - leftMs - fixture.clock.now())
    return { fixture, ada, commit: fixture.commit(requestId) }
  }

  it('the deadline leaves time to fill the order before the option expires', async () => {
    const { fixture, ada, commit } = await commitAt(6_000)
    await settle()
    const [acceptance] = ada.accepted()
    expect(acceptance?.order.validUntil).toBe(EXPIRY_S)
    expect(acceptance?.deadline).toBe(EXPIRY_S * 1_000 - 2_000)
    await fixture.clock.advance(3_999)
    await ada.confirm()
    expect((await commit).execution.executedAt).toBeLessThan(EXPIRY_S * 1_000 - 2_000)
  })

  it('no signature is taken that would come too late to fill', async () => {
    const { fixture, ada, commit } = await commitAt(6_000)
    const outcome = refusal(commit)
    await fixture.clock.advance(4_000)
    expect(await refusal(ada.confirm())).toBe('no_pending_acceptance')
    expect(await outcome).toBe('no_maker_confirmed')
  })

  it('a commit that leaves no time to sign and to fill is refused, and asks no maker', async () => {
    for (const leftMs of [2_000, 1_001, 600]) {
      const { ada, commit } = await commitAt(leftMs)
      expect(await refusal(commit)).toBe('request_expired')
      expect(ada.accepted()).toEqual([])
    }
  })

  it('an order is not handed out again from the second on in which the option expires', async () => {
    const { fixture, ada, commit } = await commitAt(6_000)
    await settle()
    await ada.confirm()
    const { requestId } = (await commit).execution.acceptance
    await fixture.clock.advance(5_999)
    expect(await refusal(fixture.commit(requestId))).toBe('not refused')
    await fixture.clock.advance(1)
    expect(await refusal(fixture.commit(requestId))).toBe('already_committed')
  })
})

describe('a cancel that was answered', () => {
  it('is final for all, also while a commit holds a quote and is about to ask its maker', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const opened = await fixture.open()
    const { requestId } = opened
    await fixture.quote('ada', requestId)
    const { book, store } = fixture.ports
    const { close } = store.requests
    // The commit takes hold of the quote while the store writes the end of the request.
    store.requests.close = async (...end) => {
      const closed = await close(...end)
      await settle()
      return closed
    }
    slow(fixture, fixture.ports.chain, 'funds', 50)
    const cancel = fixture.relay.cancelRequest(opened)
    const commit = refusal(fixture.commit(requestId))
    await settle()
    expect((await book.find(requestId))?.signing).toMatchObject({ makerId: 'ada' })
    await cancel
    const poll = await fixture.relay.readRequest({ requestId, takerSecret: null })
    expect(poll).toMatchObject({ status: 'cancelled', quoteCount: 0, best: null, confirming: false })
    expect(await refusal(fixture.quote('bob', requestId))).toBe('request_closed')
    const watch = fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: () => {} })
    expect(await refusal(watch)).toBe('request_not_found')
    await fixture.clock.advance(1_000)
    expect(await commit).toBe('request_closed')
    expect(ada.messages).toMatchObject([{ kind: 'rejected', reason: 'request_cancelled' }])
  })
})

describe('when the bus and then the store fail', () => {
  it('the commit is refused, and no promise is left that rejects unhandled', async () => {
    const unhandled: unknown[] = []
    const note = (fault: unknown) => void unhandled.push(fault)
    process.on('unhandledRejection', note)
    try {
      const fixture = createTestRelay()
      await fixture.connect('ada')
      const { requestId } = await fixture.open()
      await fixture.quote('ada', requestId)
      const { bus, store } = fixture.ports
      bus.publish = () => Promise.reject(new Error('Redis is down'))
      const commit = fixture.commit(requestId).catch((fault: unknown) => fault)
      await settle()
      expect(await commit).toMatchObject({ message: 'Redis is down' })
      store.acceptances.end = () => Promise.reject(new RfqError('store_unavailable'))
      await fixture.clock.advance(10_000)
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })
})

describe('a ladder', () => {
  it('ends after so many looks at a book that never stops changing', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { book } = fixture.ports
    const { look } = book
    let looks = 0
    book.look = async (...question) => {
      const quotes = await look(...question)
      looks += 1
      if (looks < 1_000) await fixture.quote('ada', requestId, { price: usd6(120_000n + BigInt(looks % 2)) })
      return quotes
    }
    expect(await refusal(fixture.commit(requestId))).toBe('no_maker_confirmed')
    expect(looks).toBe(100)
    expect(ada.accepted()).toEqual([])
  })
})
