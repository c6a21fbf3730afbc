import { type LinkedAbort, linkAbort, unlessAborted } from '@rfqctl/lib/abort'
import { type Clock, systemClock } from '@rfqctl/lib/clock'
import { decodeFailure } from '@rfqctl/protocol/wire/envelope'
import { RelayError, RelayUnreachableError, UNEXPECTED_ANSWER } from './errors.ts'

/** Options of every call. */
export type CallOptions = {
  signal?: AbortSignal | undefined
}

/** A relay's REST side. Every call rejects with `RelayError`, `RelayUnreachableError`, or the signal's reason. */
export type Http = ReturnType<typeof createHttp>

type Method = 'GET' | 'POST' | 'DELETE' | 'PUT'

type CallDetails<Answer> = CallOptions & {
  decode: (body: unknown) => Answer
  body?: unknown
  headers?: Record<string, string>
  timeoutMs?: number | null
}

/** With a `body`, a POST. */
type StreamDetails = { headers: Record<string, string>; link: LinkedAbort; body?: unknown }

type Exchange<Result> = {
  path: string
  init: { method?: string; headers: Record<string, string>; body?: string }
  link: LinkedAbort
  timeoutMs: number | null
  use: (response: Response) => Promise<Result>
}

/** A relay that has not answered by then counts as unreachable; only commit takes longer by design. */
export const TIMEOUT_MS = 15_000

/** Bytes of an answer that is kept as a file. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * JSON over HTTP with the relay at `url`. `headers` go with every call; a key must reach no other server, so redirects are not followed.
 */
export function createHttp(input: {
  url: string
  /** Kind of server at `url`, for messages. */
  server?: 'relay' | 'relayer'
  headers?: Record<string, string>
  fetch?: typeof globalThis.fetch
  clock?: Clock
}) {
  const { url, headers: common = {}, fetch = globalThis.fetch, clock = systemClock, server = 'relay' } = input
  const base = url.replace(/\/+$/, '')

  /** Fetches, and distinguishes a caller's abort from a silent relay. `use` reads the answer while the timeout still runs. */
  async function exchange<Result>({ path, init, link, timeoutMs, use }: Exchange<Result>): Promise<Result> {
    const address = `${base}${path}`
    let timedOut = false
    const stopTimer =
      timeoutMs === null
        ? () => {}
        : clock.schedule(clock.now() + timeoutMs, () => {
            timedOut = true
            link.abort()
          })
    try {
      link.signal.throwIfAborted()
      const headers = { accept: 'application/json', ...common, ...init.headers }
      const answer = fetch(address, { ...init, headers, signal: link.signal, redirect: 'error' }).then(use)
      // Node's fetch may forget its signal once the request was collected (nodejs/node#55428).
      return await unlessAborted(answer, link.signal)
    } catch (cause) {
      if (cause instanceof RelayError) throw cause
      if (link.signal.aborted && !timedOut) throw link.signal.reason
      const reason = timedOut ? `no answer within ${timeoutMs} ms` : reasonOf(cause)
      throw new RelayUnreachableError(address, { reason, cause, server })
    } finally {
      stopTimer()
    }
  }

  /** Sends JSON and decodes the body of a 2xx answer. `timeoutMs` null waits as long as the relay does. */
  async function call<Answer>(method: Method, path: string, details: CallDetails<Answer>): Promise<Answer> {
    const { decode, body, headers = {}, signal, timeoutMs = TIMEOUT_MS } = details
    const init = { method, ...(body === undefined ? { headers } : withBody(headers, body)) }
    const link = linkAbort(signal)
    try {
      return await exchange({ path, init, link, timeoutMs, use: (response) => readAnswer(response, decode) })
    } finally {
      link.release()
    }
  }

  /** Reads an answer of any type; one of more than `most` bytes is refused. */
  async function readBytes(
    path: string,
    { headers = {}, signal, most = MOST_BYTES }: CallOptions & { headers?: Record<string, string>; most?: number },
  ): Promise<Uint8Array> {
    const link = linkAbort(signal)
    try {
      const use = (response: Response) => readBody(response, most)
      return await exchange({ path, init: { headers }, link, timeoutMs: TIMEOUT_MS, use })
    } finally {
      link.release()
    }
  }

  return {
    call,
    readBytes,
    /** Opens an event stream; an abort of `link` ends it. */
    openStream: (path: string, { headers, link, body }: StreamDetails) => {
      const accepting = { accept: 'text/event-stream', ...headers }
      const init = body === undefined ? { headers: accepting } : { method: 'POST', ...withBody(accepting, body) }
      return exchange({ path, init, link, timeoutMs: TIMEOUT_MS, use: readStream })
    },
  }
}

const withBody = (headers: Record<string, string>, body: unknown) => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Decoder of an answer without content. */
export const nothing = (): void => {}

async function readAnswer<Answer>(response: Response, decode: (body: unknown) => Answer): Promise<Answer> {
  const text = await response.text()
  if (!response.ok) throw refusalOf(response, text)
  try {
    return decode(parseOrNull(text))
  } catch (fault) {
    throw unexpected(response.status, `The relay's answer does not match the schema: ${messageOf(fault)}`)
  }
}

async function readBody(response: Response, most: number): Promise<Uint8Array> {
  if (!response.ok) throw refusalOf(response, await response.text())
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > most) throw unexpected(response.status, `The answer has more than ${most} bytes.`)
    parts.push(part)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

async function readStream(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw refusalOf(response, await response.text())
  const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isEventStream && response.body !== null) return response.body
  throw unexpected(response.status, 'The relay did not answer with an event stream.')
}

const unexpected = (status: number, message: string): RelayError =>
  new RelayError({ code: UNEXPECTED_ANSWER, status, message, retryable: false })

function refusalOf(response: Response, text: string): RelayError {
  const body = parseOrNull(text)
  const status = response.status
  const afterMs = retryAfterMs(response.headers.get('retry-after'))
  return new RelayError({ ...(decodeFailure(body) ?? foreignFailure(body, status)), status, retryAfterMs: afterMs })
}

/** The refusal of a relay that knows no codes but the specification's, or of a proxy that knows none. */
function foreignFailure(body: unknown, status: number): { code: string; message?: string } {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  if (typeof error !== 'string') return { code: `http_${status}` }
  return /^[a-z]+(_[a-z]+)+$/.test(error) ? { code: error } : { code: `http_${status}`, message: error }
}

function retryAfterMs(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))

/** `fetch` puts the reason for a lost connection into the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
