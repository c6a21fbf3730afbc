import { describe, expect, it, vi } from 'vitest'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import type { Ports } from '../../../src/relay/core/ports/ports.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  CALL_BUY,
  createTestRelay,
  makerAccount,
  OTHER_TAKER,
  RELAY_SETTINGS,
  refusal,
  START_MS,
  TAKER,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

/** A request that names its wallet. */
const ofTaker = { wallet: TAKER }

const START_S = START_MS / 1_000

const submissionOf = (name: string) => ({
  maker: walletOf(name),
  side: 'buy' as const,
  price: usd6(120_000n),
  size: contracts(1_000n),
  expiresInMs: null,
})

describe('the order of a quote', () => {
  it('comes with the quote where its maker asks for it, for the wallet that the request names', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const { order, domain } = await fixture.quoteFirm('ada', requestId)
    expect(order).toMatchObject({
      maker: walletOf('ada'),
      taker: TAKER,
      optionAmount: 833n,
      premiumAmount: 99_960_000n,
    })
    expect(domain.verifyingContract).toBe(fixture.chain.environment.settlementAddress)
  })

  it('does not come unasked, nor where the request names no wallet', async () => {
    const fixture = createTestRelay()
    const named = await fixture.open(ofTaker)
    const unnamed = await fixture.open()
    const submission = submissionOf('ada')
    const soft = await fixture.relay.submitQuote({ makerId: 'ada', requestId: named.requestId, submission })
    const nobodys = await fixture.relay.submitQuote({
      makerId: 'ada',
      requestId: unnamed.requestId,
      submission: { ...submission, firm: true },
    })
    expect(soft).not.toHaveProperty('order')
    expect(nobodys).not.toHaveProperty('order')
    const signature = await makerAccount('ada').signMessage({ message: 'anything' })
    for (const { quoteId } of [soft, nobodys]) {
      const making = fixture.relay.makeQuoteFirm({ makerId: 'ada', quoteId, signature })
      expect(await refusal(making)).toBe('quote_not_found')
    }
  })

  it('can be filled as long as any other after a commit in the last moment of the quote', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const { order } = await fixture.quoteFirm('ada', requestId, { expiresInMs: 20_000 })
    expect(order.validUntil).toBe(START_S + 20 + 10 + 120)
    await fixture.clock.advance(19_999)
    const { execution } = await fixture.commit(requestId)
    const left = execution.acceptance.order.validUntil - (await fixture.chain.time('latest'))
    expect(left).toBeGreaterThanOrEqual(RELAY_SETTINGS.orderValidityMs / 1_000)
  })

  it('comes for one wallet of a maker on a request: a quote of another one is soft, and no nonce is kept for it', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const first = await fixture.quoteFirm('ada', requestId)
    const allot = vi.spyOn(fixture.ports.store, 'allotNonce')
    await fixture.relay.withdrawQuote({ makerId: 'ada', quoteId: first.quoteId })
    const submission = { ...submissionOf('bob'), firm: true }
    expect(await fixture.relay.submitQuote({ makerId: 'ada', requestId, submission })).not.toHaveProperty('order')
    expect(allot).not.toHaveBeenCalled()
    expect((await fixture.quoteFirm('ada', requestId)).order.nonce).toBe(first.order.nonce)
    expect((await fixture.quoteFirm('bob', requestId)).order.maker).toBe(walletOf('bob'))
  })

  it('is never valid past the expiry of its option', async () => {
    const fixture = createTestRelay()
    const option = { ...CALL_BUY.option, expiryMs: START_MS + 60_000 }
    const terms = { ...ofTaker, option }
    fixture.register({ ...CALL_BUY, option })
    const { requestId } = await fixture.open(terms)
    expect((await fixture.quoteFirm('ada', requestId)).order.validUntil).toBe(START_S + 60)
  })

  it('has the nonce of the one before, and of a soft one, so that only one of them can ever be filled', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const first = await fixture.quoteFirm('ada', requestId)
    const second = await fixture.quoteFirm('ada', requestId, { price: usd6(110_000n) })
    expect(second.order.nonce).toBe(first.order.nonce)
    const ada = await fixture.connect('ada')
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()[0]?.order.nonce).toBe(first.order.nonce)
    await ada.confirm()
    await commit
  })
})

