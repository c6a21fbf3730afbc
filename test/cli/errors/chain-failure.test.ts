import { expect, test } from 'vitest'
import { describeFailure } from '../../../src/cli/errors/describe-failure.ts'

/** An error as viem makes them: a short message, and a long one that names the node. */
function viemError(name: string, options: { cause?: unknown; data?: unknown } = {}): Error {
  const error = new Error('URL: https://rpc.example/CANARY', { cause: options.cause })
  return Object.assign(error, { name, shortMessage: 'Something failed.', data: options.data })
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })

test('a refusal by a contract is explained in our words, with its own name and its values in people’s units', () => {
  const abiItem = { inputs: [{ name: 'validUntil' }, { name: 'timestamp' }] }
  const data = { errorName: 'OrderExpired', args: [1_800_000_000n, 1_800_000_007n], abiItem }
  const revert = viemError('ContractFunctionRevertedError', { data })
  expect(describeFailure(viemError('ContractFunctionExecutionError', { cause: revert }))).toMatchObject({
    code: 'order_expired',
    message: 'The order can no longer be filled: its last second has passed.',
    why: ['OrderExpired:', 'validUntil 2027-01-15T08:00:00Z', 'timestamp 2027-01-15T08:00:07Z'],
    hint: 'Ask for new quotes and commit again.',
    exitCode: 8,
    data: { errorName: 'OrderExpired', values: { validUntil: 1_800_000_000n, timestamp: 1_800_000_007n } },
  })
})

test('a code that is also the service’s ends like the service’s', () => {
  const data = { errorName: 'SeriesNotSettled', args: [7n], abiItem: { inputs: [{ name: 'seriesId' }] } }
  const refusal = (errorName: string) =>
    describeFailure(viemError('ContractFunctionRevertedError', { data: { ...data, errorName } }))
  expect(refusal('SeriesNotExpired')).toMatchObject({ code: 'series_not_expired', exitCode: 3 })
  expect(refusal('SeriesNotSettled')).toMatchObject({ code: 'series_not_settled', exitCode: 8 })
})

test('no contract where ours should be is another chain, or other addresses', () => {
  const cause = viemError('ContractFunctionZeroDataError')
  expect(describeFailure(viemError('ContractFunctionExecutionError', { cause }))).toMatchObject({
    code: 'chain_mismatch',
    message: 'the chain that answers does not have the contracts',
    exitCode: 8,
  })
})

test('a contract that gave no reason is reported as such', () => {
  expect(describeFailure(viemError('ContractFunctionRevertedError'))).toMatchObject({
    code: 'reverted',
    message: 'The contract refused: it gave no reason.',
    why: [],
    exitCode: 8,
  })
})

test('a node that does not answer is the chain, and its address is not shown', () => {
  const failure = describeFailure(
    viemError('ContractFunctionExecutionError', {
      cause: viemError('HttpRequestError', { cause: { code: 'ECONNREFUSED' } }),
    }),
  )
  expect(failure).toMatchObject({ code: 'chain_unavailable', exitCode: 8, hint: 'rfqctl chain status' })
  expect(JSON.stringify(failure)).not.toContain('CANARY')
})

test('every other failure of the chain is a short sentence', () => {
  expect(describeFailure(viemError('TransactionExecutionError'))).toMatchObject({
    code: 'chain_failed',
    message: 'Something failed.',
    exitCode: 8,
  })
})

test.each([
  ['ChainMismatchError', 'chain_mismatch', 8],
  ['DevnetInUseError', 'in_use', 10],
])('%s', (name, code, exitCode) => {
  expect(describeFailure(named(name, 'It says so.'))).toMatchObject({ code, exitCode, message: 'It says so.' })
})

test('a wallet without coin gets the place where coin comes from', () => {
  const cause = viemError('InsufficientFundsError')
  expect(describeFailure(viemError('TransactionExecutionError', { cause }))).toMatchObject({
    code: 'insufficient_gas',
    message: 'the wallet has no coin to pay for gas',
    exitCode: 8,
  })
})
