import { verifyTypedData, Wallet } from 'ethers'
import fc from 'fast-check'
import { domainSeparator } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hashStruct, keccak256, recoverAddress, toHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import {
  buildOrder,
  firmValidUntil,
  isFillable,
  makerObligation,
  ORDER_TYPES,
  type Order,
  orderDigest,
  orderDomain,
  orderTypedData,
  orderValidUntil,
  signingTimeMs,
  takerApproval,
  takerSideOf,
} from '../../../src/protocol/domain/order.ts'
import { otherSide } from '../../../src/protocol/domain/request.ts'
import { type Address, contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import * as arbitrary from '../../support/arbitraries.ts'
import { walletOf } from '../../support/arbitraries.ts'
import {
  ethersDomainSeparator,
  ethersOrderDigest,
  ethersOrderTypes,
  ethersTypeHash,
  ORDER_STRUCT,
} from '../../support/oracles/ethers-signing.ts'
import { fillByFractions } from '../../support/oracles/fill.ts'
import { exactMicro, maxPayoffDollars } from '../../support/oracles/option-value.ts'

const KEY = `0x${'01'.repeat(32)}` as const
const maker = privateKeyToAccount(KEY)
const domain = orderDomain(80_002, '0x0000000000000000000000000000000000000001')
const order: Order = {
  maker: maker.address,
  seriesId: '1',
  optionAmount: contracts(250n),
  premiumAmount: usd6(77_500_000n),
  makerSelling: true,
  taker: '0x000000000000000000000000000000000000dEaD',
  validUntil: 1_800_000_000,
  nonce: 0,
}

describe('the typed data of an order', () => {
  test('has the golden type hash, domain separator and digest', () => {
    expect(ethersTypeHash(ORDER_STRUCT)).toBe('0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc')
    expect(domainSeparator({ domain })).toBe('0x54f5de904163415b53a89eb8d8cbf409e79a27caf81b7966c6dc350dff5eb30f')
    expect(orderDigest(order, domain)).toBe('0x4b1513cff4c92418c8ed3bc13391e6a530dde8c65eee7f45a04fe52506d9ab9a')
  })

  test('is the eight fields of the specification, in its order', () => {
    expect(ORDER_TYPES).toEqual(ethersOrderTypes)
    const encodedType = `Order(${ORDER_TYPES.Order.map(({ type, name }) => `${type} ${name}`).join(',')})`
    expect(keccak256(toHex(encodedType))).toBe(ethersTypeHash(ORDER_STRUCT))
  })

  test('has the digest and the domain separator that a second implementation works out', () => {
    fc.assert(
      fc.property(arbitrary.order, arbitrary.domain('ServiceRFQSettlement'), (anyOrder, anyDomain) => {
        const ofDomain = orderDomain(anyDomain.chainId, anyDomain.verifyingContract)
        expect(ofDomain).toEqual(anyDomain)
        expect(domainSeparator({ domain: ofDomain })).toBe(ethersDomainSeparator(anyDomain))
        expect(orderDigest(anyOrder, ofDomain)).toBe(ethersOrderDigest(anyOrder, anyDomain))
      }),
    )
  })

  test.each<[string, Partial<Order>]>([
    ['maker', { maker: walletOf(1) }],
    ['series', { seriesId: '2' }],
    ['amount', { optionAmount: contracts(251n) }],
    ['premium', { premiumAmount: usd6(77_500_001n) }],
    ['side', { makerSelling: false }],
    ['taker', { taker: walletOf(2) }],
    ['end of validity', { validUntil: 1_800_000_001 }],
    ['nonce', { nonce: 1 }],
  ])('signs the %s', (_, change) => {
    expect(orderDigest({ ...order, ...change }, domain)).not.toBe(orderDigest(order, domain))
  })

  test('signs nothing but the fields of the type list', () => {
    const { types, primaryType, message } = orderTypedData(order, domain)
    const digestOfFields = hashStruct({ data: message, types, primaryType })
    expect(hashStruct({ data: { ...message, extra: 1 } as typeof message, types, primaryType })).toBe(digestOfFields)
    expect(Object.keys(message).sort()).toEqual(types.Order.map(({ name }) => name).sort())
  })
})

describe('a signed order', () => {
  const keys = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((key) => `0x00${Buffer.from(key.slice(1)).toString('hex')}` as const)
    .filter((key) => BigInt(key) > 0n)

  test('signed by viem recovers to its maker in ethers', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.order, keys, async (anyOrder, key) => {
        const account = privateKeyToAccount(key)
        const signature = await account.signTypedData(orderTypedData(anyOrder, domain))
        expect(verifyTypedData(domain, ethersOrderTypes, anyOrder, signature)).toBe(account.address)
      }),
      { numRuns: 25 },
    )
  })

  test('signed by ethers recovers to its maker from our digest', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.order, keys, async (anyOrder, key) => {
        const wallet = new Wallet(key)
        const signature = (await wallet.signTypedData(domain, ethersOrderTypes, anyOrder)) as Address
        expect(await recoverAddress({ hash: orderDigest(anyOrder, domain), signature })).toBe(wallet.address)
      }),
      { numRuns: 25 },
    )
  })

  test('recovers to another address once a field has changed', async () => {
    const signature = await maker.signTypedData(orderTypedData(order, domain))
    const changed = orderDigest({ ...order, premiumAmount: usd6(1n) }, domain)
    expect(await recoverAddress({ hash: changed, signature })).not.toBe(maker.address)
  })
})