describe('a signature over the order of a quote', () => {
  it('is refused when it is of another key or no signature, or over the order of a former quote', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const { quoteId, signature } = await fixture.quoteFirm('ada', requestId)
    const { order, domain } = await fixture.quoteFirm('ada', requestId, { price: usd6(110_000n) })
    const others = await makerAccount('bob').signTypedData(orderTypedData(order, domain))
    for (const wrong of [signature, others, '0x', 'nothing'])
      expect(await refusal(fixture.relay.makeQuoteFirm({ makerId: 'ada', quoteId, signature: wrong }))).toBe(
        'invalid_signature',
      )
    expect(fixture.auditLog.filter(({ kind }) => kind === 'signature_refused')).toEqual([])
  })

  it('is refused for the quote of another maker, one that has lapsed, and one that is gone', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    const { quoteId, signature } = await fixture.quoteFirm('ada', requestId, { expiresInMs: 5_000 })
    const makeFirm = (makerId: string) => refusal(fixture.relay.makeQuoteFirm({ makerId, quoteId, signature }))
    expect(await makeFirm('bob')).toBe('quote_not_found')
    expect(await makeFirm('ada')).toBe('not refused')
    await fixture.clock.advance(5_000)
    expect(await makeFirm('ada')).toBe('quote_not_found')
  })
})

describe('a commit on a firm quote', () => {
  it('closes at once, with the order that was signed, and asks no one (invariant V13)', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(ofTaker)
    const { order, signature } = await fixture.quoteFirm('ada', requestId)
    const { execution } = await fixture.commit(requestId)
    await settle()
    expect(execution.acceptance.order).toEqual(order)
    expect(execution.signature).toBe(signature)
    expect(ada.messages).toEqual([{ kind: 'confirmed', requestId, quoteId: execution.acceptance.quoteId, order }])
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).status).toBe('committed')
  })

  it('needs no socket of its maker', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    expect((await fixture.commit(requestId)).execution.acceptance.makerId).toBe('ada')
  })

  it('counts as confirmed, without a time to sign', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    await fixture.commit(requestId)
    await settle()
    const { outcomes, confirmP50Ms, score } = await fixture.relay.makerStanding('ada')
    expect({ confirmed: outcomes.confirmed, confirmP50Ms, score }).toEqual({
      confirmed: 1,
      confirmP50Ms: null,
      score: 100,
    })
  })

  it('goes to the next best when the maker cannot pay any more', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    await fixture.quoteFirm('bob', requestId, { price: usd6(130_000n) })
    const nothing = { balance: usd6(0n), allowance: usd6(0n) }
    fixture.chain.wallets.set(walletOf('ada'), { core: nothing, settlement: nothing })
    expect((await fixture.commit(requestId)).execution.acceptance.makerId).toBe('bob')
  })

  it('takes the quote of a maker that is connected no more, unless it cancels on disconnect (invariant V11)', async () => {
    const fixture = createTestRelay()
    const protections = {
      cancelOnDisconnect: { graceMs: 500, channels: 'all' as const },
      windows: [],
      freezeMs: null,
      maxQuoteSize: null,
      references: [],
    }
    const ada = await fixture.connect('ada')
    await fixture.relay.protections.put('ada', protections)
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    ada.disconnect()
    await fixture.clock.advance(500)
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
  })

  it('counts in the windows of its maker, and trips them before it would exceed one (invariant V11)', async () => {
    const fixture = createTestRelay()
    const none = { maxContracts: null, maxNotional: null, maxCollateral: null }
    await fixture.relay.protections.put('ada', {
      cancelOnDisconnect: null,
      windows: [{ ms: 60_000, maxAccepted: 1, ...none }],
      freezeMs: null,
      maxQuoteSize: null,
      references: [],
    })
    const [first, second] = [await fixture.open(ofTaker), await fixture.open(ofTaker)]
    for (const { requestId } of [first, second]) await fixture.quoteFirm('ada', requestId)
    expect((await fixture.commit(first.requestId)).execution.acceptance.makerId).toBe('ada')
    expect(await refusal(fixture.commit(second.requestId))).toBe('no_valid_quotes')
    expect((await fixture.relay.protections.read('ada'))?.trip).toMatchObject({ window: { maxAccepted: 1 } })
  })

  it('is refused where the chain has run so far ahead that the taker would be short of time to fill', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId, { expiresInMs: 20_000 })
    fixture.chain.aheadS = 40
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    expect(fixture.auditLog).toContainEqual(expect.objectContaining({ kind: 'passed_over', code: 'seal_lapsed' }))
  })

  it('is idempotent, and another wallet gets nothing', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    const [first, joined] = await Promise.all([fixture.commit(requestId), fixture.commit(requestId)])
    expect(joined.execution).toEqual(first.execution)
    expect((await fixture.commit(requestId)).execution).toEqual(first.execution)
    expect(await refusal(fixture.commit(requestId, { wallet: OTHER_TAKER }))).toBe('already_committed')
  })
})

