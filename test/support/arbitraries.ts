import fc from 'fast-check'
import { getAddress } from 'viem/utils'
import type { SettlementAttestation } from '../../src/protocol/domain/attestation.ts'
import type { RankedQuote } from '../../src/protocol/domain/best-quote.ts'
import { type FillAuthorization, type GaslessFill, PAYMENT_METHODS } from '../../src/protocol/domain/gasless-fill.ts'
import { type Leg, normalPackage, type OptionType, type PackageOption } from '../../src/protocol/domain/option.ts'
import type { Order, TypedDataDomain } from '../../src/protocol/domain/order.ts'
import { MAX_PARTNER_BPS } from '../../src/protocol/domain/partner-fee.ts'
import type { OneSidedTrade, Side } from '../../src/protocol/domain/request.ts'
import type { VanillaTerms } from '../../src/protocol/domain/series.ts'
import type { Address, Contracts, Hex, ResolutionBps, StrikeBps, Usd6 } from '../../src/protocol/domain/units.ts'

const hex = (bytes: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => `0x${Buffer.from(array).toString('hex')}` as const)

export const bytes32 = hex(32)
export const address: fc.Arbitrary<Address> = hex(20).map((text) => getAddress(text))
export const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

export const side = fc.constantFrom<Side>('buy', 'sell')
export const optionType = fc.constantFrom<OptionType>('call', 'put')
export const strikeBps = fc.integer({ min: 1, max: 9_999 }) as unknown as fc.Arbitrary<StrikeBps>
const resolutionBps = fc.integer({ min: 0, max: 100 }) as unknown as fc.Arbitrary<ResolutionBps>

/** Prices in the open interval (0, 1), sizes and budgets within the bounds of decision U2. */
export const price = fc.bigInt({ min: 1n, max: 999_999n }) as fc.Arbitrary<Usd6>
export const size = fc.bigInt({ min: 1n, max: 1_000_000_000n }) as fc.Arbitrary<Contracts>
export const budget = fc.bigInt({ min: 1n, max: 10n ** 15n }) as fc.Arbitrary<Usd6>

export const trade: fc.Arbitrary<OneSidedTrade> = fc.oneof(
  fc.record({ side: fc.constant('buy' as const), budget }),
  fc.record({ side: fc.constant('sell' as const), size }),
)

/** Quotes of one request from few prices, times and misses, so that ties are common; makers and ids are distinct. */
export const book = (takerSide: Side): fc.Arbitrary<RankedQuote[]> =>
  fc.uniqueArray(
    fc
      .record({
        maker: fc.integer({ min: 0, max: 9 }),
        price: fc.bigInt({ min: 100_000n, max: 100_003n }) as fc.Arbitrary<Usd6>,
        size: fc.bigInt({ min: 1n, max: 20n }) as fc.Arbitrary<Contracts>,
        pricedAt: fc.integer({ min: 1_000, max: 1_002 }),
        expiresAt: fc.integer({ min: 1_998, max: 2_004 }),
        misses: fc.integer({ min: 0, max: 2 }),
        isDemoted: fc.boolean(),
      })
      .map(({ maker, ...quote }) => ({
        ...quote,
        quoteId: `quote-${maker}`,
        requestId: 'request-1',
        makerId: `maker-${maker}`,
        maker: walletOf(maker),
        side: takerSide,
      })),
    { selector: ({ quoteId }) => quoteId, maxLength: 8 },
  )

export const walletOf = (n: number): Address => `0x${String(n + 1).padStart(40, '0')}`

export const seriesTerms: fc.Arbitrary<VanillaTerms> = fc.record({
  conditionId: bytes32,
  yesTokenId: uint256.map(String),
  strikeBps,
  expiry: fc.integer({ min: 0, max: 2 ** 40 }),
  optionType,
})

/** Packages in their normal form: legs that are none are tried again with others. */
export const packageOption: fc.Arbitrary<PackageOption> = fc
  .uniqueArray(
    fc.record({
      optionType,
      strikeBps,
      quantity: fc.integer({ min: -4, max: 4 }).filter((quantity) => quantity !== 0),
    }),
    { minLength: 2, maxLength: 4, selector: (leg) => `${leg.optionType} ${leg.strikeBps}` },
  )
  .filter((legs) => isNormal(legs))
  .map(normalPackage)

function isNormal(legs: readonly Leg[]): boolean {
  try {
    return normalPackage(legs).legs.length > 0
  } catch {
    return false
  }
}

export const order: fc.Arbitrary<Order> = fc.record({
  maker: address,
  seriesId: uint256.map(String),
  optionAmount: size,
  premiumAmount: budget,
  makerSelling: fc.boolean(),
  taker: address,
  validUntil: fc.integer({ min: 0, max: 2 ** 40 }),
  nonce: fc.maxSafeNat(),
})

export const attestation: fc.Arbitrary<SettlementAttestation> = fc.record({
  seriesId: uint256.map(String),
  resolutionBps,
  validUntil: fc.integer({ min: 0, max: 2 ** 40 }),
})

export const domain = (name: string): fc.Arbitrary<TypedDataDomain> =>
  fc.record({
    name: fc.constant(name),
    version: fc.constant('1'),
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    verifyingContract: address,
  })

const signature = fc.uint8Array({ maxLength: 100 }).map((array) => `0x${Buffer.from(array).toString('hex')}` as const)
const deadline = fc.integer({ min: 0, max: 2 ** 40 })

export const fillAuthorization: fc.Arbitrary<FillAuthorization> = fc.record({
  orderHash: bytes32,
  maxFee: uint256 as fc.Arbitrary<Usd6>,
  feeRecipient: address,
  deadline,
  partnerFee: fc.option(fc.record({ recipient: address, bps: fc.integer({ min: 1, max: MAX_PARTNER_BPS }) })),
})

export const gaslessFill: fc.Arbitrary<GaslessFill> = fc.record({
  order,
  makerSignature: signature,
  payment: fc.record({
    method: fc.constantFrom(...PAYMENT_METHODS),
    value: uint256 as fc.Arbitrary<Usd6>,
    nonce: uint256,
    deadline,
    signature,
  }),
  authorization: fillAuthorization,
  takerSignature: signature,
})
