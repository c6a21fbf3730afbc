import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkMakerOrder, checkTakerOrder } from '../../src/client/check-order.ts'
import { type Order, orderDomain, type TypedDataDomain } from '../../src/protocol/domain/order.ts'
import { quoteOn } from '../../src/protocol/domain/quote.ts'
import type { RequestTerms } from '../../src/protocol/domain/request.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import * as arbitrary from '../support/arbitraries.ts'
import {
  BUY,
  CORE,
  DOMAIN,
  MAKER,
  NOW,
  offerOf,
  orderOf,
  SELL,
  STRANGER,
  sign,
  TAKER,
  termsOf,
} from './trade-fixture.ts'

const ZERO = '0x0000000000000000000000000000000000000000'

function asMaker(
  over: Partial<Order>,
  { offer = offerOf(BUY), domain = DOMAIN, now = NOW, chainTime = NOW / 1_000 } = {},
) {
  const order = orderOf(offer, over)
  return checkMakerOrder({ order, domain, expectedDomain: DOMAIN, offer, now, chainTime, maxValidityS: 600 })
}

async function asTaker(
  over: Partial<Order>,
  {
    offer = offerOf(BUY),
    domain = DOMAIN,
    signer = MAKER,
    limitPrice = usd6(120_000n),
    minContracts = contracts(250n),
  }: Partial<
    { offer: ReturnType<typeof offerOf>; domain: TypedDataDomain; signer: typeof MAKER } & Record<
      'limitPrice',
      ReturnType<typeof usd6>
    > &
      Record<'minContracts', ReturnType<typeof contracts>>
  > = {},
) {
  const order = orderOf(offer, over)
  return checkTakerOrder({
    order,
    domain,
    expectedDomain: DOMAIN,
    signature: await sign(order, signer),
    terms: offer.terms,
    wallet: TAKER.address,
    protections: { limitPrice, minContracts },
  })
}

describe('a maker that priced both sides', () => {
  const pair = { ...offerOf(BUY).quote, otherPrice: usd6(100_000n) }
  const terms: RequestTerms = { ...termsOf(BUY), trade: { side: 'both', size: contracts(400n) } }
  const offer = { ...offerOf(BUY), terms, quote: pair }
  const check = (order: Order) =>
    checkMakerOrder({
      order,
      domain: DOMAIN,
      expectedDomain: DOMAIN,
      offer,
      now: NOW,
      chainTime: NOW / 1_000,
      maxValidityS: 600,
    })
  const bought = orderOf({ ...offer, quote: quoteOn(pair, 'sell') })
  const sold = orderOf(offer)

  test('signs an order at its ask or its bid, and none where these are swapped', () => {
    expect([check(sold), check(bought)]).toEqual([[], []])
    expect(check({ ...sold, premiumAmount: bought.premiumAmount })).toHaveLength(1)
    expect(check({ ...bought, premiumAmount: sold.premiumAmount })).toHaveLength(1)
  })
})

describe('a maker', () => {
  test('finds no fault with an order for its own offer, on either side', () => {
    expect(asMaker({})).toEqual([])
    expect(asMaker({}, { offer: offerOf(SELL) })).toEqual([])
  })

  test('finds no fault with any order that an honest relay makes of an offer', () => {
    fc.assert(
      fc.property(arbitrary.trade, arbitrary.price, (trade, price) => {
        const offer = offerOf(trade, price)
        fc.pre(orderOf(offer).optionAmount > 0n)
        expect(asMaker({}, { offer })).toEqual([])
      }),
    )
  })

  test.each<[string, Partial<Order>, RegExp]>([
    ['another maker', { maker: STRANGER.address }, /^the maker is/],
    ['another series', { seriesId: '7' }, /^the series is 7, not/],
    ['no options', { optionAmount: contracts(0n) }, /^it is for 0 options/],
    [
      'more options than it offered',
      { optionAmount: contracts(501n), premiumAmount: usd6(60_120_000n) },
      /^it is for 501 options, 500/,
    ],
    [
      'a premium one micro-dollar short',
      { premiumAmount: usd6(59_999_999n) },
      /^the premium is 59.999999, at the quoted price it is 60/,
    ],
    ['the other direction', { makerSelling: false }, /^it has the maker buy|^it has the maker sell/],
    ['no taker', { taker: ZERO }, /^it names no taker/],
    ['ten minutes and a second of validity', { validUntil: NOW / 1_000 + 601 }, /^it stays open until/],
    ['a nonce that is no count', { nonce: -1 }, /^the nonce is -1/],
    ['a nonce beyond exact numbers', { nonce: 2 ** 53 }, /^the nonce is/],
  ])('refuses an order with %s', (_, over, fault) => {
    expect(asMaker(over)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]))
  })

  test('refuses to pay a micro-dollar more than it bid', () => {
    const offer = offerOf(SELL)
    expect(asMaker({ premiumAmount: usd6(48_000_001n) }, { offer })).toHaveLength(1)
    expect(asMaker({ premiumAmount: usd6(47_999_999n) }, { offer })).toEqual([])
  })

  test('refuses another taker than the request named, and takes the named one', () => {
    const offer = (wallet: typeof TAKER.address) => ({ ...offerOf(BUY), terms: termsOf(BUY, wallet) })
    expect(asMaker({}, { offer: offer(STRANGER.address) })).toEqual([expect.stringMatching(/the request named/)])
    expect(asMaker({}, { offer: offer(TAKER.address) })).toEqual([])
  })

  test('refuses an order that outlives the option', () => {
    const { expiryMs } = offerOf(BUY).terms.option
    const expiry = expiryMs / 1_000
    expect(asMaker({ validUntil: expiry + 1 }, { chainTime: expiry - 10 })).toHaveLength(1)
    expect(asMaker({ validUntil: expiry }, { chainTime: expiry - 10 })).toEqual([])
  })

  test.each<[string, Partial<TypedDataDomain>]>([
    ['chain', { chainId: 137 }],
    ['contract', { verifyingContract: CORE }],
    ['name', { name: 'ServiceCore' }],
    ['version', { version: '2' }],
  ])('refuses a domain of another %s', (_, over) => {
    expect(asMaker({}, { domain: { ...DOMAIN, ...over } })).toEqual([expect.stringMatching(/^its domain is/)])
  })

  test('keeps an offer for the half minute in which its confirmation may come, and no longer', () => {
    const offer = { ...offerOf(BUY), expiresAt: NOW - 30_000 }
    expect(asMaker({}, { offer })).toEqual([])
    expect(asMaker({}, { offer, now: NOW + 1 })).toEqual(['the offer ended 30001 ms ago'])
  })

  test('names every fault at once', () => {
    expect(asMaker({ seriesId: '7', taker: ZERO, maker: STRANGER.address })).toHaveLength(3)
  })

  test('takes addresses for what they are, whatever their case', () => {
    const lower = MAKER.address.toLowerCase() as typeof MAKER.address
    const domain = { ...orderDomain(80_002, DOMAIN.verifyingContract.toLowerCase() as typeof CORE) }
    expect(asMaker({ maker: lower }, { domain })).toEqual([])
  })
})