describe('a firm signature is gone', () => {
  const bestOf = async (fixture: ReturnType<typeof createTestRelay>, requestId: string) =>
    (await fixture.relay.readRequest({ requestId, takerSecret: null })).best

  it('when its maker quotes again: the maker is asked for the order of the new quote', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quoteFirm('ada', requestId)
    expect((await bestOf(fixture, requestId))?.isFirm).toBe(true)
    await fixture.quote('ada', requestId)
    expect((await bestOf(fixture, requestId))?.isFirm).toBeUndefined()
    const commit = fixture.commit(requestId)
    await settle()
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    await commit
  })

  it('when the quote is withdrawn, has lapsed, or its request is cancelled', async () => {
    const fixture = createTestRelay()
    const quoted = await Promise.all([1, 2, 3].map(() => fixture.open(ofTaker)))
    const [withdrawn, lapsed, cancelled] = await Promise.all(
      quoted.map(({ requestId }) => fixture.quoteFirm('ada', requestId, { expiresInMs: 5_000 })),
    )
    await fixture.relay.withdrawQuote({ makerId: 'ada', quoteId: withdrawn?.quoteId ?? '' })
    await fixture.relay.cancelRequest({ ...(quoted[2] as { requestId: string; takerSecret: string }) })
    const gone = [withdrawn, cancelled].flatMap((quote) => quote ?? [])
    for (const quote of gone) expect(await fixture.ports.book.firmSignature(quote)).toBeNull()
    expect(await fixture.ports.book.firmSignature(lapsed as NonNullable<typeof lapsed>)).not.toBeNull()
    await fixture.clock.advance(5_000)
    expect(await fixture.ports.book.firmSignature(lapsed as NonNullable<typeof lapsed>)).toBeNull()
  })
})

describe('while the funds of its maker are read for a commit', () => {
  /** A commit on the firm quote of `ada` that has got as far as its funds, and how it goes on. */
  async function judging(ports: Partial<Ports> = {}) {
    const fixture = createTestRelay({ ports })
    const { requestId } = await fixture.open(ofTaker)
    const { quoteId } = await fixture.quoteFirm('ada', requestId)
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { funds } = fixture.chain
    fixture.chain.funds = async (...read) => {
      if (read[2] === 'latest') await gate
      return funds(...read)
    }
    const outcome = fixture.commit(requestId).then(
      () => 'traded',
      (fault: { code: string }) => fault.code,
    )
    await settle()
    const conclude = () => {
      goOn()
      return outcome
    }
    return { ...fixture, requestId, quoteId, conclude }
  }

  it('a quote that another node lets go of, and its maker then withdraws, does not trade', async () => {
    const { relay, ports, requestId, quoteId, conclude } = await judging()
    await ports.book.unlock(requestId, quoteId, 'unasked')
    await relay.withdrawQuote({ makerId: 'ada', quoteId })
    expect(await conclude()).toBe('no_valid_quotes')
  })

  it('a hold that is gone closes on nothing: the quote is held again first', async () => {
    const { ports, auditLog, requestId, quoteId, conclude } = await judging()
    const lock = vi.spyOn(ports.book, 'lock')
    await ports.book.unlock(requestId, quoteId, 'unasked')
    expect(await conclude()).toBe('traded')
    expect(lock).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ requestId, quoteId }))
    expect(auditLog.filter(({ kind }) => kind === 'passed_over')).toEqual([])
  })

  it('a maker that is blocked does not trade, also before its quotes are out of the book', async () => {
    const { relay, ports, auditLog, conclude } = await judging()
    vi.spyOn(ports.book, 'removeAll').mockReturnValue(new Promise(() => {}))
    void relay.blocks.decide({ makerId: 'ada', isBlocked: true, by: 'desk', reason: 'a stolen key' })
    await settle()
    expect(await conclude()).toBe('no_valid_quotes')
    expect(auditLog).toContainEqual(expect.objectContaining({ kind: 'passed_over', code: 'maker_blocked' }))
  })

  it('a maker that is stood down elsewhere, as for its last key, does not trade: its quotes leave at once', async () => {
    const { relay, ports, conclude } = await judging()
    await relay.blocks.decide({ makerId: 'ada', isBlocked: true, by: 'desk', reason: 'a stolen key' })
    await relay.blocks.decide({ makerId: 'ada', isBlocked: false, by: 'desk', reason: 'let in again' })
    expect(await ports.book.quotesOf('ada')).toEqual([])
    expect(await conclude()).toBe('no_valid_quotes')
  })
})

