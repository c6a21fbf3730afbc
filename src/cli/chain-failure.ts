import { causesOf, textOf } from './causes.ts'
import { EXIT } from './exit.ts'
import { type Failure, failureOf } from './failure.ts'

/** What viem's errors have in common; they are told by shape, because help and usage errors must not load viem. */
type ViemError = Error & { shortMessage: string }
type Revert = { data?: { errorName?: string; args?: readonly unknown[] } }

const NO_CHAIN = 'rfqctl chain status'

/** A failure of the chain, or null when it is none. No message of viem is passed on: it may hold the node's URL. */
export function chainFailure(error: unknown): Failure | null {
  if (hasName(error, 'ChainMismatchError')) {
    const hint = 'check RPC_URL and the addresses: rfqctl config view --origin'
    return failureOf({ code: 'chain_mismatch', message: textOf(error), hint, exitCode: EXIT.chain })
  }
  if (hasName(error, 'DevnetInUseError')) {
    const hint = 'stop that process, or choose another --data-dir'
    return failureOf({ code: 'in_use', message: textOf(error), hint, exitCode: EXIT.inUse })
  }
  return isViemError(error) ? viemFailure(error) : null
}

function viemFailure(error: ViemError): Failure {
  const errors = [error, ...causesOf(error)]
  const revert = errors.find((cause) => hasName(cause, 'ContractFunctionRevertedError')) as Revert | undefined
  if (revert !== undefined) {
    const { errorName = 'for no stated reason', args = [] } = revert.data ?? {}
    return failureOf({
      code: 'reverted',
      message: `the contract refused: ${errorName}`,
      why: args.length === 0 ? [] : [args.map(String).join(', ')],
      hint: null,
      exitCode: EXIT.chain,
    })
  }
  const isUnreachable = errors.some((cause) => hasName(cause, 'HttpRequestError') || hasName(cause, 'TimeoutError'))
  return isUnreachable
    ? failureOf({
        code: 'chain_unavailable',
        message: 'the chain does not answer',
        hint: NO_CHAIN,
        exitCode: EXIT.chain,
      })
    : failureOf({ code: 'chain_failed', message: error.shortMessage, hint: NO_CHAIN, exitCode: EXIT.chain })
}

const isViemError = (error: unknown): error is ViemError =>
  error instanceof Error && 'shortMessage' in error && typeof error.shortMessage === 'string'

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name