describe('buildOrder', () => {
  const terms = { taker: walletOf(7), validUntil: 1_700_000_130, nonce: 42 }

  test('freezes a quote into the fill and premium of its units (decisions U1, U5)', () => {
    fc.assert(
      fc.property(arbitrary.trade, arbitrary.price, arbitrary.size, (trade, price, size) => {
        const built = buildOrder({
          request: { trade, option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 0 }, seriesId: '5' },
          quote: { maker: walletOf(1), side: trade.side, price, size },
          ...terms,
        })
        const filled = fillByFractions(trade, { price, size })
        expect(built).toEqual({
          maker: walletOf(1),
          seriesId: '5',
          optionAmount: filled,
          premiumAmount: filled * price,
          makerSelling: trade.side === 'buy',
          ...terms,
        })
      }),
    )
  })
})

test('the other side of a purchase is a sale, and of a sale a purchase', () => {
  expect(otherSide('buy')).toBe('sell')
  expect(otherSide('sell')).toBe('buy')
})

describe('takerSideOf', () => {
  test('is the side that the maker does not have', () => {
    expect(takerSideOf({ makerSelling: true })).toBe('buy')
    expect(takerSideOf({ makerSelling: false })).toBe('sell')
  })
})

describe('orderValidUntil', () => {
  const at = { chainTime: 1_700_000_000, confirmationMs: 10_000, validityMs: 120_000, tradingEndsAt: 1_800_000_000 }

  test('gives the maker its time to sign and the taker its time to fill', () => {
    expect(orderValidUntil(at)).toBe(1_700_000_130)
  })

  test('rounds a part of a second up', () => {
    expect(orderValidUntil({ ...at, confirmationMs: 9_001 })).toBe(1_700_000_130)
    expect(orderValidUntil({ ...at, confirmationMs: 9_000 })).toBe(1_700_000_129)
  })

  test('never passes the expiry of the option', () => {
    expect(orderValidUntil({ ...at, tradingEndsAt: 1_700_000_129 })).toBe(1_700_000_129)
    expect(orderValidUntil({ ...at, tradingEndsAt: 1_700_000_131 })).toBe(1_700_000_130)
  })
})

