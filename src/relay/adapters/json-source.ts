import { setTimeout as delay } from 'node:timers/promises'
import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { createAddressMask } from './address-mask.ts'
import { boundBody } from './bounded-body.ts'

export type JsonSource = ReturnType<typeof createJsonSource>

/** For a call with all its attempts, until the last byte (fault G13). */
const DEADLINE_MS = 5_000
/** Half an hour of prices takes 2 KiB; anything larger is not an answer to our question (fault G13). */
const MAX_BYTES = 1024 * 1024
const RETRIES = 2
/** Jittered, so that many relays do not come back to a source in step. */
const BACKOFF: Backoff = { firstMs: 250, mostMs: 500 }

/** `passing`: another attempt may succeed. */
class AttemptError extends Error {
  override readonly name = 'AttemptError'
  readonly passing: boolean

  constructor(message: string, { passing }: { passing: boolean }) {
    super(message)
    this.passing = passing
  }
}

/** `deadlineMs` and `sleep` (milliseconds) are for tests. */
export function createJsonSource(parts: {
  url: string
  deadlineMs?: number
  sleep?: (ms: number) => Promise<unknown>
}) {
  const { url, deadlineMs = DEADLINE_MS, sleep = delay } = parts
  /**
   * The parsed answer to a query, which is added to the query of the address. Refuses with `price_source_unavailable`
   * any other outcome, within 5 s; neither address nor query is in the refusal, since they may hold a key.
   */
  async function get(query: Readonly<Record<string, string>>): Promise<unknown> {
    const address = new URL(url)
    for (const [name, value] of Object.entries(query)) address.searchParams.append(name, value)
    const deadline = AbortSignal.timeout(deadlineMs)
    try {
      return await withRetry(() => fetchJson(address, deadline), {
        retries: RETRIES,
        backoff: BACKOFF,
        isRetryable: (fault) => !deadline.aborted && (!(fault instanceof AttemptError) || fault.passing),
        sleep,
      })
    } catch (fault) {
      throw sourceFault(deadline.aborted ? `no answer within ${deadlineMs} ms` : (fault as Error).message)
    }
  }
  return { get }
}

/** An outage of a source, or an answer that makes no sense: never a reason to settle or to escalate (decision S1). */
export const sourceFault = (reason: string): RfqError =>
  new RfqError('price_source_unavailable', { cause: new Error(reason) })

/** The JSON of one GET: at most 1 MiB, status 200, no redirect. Fails with an `Error` that names no address. */
export async function fetchJson(address: URL, signal: AbortSignal): Promise<unknown> {
  const headers = { accept: 'application/json' }
  const response = await fetch(address, { headers, redirect: 'manual', signal }).catch((fault: Error) => {
    throw new AttemptError(createAddressMask(address.href)(reasonOf(fault)), { passing: true })
  })
  if (response.status === 200) return parseJson(await readText(boundBody(response, signal)))
  await response.body?.cancel()
  const passing = response.status >= 500 || response.status === 429
  throw new AttemptError(`it answered with status ${response.status}`, { passing })
}

/** Stops as soon as the body is too large, whatever its declared length. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new AttemptError(`its answer is larger than ${MAX_BYTES} bytes`, { passing: false })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AttemptError('its answer is not JSON', { passing: true })
  }
}

/** `fetch` puts the reason for a lost connection in the cause of its error. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error && 'code' in cause ? `${message}: ${cause.code}` : message
