import { ContractFunctionExecutionError, ContractFunctionRevertedError, encodeErrorResult, toHex } from 'viem'
import { expect, test } from 'vitest'
import { contractRefusal, refusalOr } from '../../src/client/contract-refusal.ts'
import { ContractRefusedError } from '../../src/client/errors.ts'
import { serviceRfqSettlementAbi } from '../../src/protocol/contracts/abi.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'

const abi = serviceRfqSettlementAbi

/** What viem throws when a call reverts with this data. */
function revertWith(data: Hex): ContractFunctionExecutionError {
  const call = { abi, functionName: 'cancelNonce' }
  return new ContractFunctionExecutionError(new ContractFunctionRevertedError({ ...call, data }), {
    ...call,
    args: [1n],
  })
}

test('a typed error is explained by the table, with its values in their units', () => {
  const data = encodeErrorResult({ abi, errorName: 'OrderExpired', args: [1_800_000_000n, 1_800_000_007n] })
  const refused = contractRefusal(revertWith(data))
  expect(refused).toBeInstanceOf(ContractRefusedError)
  expect(refused).toMatchObject({
    code: 'order_expired',
    errorName: 'OrderExpired',
    values: [
      { name: 'validUntil', unit: 'time', value: 1_800_000_000n },
      { name: 'timestamp', unit: 'time', value: 1_800_000_007n },
    ],
  })
  expect(refused?.cause).toBeInstanceOf(ContractFunctionExecutionError)
})

test('an error that the called contract passes on is explained like one of its own', () => {
  const args = ['0x000000000000000000000000000000000000dEaD', 1_000_000n, 2_500_000n] as const
  const refused = contractRefusal(revertWith(encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args })))
  expect(refused?.code).toBe('insufficient_balance')
  expect(refused?.values.map(({ unit }) => unit)).toEqual(['plain', 'usd', 'usd'])
})

const standard = [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }] as const
const foreign = [{ type: 'error', name: 'Foreign', inputs: [] }] as const

test.each([
  ['a stated reason', encodeErrorResult({ abi: standard, args: ['paused'] }), 'The contract refused: paused.'],
  ['an error of another contract', encodeErrorResult({ abi: foreign }), 'The contract refused: 0x0c8c5e5f.'],
  ['no data', '0x', 'The contract refused: it gave no reason.'],
] as const)('%s is explained as well as possible', (_, data, message) => {
  const refused = contractRefusal(revertWith(data as Hex))
  expect(refused).toMatchObject({ code: 'reverted', hint: null })
  expect(refused?.message.replace(/0x[0-9a-f]{8}/, '0x0c8c5e5f')).toBe(message)
})

test('a panic of the machine is explained by its reason', () => {
  const panic = `0x4e487b71${toHex(0x11, { size: 32 }).slice(2)}` as Hex
  expect(contractRefusal(revertWith(panic))?.message).toMatch(/overflow/i)
})

test('an error that is its own cause is looked at once', () => {
  const circle = new Error('circle')
  circle.cause = new Error('half', { cause: circle })
  expect(contractRefusal(circle)).toBeNull()
})

test('any other fault stays what it is', () => {
  const fault = new Error('offline')
  expect(contractRefusal(fault)).toBeNull()
  expect(contractRefusal('text')).toBeNull()
  expect(refusalOr(fault)).toBe(fault)
})

test('a refusal that was explained already is not explained again', () => {
  const refused = new ContractRefusedError({ code: 'c', message: 'M.', hint: null, errorName: '', values: [] })
  expect(refusalOr(refused)).toBe(refused)
})
