import { contractErrorOf } from '@rfqctl/protocol/contracts/errors'
import { contractOfError, namedValues } from '@rfqctl/protocol/contracts/values'
import { ContractRefusedError } from './errors.ts'

/** What viem puts into the error of a revert; told by shape, because who only tells errors must not load viem. */
type Revert = {
  name: 'ContractFunctionRevertedError'
  reason?: string
  signature?: string
  data?: { errorName: string; args?: readonly unknown[]; abiItem: { inputs?: readonly { name?: string }[] } }
}

/** What a contract refused, in our words, when that is what a fault of viem says; else null. */
export function contractRefusal(fault: unknown): ContractRefusedError | null {
  if (fault instanceof ContractRefusedError) return fault
  const revert = findRevert(fault)
  if (revert === null) return null
  const { errorName = '', args = [], abiItem = {} } = revert.data ?? {}
  // A `require` and a panic of Solidity come as errors of these names, with what they say as the reason.
  const stated = errorName === 'Error' || errorName === 'Panic' ? revert.reason : undefined
  const { code, message, hint } = contractErrorOf(errorName) ?? {
    code: 'reverted',
    message: `The contract refused: ${sentence(stated ?? (errorName || revert.signature || 'it gave no reason'))}`,
    hint: null,
  }
  return new ContractRefusedError({
    code,
    message,
    hint,
    errorName,
    values: namedValues(contractOfError(errorName), abiItem.inputs ?? [], args),
    cause: fault,
  })
}

/** Puts a refusal of a contract into our words; every other fault stays what it is. */
export const refusalOr = (fault: unknown): unknown => contractRefusal(fault) ?? fault

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

function findRevert(fault: unknown): Revert | null {
  // Whatever anyone throws comes by here, also errors that are their own cause.
  const seen = new Set<unknown>()
  for (let error = fault; error instanceof Error && !seen.has(error); error = error.cause) {
    if (error.name === 'ContractFunctionRevertedError') return error as unknown as Revert
    seen.add(error)
  }
  return null
}
