import { expect, test } from 'vitest'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { CONTRACT_ERRORS, contractErrorOf } from '../../../src/protocol/contracts/errors.ts'
import { ERRORS } from '../../../src/protocol/domain/errors.ts'

const inAbis = [...serviceCoreAbi, ...serviceRfqSettlementAbi, ...testUsdAbi].flatMap((item) =>
  item.type === 'error' ? [item.name] : [],
)

test('the table has every typed error of the contracts, and no other', () => {
  expect(inAbis.length).toBeGreaterThan(60)
  expect(Object.keys(CONTRACT_ERRORS).toSorted()).toEqual([...new Set(inAbis)].toSorted())
})

test.each(Object.entries(CONTRACT_ERRORS))(
  '%s has a code, a sentence, and a sentence of advice or none',
  (_, entry) => {
    expect(entry.code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(entry.message).toMatch(/^[A-Z].+\.$/)
    expect(entry.hint ?? 'None.').toMatch(/^[A-Z].+\.$/)
  },
)

test('a code means one thing: with the service too, where it is one of its codes', () => {
  const shared = Object.entries(CONTRACT_ERRORS).flatMap(([name, { code }]) => (code in ERRORS ? [[name, code]] : []))
  expect(Object.fromEntries(shared)).toEqual({
    SignatureInvalid: 'invalid_signature',
    SeriesUnknown: 'series_not_registered',
    SeriesHalted: 'series_halted',
    TradingEnded: 'option_expired',
    SeriesNotExpired: 'series_not_expired',
    SeriesAlreadySettled: 'series_already_settled',
    ExposureAboveCap: 'amount_too_large',
    AmountTooLarge: 'amount_too_large',
  })
})

test('an error is found by its name, and one of another contract is not', () => {
  expect(contractErrorOf('NonceUsed')).toBe(CONTRACT_ERRORS.NonceUsed)
  expect(contractErrorOf('SomethingElse')).toBeNull()
  expect(contractErrorOf('constructor')).toBeNull()
})
