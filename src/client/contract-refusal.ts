import { contractErrorOf } from '@rfqctl/protocol/contracts/errors'
import { contractOfError, namedValues } from '@rfqctl/protocol/contracts/values'
import { ContractRefusedError } from './errors.ts'

/** Revert error of viem, recognised by its shape so that code that only reports errors need not load viem. */
type Revert = {
  name: 'ContractFunctionRevertedError'
  reason?: string
  signature?: string
  data?: { errorName: string; args?: readonly unknown[]; abiItem: { inputs?: readonly { name?: string }[] } }
}

/** Our error for a contract's refusal in a fault of viem; null for any other fault. */
export function contractRefusal(fault: unknown): ContractRefusedError | null {
  if (fault instanceof ContractRefusedError) return fault
  const revert = findRevert(fault)
  if (revert === null) return null
  const { errorName = '', args = [], abiItem = {} } = revert.data ?? {}
  // A `require` and a panic of Solidity come as errors of these names, with their message as the reason.
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

/** Our error for a contract's refusal; any other fault unchanged. */
export const refusalOr = (fault: unknown): unknown => contractRefusal(fault) ?? fault

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

function findRevert(fault: unknown): Revert | null {
  // Any thrown value can get here, even an error that is its own cause.
  const seen = new Set<unknown>()
  for (let error = fault; error instanceof Error && !seen.has(error); error = error.cause) {
    if (error.name === 'ContractFunctionRevertedError') return error as unknown as Revert
    seen.add(error)
  }
  return null
}
