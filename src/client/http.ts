import { type LinkedAbort, linkAbort } from './abort.ts'
import { type Clock, systemClock } from './clock.ts'
import { RelayError, RelayUnreachableError } from './errors.ts'

/** What a call may carry. */
export type CallOptions = { signal?: AbortSignal | undefined }

/** A relay's REST side. Every call rejects with `RelayError`, `RelayUnreachableError`, or the signal's reason. */
export type Http = {
  /** Sends JSON and returns the body of a 2xx answer. `timeoutMs` null waits as long as the relay does. */
  call: <Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, options?: CallDetails) => Promise<Answer>
  /** Opens an event stream; an abort of `link` ends it. */
  openStream: (path: string, options: StreamDetails) => Promise<ReadableStream<Uint8Array>>
}

type CallDetails = CallOptions & { body?: unknown; headers?: Record<string, string>; timeoutMs?: number | null }
type StreamDetails = { headers: Record<string, string>; link: LinkedAbort }

type Exchange<Result> = {
  path: string
  init: { method?: string; headers: Record<string, string>; body?: string }
  link: LinkedAbort
  timeoutMs: number | null
  use: (response: Response) => Promise<Result>
}

/** A relay that has not answered by then is taken for unreachable; only commit takes longer by design. */
const TIMEOUT_MS = 15_000

/** Talks JSON over HTTP with the relay at `url`. `headers` go with every call; a key travels nowhere else. */
export function createHttp({
  url,
  headers: common = {},
  fetch = globalThis.fetch,
  clock = systemClock,
}: {
  url: string
  headers?: Record<string, string>
  fetch?: typeof globalThis.fetch
  clock?: Clock
}): Http {
  const base = url.replace(/\/+$/, '')

  /** Fetches, and tells a caller's abort from a silent relay. `use` reads the answer while the timeout still runs. */
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
      return await use(await fetch(address, { ...init, headers, signal: link.signal }))
    } catch (cause) {
      if (cause instanceof RelayError) throw cause
      if (link.signal.aborted && !timedOut) throw link.signal.reason
      const reason = timedOut ? `no answer within ${timeoutMs} ms` : reasonOf(cause)
      throw new RelayUnreachableError(address, { reason, cause })
    } finally {
      stopTimer()
    }
  }

  async function call<Answer>(method: string, path: string, options: CallDetails = {}): Promise<Answer> {
    const { body, headers = {}, signal, timeoutMs = TIMEOUT_MS } = options
    const init =
      body === undefined
        ? { method, headers }
        : { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    const link = linkAbort(signal)
    try {
      return await exchange({ path, init, link, timeoutMs, use: (response) => readAnswer<Answer>(response) })
    } finally {
      link.release()
    }
  }

  return {
    call,
    openStream: (path, { headers, link }) => {
      const init = { headers: { accept: 'text/event-stream', ...headers } }
      return exchange({ path, init, link, timeoutMs: TIMEOUT_MS, use: readStream })
    },
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  if (!response.ok) throw refusalOf(response, text)
  const body = parseObject(text)
  if (body === null) throw unexpected(response, 'The relay answered with something other than a JSON object.')
  return body as Answer
}

async function readStream(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw refusalOf(response, await response.text())
  const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isEventStream || response.body === null) throw unexpected(response, 'The relay did not answer with a stream.')
  return response.body
}

/** The named codes of the specification stand in `error`, their sentence in `detail`; else `error` is the sentence (E1). */
function refusalOf(response: Response, text: string): RelayError {
  const body = parseObject(text) ?? {}
  const error = textOf(body.error)
  const isCode = error !== undefined && /^[a-z]+(_[a-z]+)+$/.test(error)
  return new RelayError({
    code: textOf(body.code) ?? (isCode ? error : `http_${response.status}`),
    status: response.status,
    message: textOf(body.detail) ?? (isCode ? undefined : error),
    retryable: typeof body.retryable === 'boolean' ? body.retryable : undefined,
    hint: textOf(body.hint),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
    data: body,
  })
}

const unexpected = (response: Response, message: string): RelayError =>
  new RelayError({ code: 'unexpected_answer', status: response.status, message, retryable: false })

function retryAfterMs(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** What `fetch` says of a lost connection is in the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
