import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { attestationDigest, type SettlementAttestation } from '../../../src/protocol/domain/attestation.ts'
import { maxPayoff, type OptionType, payoff } from '../../../src/protocol/domain/option.ts'
import { type Order, orderDigest, type TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import { fillContracts, premiumOf } from '../../../src/protocol/domain/quote.ts'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import {
  type Contracts,
  contracts,
  type ResolutionBps,
  type StrikeBps,
  usd6,
} from '../../../src/protocol/domain/units.ts'
import { vectorFiles } from '../../support/oracles/vectors.ts'

const FOLDER = new URL('../../../fixtures/vectors/', import.meta.url)

/** Each vector of a published file; never an empty list. */
function vectorsOf<Vector>(file: string): Vector[] {
  const vectors = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Vector[]
  expect(vectors.length).toBeGreaterThan(0)
  return vectors
}

describe('the published vectors', () => {
  test.each(Object.entries(vectorFiles()))('in %s are what the second implementation makes', async (file, content) => {
    await expect(content).toMatchFileSnapshot(fileURLToPath(new URL(file, FOLDER)))
  })

  test('have our series ids', () => {
    for (const { terms, seriesId } of vectorsOf<{ terms: SeriesTerms; seriesId: string }>('series-ids.json')) {
      expect(seriesIdOf(terms)).toBe(seriesId)
    }
  })

  test('have our orders', () => {
    type Vector = {
      order: Order & { optionAmount: string; premiumAmount: string }
      domain: TypedDataDomain
      digest: string
    }
    for (const { order, domain, digest } of vectorsOf<Vector>('orders.json')) {
      const { optionAmount, premiumAmount } = order
      const ours = {
        ...order,
        optionAmount: contracts(BigInt(optionAmount)),
        premiumAmount: usd6(BigInt(premiumAmount)),
      }
      expect(orderDigest(ours, domain)).toBe(digest)
    }
  })

  test('have our attestations', () => {
    type Vector = { attestation: SettlementAttestation; domain: TypedDataDomain; digest: string }
    for (const { attestation, domain, digest } of vectorsOf<Vector>('attestations.json')) {
      expect(attestationDigest(attestation, domain)).toBe(digest)
    }
  })

  test('have our payoffs', () => {
    type Vector = {
      optionType: OptionType
      strikeBps: StrikeBps
      resolutionBps: ResolutionBps
      maxPayoff: string
      payoff: string
    }
    for (const { optionType, strikeBps, resolutionBps, ...expected } of vectorsOf<Vector>('payoffs.json')) {
      expect(maxPayoff({ optionType, strikeBps })).toBe(BigInt(expected.maxPayoff))
      expect(payoff({ optionType, strikeBps }, resolutionBps)).toBe(BigInt(expected.payoff))
    }
  })

  test('have our fills', () => {
    type Vector = {
      trade: { side: 'buy'; budget: string } | { side: 'sell'; size: string }
      quote: { price: string; size: string }
      optionAmount: string
      premiumAmount: string
    }
    for (const { trade, quote, optionAmount, premiumAmount } of vectorsOf<Vector>('fills.json')) {
      const wanted =
        trade.side === 'buy'
          ? { side: trade.side, budget: usd6(BigInt(trade.budget)) }
          : { side: trade.side, size: contracts(BigInt(trade.size)) }
      const price = usd6(BigInt(quote.price))
      const filled: Contracts = fillContracts(wanted, { price, size: contracts(BigInt(quote.size)) })
      expect(filled).toBe(BigInt(optionAmount))
      expect(premiumOf(filled, price)).toBe(BigInt(premiumAmount))
    }
  })
})