describe('firmValidUntil', () => {
  const at = {
    chainTime: 1_700_000_000,
    validityMs: 120_000,
    tradingEndsAt: 1_800_000_000,
    lifeMs: 60_000,
    slackMs: 10_000,
  }

  test('leaves the taker of the last moment of a quote what any order leaves it', () => {
    expect(firmValidUntil(at)).toBe(1_700_000_190)
    expect(firmValidUntil(at)).toBe(
      orderValidUntil({ ...at, chainTime: at.chainTime + 60, confirmationMs: at.slackMs }),
    )
  })

  test('never passes the expiry of the option', () => {
    expect(firmValidUntil({ ...at, tradingEndsAt: 1_700_000_189 })).toBe(1_700_000_189)
  })
})

describe('the payments of an order', () => {
  const option = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
  const bought = { makerSelling: true, optionAmount: contracts(250n), premiumAmount: usd6(77_500_000n) }
  const written = { ...bought, makerSelling: false }

  test('a maker that sells locks the collateral, and its taker pays the premium', () => {
    expect(makerObligation(bought, option)).toEqual({ spender: 'core', amount: 137_500_000n })
    expect(takerApproval(bought, option)).toEqual({ spender: 'settlement', amount: 77_500_000n, reason: 'premium' })
  })

  test('a maker that buys pays the premium, and its taker locks the collateral', () => {
    expect(makerObligation(written, option)).toEqual({ spender: 'settlement', amount: 77_500_000n })
    expect(takerApproval(written, option)).toEqual({ spender: 'core', amount: 137_500_000n, reason: 'collateral' })
  })

  test('both halves together are the premium and the whole max payoff', () => {
    fc.assert(
      fc.property(arbitrary.order, arbitrary.optionType, arbitrary.strikeBps, (anyOrder, optionType, strikeBps) => {
        const [maker, taker] = [makerObligation, takerApproval].map((half) => half(anyOrder, { optionType, strikeBps }))
        const locked = exactMicro(maxPayoffDollars(optionType, strikeBps)) * anyOrder.optionAmount
        expect((maker?.amount ?? 0n) + (taker?.amount ?? 0n)).toBe(anyOrder.premiumAmount + locked)
        expect(new Set([maker?.spender, taker?.spender])).toEqual(new Set(['core', 'settlement']))
      }),
    )
  })
})

describe('the time to sign', () => {
  const times = { chainTime: 1_000, confirmationMs: 10_000, validityMs: 120_000, tradingEndsAt: 2_000 }

  test('is the whole of it while the option lasts for longer', () => {
    expect(signingTimeMs(times)).toBe(10_000)
    expect(signingTimeMs({ ...times, tradingEndsAt: 1_012 })).toBe(10_000)
  })

  test('ends two seconds before the option does, so that the order can be filled', () => {
    expect(signingTimeMs({ ...times, tradingEndsAt: 1_011 })).toBe(9_000)
    expect(signingTimeMs({ ...times, tradingEndsAt: 1_003 })).toBe(1_000)
  })

  test('is zero when less than a second is left of it', () => {
    expect(signingTimeMs({ ...times, tradingEndsAt: 1_002 })).toBeNull()
    expect(signingTimeMs({ ...times, tradingEndsAt: 900 })).toBeNull()
  })

  test('is judged by the settings where those are shorter', () => {
    expect(signingTimeMs({ ...times, confirmationMs: 200, validityMs: 500, tradingEndsAt: 1_001 })).toBe(200)
    expect(signingTimeMs({ ...times, confirmationMs: 200, validityMs: 900, tradingEndsAt: 1_001 })).toBeNull()
  })
})

test('an order can be filled until its last second, but not from the expiry of the option on', () => {
  expect(isFillable({ validUntil: 1_000 }, 2_000, 1_000)).toBe(true)
  expect(isFillable({ validUntil: 1_000 }, 2_000, 1_001)).toBe(false)
  expect(isFillable({ validUntil: 1_000 }, 1_000, 999)).toBe(true)
  expect(isFillable({ validUntil: 1_000 }, 1_000, 1_000)).toBe(false)
})