describe('a taker', () => {
  test('finds no fault with what it asked for, on either side', async () => {
    expect(await asTaker({})).toEqual([])
    expect(await asTaker({}, { offer: offerOf(SELL), minContracts: contracts(200n) })).toEqual([])
  })

  test.each<[string, Partial<Order>, RegExp]>([
    ['another taker', { taker: STRANGER.address }, /^the taker is/],
    ['another series', { seriesId: '7' }, /^the series is 7/],
    ['the other direction', { makerSelling: false }, /^it has the maker/],
    ['fewer options than the least', { optionAmount: contracts(249n), premiumAmount: usd6(1n) }, /fewer than 250/],
    ['a premium one micro-dollar over the limit', { premiumAmount: usd6(60_000_001n) }, /at the limit price it is 60/],
  ])('refuses an order with %s, though its maker signed it', async (_, over, fault) => {
    expect(await asTaker(over)).toEqual([expect.stringMatching(fault)])
  })

  test('refuses a premium above its budget, whatever its limit', async () => {
    const over = { optionAmount: contracts(900n), premiumAmount: usd6(100_000_001n) }
    expect(await asTaker(over)).toEqual(['the premium is 100.000001, above the budget'])
  })

  test('refuses to write more options than it offered, or for less than its limit', async () => {
    const sell = { offer: offerOf(SELL), minContracts: contracts(200n) }
    expect(await asTaker({ optionAmount: contracts(401n), premiumAmount: usd6(48_120_000n) }, sell)).toEqual([
      'it is for 401 options, more than 400',
    ])
    expect(await asTaker({ premiumAmount: usd6(47_999_999n) }, sell)).toHaveLength(1)
    expect(await asTaker({ premiumAmount: usd6(48_000_001n) }, sell)).toEqual([])
  })

  test('refuses an order that its maker did not sign, or signed for another contract', async () => {
    expect(await asTaker({}, { signer: STRANGER })).toEqual(['the signature is not that of its maker'])
    const order = orderOf(offerOf(BUY))
    const other = await sign(order, MAKER, orderDomain(80_002, CORE))
    const faults = (signature: `0x${string}`) =>
      checkTakerOrder({
        order,
        domain: DOMAIN,
        expectedDomain: DOMAIN,
        signature,
        terms: offerOf(BUY).terms,
        wallet: TAKER.address,
        protections: { limitPrice: null, minContracts: null },
      })
    expect(await faults(other)).toEqual(['the signature is not that of its maker'])
    expect(await faults('0x1234')).toEqual(['the signature is not that of its maker'])
  })

  test('refuses to trade with itself', async () => {
    expect(await asTaker({ maker: TAKER.address }, { signer: TAKER })).toEqual(['maker and taker are the same wallet'])
  })

  test('refuses a domain that is not the one it was set up with', async () => {
    expect(await asTaker({}, { domain: { ...DOMAIN, chainId: 1 } })).toEqual([expect.stringMatching(/^its domain is/)])
  })
})
