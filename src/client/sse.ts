import { type LinkedAbort, unlessAborted } from '@rfqctl/lib/abort'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type OnConnectionState, reconnecting, type Timing } from './connection.ts'
import { RelayUnreachableError } from './errors.ts'

/** Undecoded event: `data` is the text of a stream, or a parsed value from another way. */
type StreamEvent<Data> = { event?: string | undefined; data: Data; id?: string | undefined }

/**
 * Alternative source of the same events, tried before each connection: events after an id, until it is lost; null where there is none.
 * Rejects like a connection that could not be opened.
 */
type OtherWay<Data> = (
  lastEventId: string | undefined,
  connection: LinkedAbort,
) => Promise<AsyncGenerator<StreamEvent<Data>, void> | null>

/**
 * Events of a stream over as many connections as needed, each continuing after the last event id. Ends only by a lasting refusal (rejects
 * with it), or by the signal (rejects with its reason).
 */
export function followStream<Data = never>(input: {
  /** Named in errors. */
  url: string
  open: (headers: Record<string, string>, connection: LinkedAbort) => Promise<ReadableStream<Uint8Array>>
  otherWay?: OtherWay<Data> | undefined
  signal: AbortSignal | undefined
  timing: Timing
  onConnectionState?: OnConnectionState | undefined
}): AsyncGenerator<StreamEvent<string | Data>, never> {
  const { url, open, otherWay = async () => null, signal, timing, onConnectionState } = input
  const { clock, watchdogMs } = timing
  let lastEventId: string | undefined
  /** Pause that the relay asks for when it ends a stream itself, so that readers do not all reconnect at once (decision M2). */
  let retryAfterMs: number | null = null

  async function* connect(connection: LinkedAbort): AsyncGenerator<StreamEvent<string | Data>, never> {
    const other = await otherWay(lastEventId, connection)
    const events = other ?? readEvents(await openBody(connection), connection.signal)
    onConnectionState?.({ kind: 'open' })
    for await (const event of events) {
      lastEventId = event.id ?? lastEventId
      yield event
    }
    throw new RelayUnreachableError(url, { reason: 'the stream ended', retryAfterMs })
  }

  const openBody = (connection: LinkedAbort) =>
    open(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }, connection)

  async function* readEvents(
    body: ReadableStream<Uint8Array>,
    connected: AbortSignal,
  ): AsyncGenerator<EventSourceMessage, void> {
    const events: EventSourceMessage[] = []
    const parser = createParser({
      onEvent: (event) => events.push(event),
      onRetry: (ms) => {
        retryAfterMs = ms
      },
    })
    const decoder = new TextDecoder()
    const reader = body.getReader()
    try {
      for (;;) {
        // Node's fetch may forget its signal once the request was collected (nodejs/node#55428): a body then never ends.
        const { done, value } = await unlessAborted(readInTime(reader), connected)
        if (done) return
        parser.feed(decoder.decode(value, { stream: true }))
        yield* events.splice(0)
      }
    } finally {
      reader.cancel().catch(() => {})
    }
  }

  /** The next bytes. The watchdog counts bytes, not events: a keep-alive comment is no event. */
  function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>) {
    return new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
      const stop = clock.schedule(clock.now() + watchdogMs, () =>
        reject(new RelayUnreachableError(url, { reason: `no byte for ${watchdogMs} ms` })),
      )
      const fail = (cause: unknown) =>
        reject(new RelayUnreachableError(url, { reason: 'the stream was interrupted', cause }))
      reader.read().then(resolve, fail).finally(stop)
    })
  }

  return reconnecting({ connect, signal, timing, onConnectionState })
}
