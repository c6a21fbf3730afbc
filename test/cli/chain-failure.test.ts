import { expect, test } from 'vitest'
import { describeFailure } from '../../src/cli/describe-failure.ts'

/** An error as viem makes them: a short message, and a long one that names the node. */
function viemError(name: string, options: { cause?: unknown; data?: unknown } = {}): Error {
  const error = new Error('URL: https://rpc.example/CANARY', { cause: options.cause })
  return Object.assign(error, { name, shortMessage: 'Something failed.', data: options.data })
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })

test('what a contract refused is told by its own name, with its values', () => {
  const data = { errorName: 'SeriesNotExpired', args: [7n, 1_800_000_000n] }
  const revert = viemError('ContractFunctionRevertedError', { data })
  expect(describeFailure(viemError('ContractFunctionExecutionError', { cause: revert }))).toMatchObject({
    code: 'reverted',
    message: 'the contract refused: SeriesNotExpired',
    why: ['7, 1800000000'],
    exitCode: 8,
  })
})

test('a node that does not answer is the chain, and its address is not told', () => {
  const failure = describeFailure(
    viemError('ContractFunctionExecutionError', {
      cause: viemError('HttpRequestError', { cause: { code: 'ECONNREFUSED' } }),
    }),
  )
  expect(failure).toMatchObject({ code: 'chain_unavailable', exitCode: 8, hint: 'rfqctl chain status' })
  expect(JSON.stringify(failure)).not.toContain('CANARY')
})

test('every other failure of the chain is told in short', () => {
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
