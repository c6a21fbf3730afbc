import { createInbox, type Inbox } from '../../kit/inbox.ts'
import { keep } from '../../kit/keep.ts'

/** One event of a stream as its bytes say it. */
export type SseEvent = { event: string; id: string | null; data: Record<string, unknown> }

/** An event stream, read byte by byte with nothing but `fetch`. */
export type SseStream = {
  status: number
  headers: Headers
  events: Inbox<SseEvent>
  /** The next event of this name; what came before is skipped. */
  until: (event: string, condition?: (data: Record<string, unknown>) => boolean) => Promise<SseEvent>
  /** Waits for a comment line; comments are no events. */
  commented: (line: string, timeoutMs?: number) => Promise<void>
  /** Everything received, as text: comments and `retry` fields too. */
  text: () => string
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close: () => void
}

const NEWLINE = 0x0a

/** Opens a stream, with a body by a POST; an answer that is no stream can be read from `text()` once it `ended`. */
export async function openStream(
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<SseStream> {
  const abort = new AbortController()
  const close = () => abort.abort()
  keep(close)
  const posted = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  }
  const response = await fetch(url, { ...(body === undefined ? { headers } : posted), signal: abort.signal })
  const events = createInbox<SseEvent>(`the stream ${new URL(url).pathname}`)
  const comments = createInbox<string>(`the comments of ${new URL(url).pathname}`)
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    const take = createLineReader(events.put, comments.put)
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      take(bytes)
    }
  }
  const end = (why: string) => {
    events.end(why)
    comments.end(why)
  }
  const ended = read().then(
    () => end('the server ended it'),
    () => end('it broke off'),
  )
  return {
    status: response.status,
    headers: response.headers,
    events,
    until: (event, condition = () => true) => events.until((item) => item.event === event && condition(item.data)),
    commented: async (line, timeoutMs) => void (await comments.until((comment) => comment === line, timeoutMs)),
    text: () => text,
    ended,
    close,
  }
}

/** Cuts bytes into lines and lines into events, as the standard says; a line may arrive in any pieces. */
function createLineReader(onEvent: (event: SseEvent) => void, onComment: (line: string) => void) {
  const pending: number[] = []
  let event = 'message'
  let data: string[] = []
  let id: string | null = null

  function endOfBlock(): void {
    if (data.length > 0) onEvent({ event, id, data: JSON.parse(data.join('\n')) })
    event = 'message'
    data = []
    id = null
  }

  function takeLine(line: string): void {
    if (line === '') endOfBlock()
    if (line.startsWith(':')) onComment(line)
    if (line === '' || line.startsWith(':')) return
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
    if (name === 'id') id = value
  }

  return (bytes: Uint8Array): void => {
    for (const byte of bytes) {
      if (byte !== NEWLINE) pending.push(byte)
      else takeLine(Buffer.from(pending.splice(0)).toString('utf8').replace(/\r$/, ''))
    }
  }
}
