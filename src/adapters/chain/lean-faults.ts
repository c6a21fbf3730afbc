import { BaseError, type Transport } from 'viem'

/** A gateway's whole error page is no use in a log. */
export const MAX_FAULT_LENGTH = 300

/**
 * A transport whose faults are short. viem writes the whole body of a request into the error of each call that travelled in
 * it, and copies that text into each error that it wraps around; with some hundred reads in a body that is more than a heap
 * holds. The text names the node's address, too.
 */
export const leanFaults =
  (transport: Transport): Transport =>
  (options) => {
    const made = transport(options)
    const request = async (...input: Parameters<typeof made.request>): Promise<unknown> => {
      try {
        return await made.request(...input)
      } catch (fault) {
        shorten(fault)
        throw fault
      }
    }
    return { ...made, request: request as typeof made.request }
  }

function shorten(fault: unknown): void {
  for (let error = fault; error instanceof BaseError; error = error.cause) {
    const shortMessage = error.shortMessage.slice(0, MAX_FAULT_LENGTH)
    const details = (error.details ?? '').slice(0, MAX_FAULT_LENGTH)
    // The stack begins with the message as it was.
    const stack = `${error.name}: ${shortMessage}`
    const cause = error.cause instanceof BaseError ? error.cause : essenceOf(error.cause)
    const dropped = { metaMessages: undefined, body: undefined, headers: undefined, url: undefined, cause }
    Object.assign(error, { shortMessage, message: shortMessage, details, stack, ...dropped })
  }
}

/** What the node said: viem reads from it what a contract has reverted with. */
function essenceOf(cause: unknown): Error | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined
  const { message, code, data } = cause as { message?: unknown; code?: unknown; data?: unknown }
  return Object.assign(new Error(`${message}`.slice(0, MAX_FAULT_LENGTH)), { code, data })
}