describe('while a slow store takes a firm quote', () => {
  /** What becomes of a commit on the firm quote of `ada` whose store takes so long, in milliseconds. */
  async function slowly(waitMs: number, terms: Parameters<TestRelay['open']>[0] = {}) {
    const fixture = createTestRelay()
    fixture.register({ ...CALL_BUY, ...terms })
    const { requestId } = await fixture.open({ ...ofTaker, ...terms })
    await fixture.quoteFirm('ada', requestId, { expiresInMs: 5_000 })
    const { acceptances, executions } = fixture.ports.store
    const { insertSigned } = acceptances
    const tries = vi.spyOn(acceptances, 'insertSigned').mockImplementationOnce(async (...input) => {
      await fixture.clock.advance(waitMs)
      return insertSigned(...input)
    })
    const outcome = await refusal(fixture.commit(requestId))
    expect(tries).toHaveBeenCalledOnce()
    return { outcome, hasTraded: (await executions.findByRequest(requestId)) !== null }
  }
  /** Six seconds before the expiry an order can be filled for two seconds more, if it is closed within four. */
  const expiringSoon = { option: { ...CALL_BUY.option, expiryMs: START_MS + 6_000 } }

  it('it trades as long as it is valid', async () => {
    expect(await slowly(4_999)).toEqual({ outcome: 'not refused', hasTraded: true })
  })

  it('it does not trade once it has lapsed', async () => {
    expect(await slowly(5_000)).toEqual({ outcome: 'no_valid_quotes', hasTraded: false })
  })

  it('it trades only while there is time to fill', async () => {
    expect(await slowly(3_999, expiringSoon)).toEqual({ outcome: 'not refused', hasTraded: true })
    expect(await slowly(4_000, expiringSoon)).toEqual({ outcome: 'request_expired', hasTraded: false })
  })
})

describe('firm quotes only', () => {
  it('are what a commit takes that asks for them, also where a soft one is better', async () => {
    const fixture = createTestRelay()
    await fixture.connect('bob')
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quote('bob', requestId, { price: usd6(100_000n) })
    expect(await refusal(fixture.commit(requestId, { firmOnly: true }))).toBe('no_acceptable_quote')
    await fixture.quoteFirm('ada', requestId)
    expect((await fixture.commit(requestId, { firmOnly: true })).execution.acceptance.makerId).toBe('ada')
  })

  it('are all that a request shows and trades that asks for them', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ ...ofTaker, firmOnly: true })
    await fixture.quote('bob', requestId, { price: usd6(100_000n) })
    const best = async () => (await fixture.relay.readRequest({ requestId, takerSecret: null })).best
    expect(await best()).toBeNull()
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    await fixture.quoteFirm('ada', requestId)
    expect((await best())?.makerId).toBe('ada')
    expect((await fixture.commit(requestId)).execution.acceptance.makerId).toBe('ada')
  })

  it('an order that a soft quote led to is not handed out to a commit that asks for them', async () => {
    const fixture = createTestRelay()
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quote('bob', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await bob.confirm()
    await commit
    expect(await refusal(fixture.commit(requestId, { firmOnly: true }))).toBe('already_committed')
  })

  it('a firm quote ranks before a soft one at the same price, and behind a better one', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(ofTaker)
    await fixture.quote('bob', requestId)
    await fixture.quoteFirm('ada', requestId)
    const ranked = async () => (await fixture.ports.book.ranked(requestId)).map(({ makerId }) => makerId)
    expect(await ranked()).toEqual(['ada', 'bob'])
    await fixture.quote('bob', requestId, { price: usd6(119_999n) })
    expect(await ranked()).toEqual(['bob', 'ada'])
  })
})

it('a firm signature reaches no log, no audit entry and no list of quotes', async () => {
  const fixture = createTestRelay()
  const { requestId } = await fixture.open(ofTaker)
  const { signature } = await fixture.quoteFirm('ada', requestId)
  const shown = [
    fixture.log.lines,
    fixture.auditLog,
    await fixture.ports.book.ranked(requestId),
    await fixture.relay.makerBook('ada'),
    await fixture.relay.readRequest({ requestId, takerSecret: null }),
  ]
  await fixture.commit(requestId)
  await settle()
  shown.push(fixture.auditLog, fixture.log.lines)
  const text = JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  expect(text).not.toContain(signature.slice(2, 60))
})
