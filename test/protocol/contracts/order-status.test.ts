import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONTRACT_ERRORS } from '../../../src/protocol/contracts/errors.ts'
import { ORDER_REFUSALS, ORDER_STATUSES } from '../../../src/protocol/contracts/order-status.ts'

const SOURCE = new URL('../../../contracts/src/IServiceRFQSettlement.sol', import.meta.url)

test('the statuses are those of the contract, in its numbering', () => {
  const [, body = ''] = /enum OrderStatus \{([^}]*)\}/.exec(readFileSync(SOURCE, 'utf8')) ?? []
  expect(body.split(',').map((name) => name.trim())).toEqual([...ORDER_STATUSES])
})

test('each status but the first says why a fill would fail, as the fill itself would say it', () => {
  for (const status of ORDER_STATUSES) {
    expect(ORDER_REFUSALS[status] === null).toBe(status === 'Fillable')
  }
  expect(ORDER_REFUSALS.NonceUsed).toBe(CONTRACT_ERRORS.NonceUsed)
  expect(ORDER_REFUSALS.MakerAllowanceLow.code).toBe('maker_insufficient_allowance')
})
