import { getAddress, id, SigningKey, Wallet } from 'ethers'
import type { SettlementAttestation } from '../../../src/protocol/domain/attestation.ts'
import type { OptionType } from '../../../src/protocol/domain/option.ts'
import type { Order, TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import type { OneSidedTrade } from '../../../src/protocol/domain/request.ts'
import type { SeriesTerms } from '../../../src/protocol/domain/series.ts'
import type { Address, Contracts, Hex, ResolutionBps, StrikeBps, Usd6 } from '../../../src/protocol/domain/units.ts'
import { ethersAttestationDigest, ethersDomainSeparator, ethersOrderDigest, ethersSeriesId } from './ethers-signing.ts'
import { fillByFractions } from './fill.ts'
import { exactMicro, maxPayoffDollars, payoffDollars } from './option-value.ts'

/** The files of `fixtures/vectors`, made by ethers and by arithmetic in fractions; bigints as decimal text. */
export const vectorFiles = (): Record<string, string> => ({
  'series-ids.json': toJson(first(32, seriesVector)),
  'orders.json': toJson(first(32, orderVector)),
  'attestations.json': toJson(first(32, attestationVector)),
  'payoffs.json': toJson(payoffVectors()),
  'fills.json': toJson(first(64, fillVector)),
})

/** One vector a line, so that a change of one shows as one. */
const toJson = (vectors: readonly unknown[]): string => {
  const lines = vectors.map((vector) =>
    JSON.stringify(vector, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
  )
  return `[\n${lines.join(',\n')}\n]\n`
}

const first = <Vector>(count: number, make: (i: number) => Vector): Vector[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** Bytes that look random and are the same on every machine: the hash of a text. */
const bytes32 = (text: string): Hex => id(`rfqctl vector ${text}`) as Hex
const below = (text: string, end: bigint): bigint => BigInt(bytes32(text)) % end
const between = (text: string, least: bigint, most: bigint): bigint => least + below(text, most - least + 1n)
const addressOf = (text: string): Address => getAddress(bytes32(text).slice(0, 42)) as Address

const OPTION_TYPES: OptionType[] = ['call', 'put']

function seriesVector(i: number): { terms: SeriesTerms; seriesId: string } {
  const terms: SeriesTerms = {
    conditionId: bytes32(`condition ${i}`),
    yesTokenId: BigInt(bytes32(`token ${i}`)).toString(),
    strikeBps: Number(between(`strike ${i}`, 1n, 9_999n)) as StrikeBps,
    expiry: Number(between(`expiry ${i}`, 1_700_000_000n, 2_000_000_000n)),
    optionType: OPTION_TYPES[i % 2] as OptionType,
  }
  return { terms, seriesId: ethersSeriesId(terms) }
}

const domainOf = (name: string, i: number): TypedDataDomain => ({
  name,
  version: '1',
  chainId: 80_002,
  verifyingContract: addressOf(`${name} ${i}`),
})

type Signed = { domain: TypedDataDomain; domainSeparator: string; digest: string; privateKey: Hex; signature: string }

function signed(domain: TypedDataDomain, digest: string, privateKey: Hex): Signed {
  const signature = new SigningKey(privateKey).sign(digest).serialized
  return { domain, domainSeparator: ethersDomainSeparator(domain), digest, privateKey, signature }
}

function orderVector(i: number): { order: Order } & Signed {
  const privateKey = bytes32(`maker ${i}`)
  const optionAmount = between(`amount ${i}`, 1n, 1_000_000_000n)
  const order: Order = {
    maker: new Wallet(privateKey).address as Address,
    seriesId: BigInt(bytes32(`series ${i}`)).toString(),
    optionAmount: optionAmount as Contracts,
    premiumAmount: (optionAmount * between(`price ${i}`, 1n, 999_999n)) as Usd6,
    makerSelling: i % 2 === 0,
    taker: addressOf(`taker ${i}`),
    validUntil: Number(between(`validity ${i}`, 1_700_000_000n, 2_000_000_000n)),
    nonce: Number(below(`nonce ${i}`, 2n ** 53n)),
  }
  const domain = domainOf('ServiceRFQSettlement', i)
  return { order, ...signed(domain, ethersOrderDigest(order, domain), privateKey) }
}

function attestationVector(i: number): { attestation: SettlementAttestation } & Signed {
  const attestation: SettlementAttestation = {
    seriesId: BigInt(bytes32(`settled series ${i}`)).toString(),
    resolutionBps: Number(below(`resolution ${i}`, 101n)) as ResolutionBps,
    validUntil: Number(between(`attestation validity ${i}`, 1_700_000_000n, 2_000_000_000n)),
  }
  const domain = domainOf('ServiceCore', i)
  const privateKey = bytes32(`resolution signer ${i}`)
  return { attestation, ...signed(domain, ethersAttestationDigest(attestation, domain), privateKey) }
}

type PayoffVector = {
  optionType: OptionType
  strikeBps: number
  resolutionBps: number
  maxPayoff: bigint
  payoff: bigint
}

function payoffVectors(): PayoffVector[] {
  const strikes = [1, 99, 100, 101, 3_333, 4_500, 5_000, 9_900, 9_999]
  const resolutions = [0, 1, 33, 34, 45, 50, 59, 99, 100]
  return OPTION_TYPES.flatMap((optionType) =>
    strikes.flatMap((strikeBps) =>
      resolutions.map((resolutionBps) => ({
        optionType,
        strikeBps,
        resolutionBps,
        maxPayoff: exactMicro(maxPayoffDollars(optionType, strikeBps)),
        payoff: exactMicro(payoffDollars(optionType, strikeBps, resolutionBps)),
      })),
    ),
  )
}

type FillVector = {
  trade: OneSidedTrade
  quote: { price: Usd6; size: Contracts }
  optionAmount: bigint
  premiumAmount: bigint
}

function fillVector(i: number): FillVector {
  const price = between(`quoted price ${i}`, 1n, 999_999n) as Usd6
  const size = between(`quoted size ${i}`, 1n, 2_000n) as Contracts
  const trade: OneSidedTrade =
    i % 2 === 0
      ? { side: 'buy', budget: between(`budget ${i}`, 1_000_000n, 1_000_000_000n) as Usd6 }
      : { side: 'sell', size: between(`size ${i}`, 1n, 2_000n) as Contracts }
  const optionAmount = fillByFractions(trade, { price, size })
  return { trade, quote: { price, size }, optionAmount, premiumAmount: optionAmount * price }
}
