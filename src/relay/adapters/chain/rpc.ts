import { setTimeout as delay } from 'node:timers/promises'
import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  BaseError,
  BlockNotFoundError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  HttpRequestError,
  http,
  type PublicClient,
  RpcError,
  type Transport,
  UnknownRpcError,
} from 'viem'
import { createAddressMask } from '../address-mask.ts'
import { boundBody } from '../bounded-body.ts'
import { createLimiter, type Limits } from './limiter.ts'
import { type BoundedView, createBoundedView, createView, type View, ViewRevertedError } from './views.ts'

export type NodeClient = PublicClient & { view: View; boundedView: BoundedView }

/** A node with retries, a single error for failures and a bound on concurrent reads. */
export type Rpc = {
  client: NodeClient
  /**
   * Runs reads, retries after a fault, and refuses with `chain_unavailable` when the last attempt failed too. `load`
   * itself catches the expected reverts.
   */
  read: <T>(load: (client: NodeClient) => Promise<T>) => Promise<T>
}

/** Per attempt (fault E2). */
const TIMEOUT_MS = 2_000
const RETRIES = 2
/** Jittered, so that many relays do not come back to a node in step. */
const BACKOFF: Backoff = { firstMs: 125, mostMs: 250 }
/** More than a thousand makers quote at a time, so reads queue while a node is slow. */
const LIMITS: Limits = { atWork: 512, waiting: 4_096, waitMs: TIMEOUT_MS }
/** Calls in one request: providers refuse larger batches, and bodies above a megabyte or two, to which one call adds up to 45 KB. */
const BATCH_SIZE = 20
/** Zero: viem collects the calls of one turn of the event loop, and no timer fires sooner. */
const BATCH_WAIT_MS = 0

/** `sleep`, in milliseconds, and `limits` are for tests. */
export function createRpc(
  transport: Transport,
  sleep: (ms: number) => Promise<unknown> = delay,
  limits: Limits = LIMITS,
): Rpc {
  const client = createPublicClient({ transport: withShortErrors(transport) }).extend((node) => ({
    view: createView(node),
    boundedView: createBoundedView(node),
  }))
  const limited = createLimiter(limits)

  async function insist<T>(load: (client: NodeClient) => Promise<T>): Promise<T> {
    try {
      return await withRetry(() => load(client), {
        retries: RETRIES,
        backoff: BACKOFF,
        isRetryable: (fault) => !(fault instanceof RfqError) && revertName(fault) === null,
        sleep,
      })
    } catch (fault) {
      throw fault instanceof RfqError ? fault : new RfqError('chain_unavailable', { cause: describeFault(fault) })
    }
  }

  return { client, read: (load) => limited(() => insist(load)) }
}

/**
 * JSON-RPC over HTTP; `timeoutMs` runs from the connection to the last byte. Reads of one turn of the event loop share
 * one batch; redirects are refused, and viem takes no answer above 10 MiB. viem's own timeout ends with the response's
 * headers and its retries obey any `Retry-After`: ours replace both.
 */
export function httpTransport(url: string, timeoutMs: number = TIMEOUT_MS): Transport {
  return http(url, {
    batch: { batchSize: BATCH_SIZE, wait: BATCH_WAIT_MS },
    retryCount: 0,
    timeout: 0,
    fetchOptions: { redirect: 'error' },
    fetchFn: fetchWithin(timeoutMs),
  })
}

/** A `fetch` whose answer, with its last byte, takes no longer than `ms`. */
export const fetchWithin =
  (ms: number): typeof fetch =>
  async (input, init) => {
    const signal = AbortSignal.timeout(ms)
    return boundBody(await fetch(input, { ...init, signal }), signal)
  }

/**
 * The name of the typed error that a contract reverted with; '' when it gave none or has no such function; null when
 * the fault is not a revert.
 */
export function revertName(fault: unknown): string | null {
  if (fault instanceof ViewRevertedError) return ''
  if (findFault(fault, ContractFunctionZeroDataError) !== null) return ''
  const revert = findFault(fault, ContractFunctionRevertedError)
  return revert === null ? null : (revert.data?.errorName ?? '')
}

/** A call that failed on its way to the node or back: its outcome is unknown. */
export const isTransportFault = (fault: unknown): boolean => findFault(fault, HttpRequestError) !== null

/** The node itself refused, such as a request that is too much for it. */
export const isRefusedByNode = (fault: unknown): boolean =>
  findFault(fault, RpcError) !== null && findFault(fault, UnknownRpcError) === null

/** For reads of a block that a node may not know, such as the pending one. */
export function nullIfNoBlock(fault: unknown): null {
  if (fault instanceof BlockNotFoundError) return null
  throw fault
}

/** A viem error without the node's URL, which may hold a provider's key, and without the request's body. */
export function describeFault(fault: unknown): Error {
  if (!(fault instanceof BaseError)) return fault instanceof Error ? fault : new Error(String(fault))
  return new Error(`${fault.shortMessage} ${fault.details ?? ''}`.trim().slice(0, MAX_FAULT_LENGTH))
}

function findFault<T extends Error>(fault: unknown, type: abstract new (...args: never[]) => T): T | null {
  if (!(fault instanceof BaseError)) return null
  const found = fault.walk((error) => error instanceof type)
  return found instanceof type ? found : null
}

/** A gateway's whole error page is useless in a log. */
const MAX_FAULT_LENGTH = 300

/**
 * A transport whose faults are short and never contain the node's address, even where the node repeats it. viem writes
 * the whole body of a request into the error of each call in it, and copies that text into each error that wraps it;
 * with some hundred reads in a body that is more than a heap holds.
 */
export const withShortErrors =
  (transport: Transport): Transport =>
  (options) => {
    const made = transport(options)
    const mask = createAddressMask(made.value?.url)
    const request = async (...input: Parameters<typeof made.request>): Promise<unknown> => {
      try {
        return await made.request(...input)
      } catch (fault) {
        shorten(fault, mask)
        throw fault
      }
    }
    return { ...made, request: request as typeof made.request }
  }

/** Masks before it cuts: a secret cut in half would not be found. */
function shorten(fault: unknown, mask: (text: string) => string): void {
  const cut = (text: string) => mask(text).slice(0, MAX_FAULT_LENGTH)
  for (let error = fault; error instanceof BaseError; error = error.cause) {
    const shortMessage = cut(error.shortMessage)
    const details = cut(error.details ?? '')
    // The stack begins with the original message.
    const stack = `${error.name}: ${shortMessage}`
    const cause = error.cause instanceof BaseError ? error.cause : essenceOf(error.cause, cut)
    const dropped = { metaMessages: undefined, body: undefined, headers: undefined, url: undefined, cause }
    Object.assign(error, { shortMessage, message: shortMessage, details, stack, ...dropped })
  }
}

/** Keeps the node's own error: viem decodes the revert of a contract from it. */
function essenceOf(cause: unknown, cut: (text: string) => string): Error | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined
  const { message, code, data } = cause as { message?: unknown; code?: unknown; data?: unknown }
  return Object.assign(new Error(cut(`${message}`)), { code, data })
}
