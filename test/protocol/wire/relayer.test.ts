import { describe, expect, it } from 'vitest'
import type { RelayerTerms } from '../../../src/protocol/domain/gasless-fill.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import {
  decodeOrderHash,
  decodeRelayedFill,
  decodeRelayerTerms,
  encodeRelayedFill,
  encodeRelayerTerms,
  type RelayedFill,
} from '../../../src/protocol/wire/relayer.ts'
import { MAKER, overTheWire, TAKER } from './examples.ts'

const TERMS: RelayerTerms = {
  chainId: 31_337,
  settlementAddress: MAKER,
  wallet: TAKER,
  feeRecipient: TAKER,
  fee: usd6(50_000n),
  isAccepting: false,
  reason: 'Its queue is full.',
  maxGas: 1_000_000n,
  maxGasPrice: 500_000_000_000n,
  maxCoinPerDay: 5n * 10n ** 18n,
  maxFillsPerHour: 300,
  maxFillsPerClient: 20,
  maxQueue: 50,
}

const FILL: RelayedFill = {
  orderHash: `0x${'ab'.repeat(32)}`,
  status: 'failed',
  transactionHash: `0x${'cd'.repeat(32)}`,
  failure: 'reverted',
  reason: 'The transaction was mined and reverted.',
}

describe('messages of a relayer', () => {
  it('is given back in the types of the library', () => {
    expect(decodeRelayerTerms(overTheWire(encodeRelayerTerms(TERMS)))).toEqual(TERMS)
    expect(decodeRelayedFill(overTheWire(encodeRelayedFill(FILL)))).toEqual(FILL)
  })

  it.each([
    ['a fee that no uint256 holds', { fee: '9'.repeat(78) }],
    ['a fee with a sign', { fee: '-1' }],
    ['a recipient that is no address', { feeRecipient: '0x12' }],
    ['the zero address as recipient', { feeRecipient: `0x${'0'.repeat(40)}` }],
    ['no limits', { limits: null }],
  ])('is not believed with %s', (_, fields) => {
    expect(() => decodeRelayerTerms({ ...encodeRelayerTerms(TERMS), ...fields })).toThrow(/must be/)
  })

  it.each([['a status'], ['a failure']])('is not believed with %s that there is not', (what) => {
    const fields = what === 'a status' ? { status: 'lost' } : { failure: 'lost' }
    expect(() => decodeRelayedFill({ ...encodeRelayedFill(FILL), ...fields })).toThrow(/must be/)
  })
})

it('the hash of an order in a path is 32 bytes, in any case', () => {
  expect(decodeOrderHash(`0x${'AB'.repeat(32)}`)).toBe(FILL.orderHash)
  expect(() => decodeOrderHash('0xab')).toThrow('orderHash must be a bytes32')
})
