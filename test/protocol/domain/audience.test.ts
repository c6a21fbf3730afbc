import { expect, test } from 'vitest'
import { isHeardBy, PRIVATE_FIELDS } from '../../../src/protocol/domain/audience.ts'
import { privateFieldsOf, walletOf } from '../../../src/protocol/domain/request.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { TAKER } from '../../support/test-relay.ts'

test('a request has all makers for its audience, those in its list, or the others', () => {
  const names = ['ada', 'bob']
  expect(names.map((name) => isHeardBy(undefined, name))).toEqual([true, true])
  expect(names.map((name) => isHeardBy({ kind: 'only', makers: ['ada'] }, name))).toEqual([true, false])
  expect(names.map((name) => isHeardBy({ kind: 'except', makers: ['ada'] }, name))).toEqual([false, true])
})

test('the wallet of a request is the one that makers see, or the one that they do not', () => {
  expect(walletOf({ wallet: null })).toBeNull()
  expect(walletOf({ wallet: TAKER })).toBe(TAKER)
  expect(walletOf({ wallet: null, blindWallet: TAKER })).toBe(TAKER)
})

test('each part of a request that makers do not see has its field', () => {
  expect(privateFieldsOf({})).toEqual([])
  const fields = [
    ...privateFieldsOf({ audience: { kind: 'only', makers: ['ada'] } }),
    ...privateFieldsOf({
      audience: { kind: 'except', makers: ['ada'] },
      blindWallet: TAKER,
      standing: { limitPrice: usd6(1n), minContracts: null },
    }),
  ]
  expect(fields).toEqual(PRIVATE_FIELDS)
})
