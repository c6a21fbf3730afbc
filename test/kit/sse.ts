import { createInbox, type Inbox } from './inbox.ts'
import { keep } from './keep.ts'
import { createSseParser } from './sse-parser.ts'

/** One event of a stream. */
export type SseEvent = { event: string; id: string | null; data: Record<string, unknown> }

/** An event stream with all that it brought. */
export type SseStream = {
  status: number
  headers: Headers
  events: Inbox<SseEvent>
  /** The next event of this name; what came before is skipped. */
  until: (event: string, condition?: (data: Record<string, unknown>) => boolean) => Promise<SseEvent>
  /** Everything received, as text: comments and `retry` fields too. */
  text: () => string
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close: () => void
}

/** Opens a stream; an answer that is not a stream can be read from `text()` once it `ended`. */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<SseStream> {
  const abort = new AbortController()
  const close = () => abort.abort()
  keep(close)
  const response = await fetch(url, { headers, signal: abort.signal })
  const events = createInbox<SseEvent>(`the stream ${new URL(url).pathname}`)
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    const parser = createSseParser()
    for await (const bytes of response.body ?? []) {
      const piece = decoder.decode(bytes, { stream: true })
      text += piece
      for (const { event = 'message', id = null, data } of parser.push(piece)) {
        if (data !== undefined) events.put({ event, id, data })
      }
    }
  }
  const ended = read().then(
    () => events.end('the server ended it'),
    () => events.end('it broke off'),
  )
  const { status } = response
  return { status, headers: response.headers, ...readingOf(events), text: () => text, ended, close }
}

/** How the events of an inbox are read. */
export const readingOf = (events: Inbox<SseEvent>): Pick<SseStream, 'events' | 'until'> => ({
  events,
  until: (event, condition = () => true) => events.until((item) => item.event === event && condition(item.data)),
})
