import { contractRefusal } from '@rfqctl/client/contract-refusal'
import type { ContractRefusedError } from '@rfqctl/client/errors'
import { EXIT, EXIT_OF_ERROR } from '@rfqctl/lib/exit'
import type { ErrorCode } from '@rfqctl/protocol/domain/errors'
import { valueLine } from '../show/contract-text.ts'
import { causesOf, textOf } from './error-causes.ts'
import { type Failure, failureOf } from './failure.ts'

/** Errors of viem are recognised by shape: help and usage errors must not load viem. */
type ViemError = Error & { shortMessage: string }

const NO_CHAIN = 'rfqctl chain status'

/** Null where the chain did not fail. Messages of viem may hold the node's URL, so none is passed on. */
export function chainFailure(error: unknown): Failure | null {
  if (hasName(error, 'ChainMismatchError')) {
    const hint = 'check RPC_URL and the addresses: rfqctl config view --origin'
    return failureOf({ code: 'chain_mismatch', message: textOf(error), hint })
  }
  if (hasName(error, 'DevnetInUseError')) {
    const hint = 'stop that process, or choose another --data-dir'
    return failureOf({ code: 'in_use', message: textOf(error), hint })
  }
  const refused = contractRefusal(error)
  if (refused !== null) return refusedFailure(refused)
  return isViemError(error) ? viemFailure(error) : null
}

/** A contract's refusal in the words of the shared table; a code that the relay also has exits like the relay's. */
function refusedFailure({ code, message, hint, errorName, values }: ContractRefusedError): Failure {
  return failureOf({
    code,
    message,
    why: [...(errorName === '' ? [] : [`${errorName}${values.length === 0 ? '' : ':'}`]), ...values.map(valueLine)],
    hint,
    exitCode: Object.hasOwn(EXIT_OF_ERROR, code) ? EXIT_OF_ERROR[code as ErrorCode] : EXIT.chain,
    data: { errorName, values: Object.fromEntries(values.map(({ name, value }) => [name, value])) },
  })
}

function viemFailure(error: ViemError): Failure {
  const errors = [error, ...causesOf(error)]
  const found = (name: string) => errors.some((cause) => hasName(cause, name))
  if (found('ContractFunctionZeroDataError') || found('AbiDecodingZeroDataError')) {
    return failureOf({
      code: 'chain_mismatch',
      message: 'the chain that answers does not have the contracts',
      hint: 'check the chain and the addresses: rfqctl doctor',
    })
  }
  if (found('InsufficientFundsError')) return failureOf(noGas)
  const isUnreachable = found('HttpRequestError') || found('TimeoutError')
  return isUnreachable
    ? failureOf({ code: 'chain_unavailable', message: 'the chain does not answer', hint: NO_CHAIN })
    : failureOf({ code: 'chain_failed', message: error.shortMessage, hint: NO_CHAIN, exitCode: EXIT.chain })
}

/** The sandbox's faucet gives coin beside the dollars. */
export const noGas = {
  code: 'insufficient_gas',
  message: 'the wallet has no coin to pay for gas',
  hint: "ask the sandbox's faucet: rfqctl faucet --account NAME; on another chain, send the wallet some coin",
} as const

const isViemError = (error: unknown): error is ViemError =>
  error instanceof Error && 'shortMessage' in error && typeof error.shortMessage === 'string'

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name
