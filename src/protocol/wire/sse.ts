/**
 * One frame of an event stream. `data` becomes one line of JSON; `retry` is the time that a client waits before it
 * comes back, in milliseconds. It is part of an event's block: by itself, some clients take it for an event without
 * data.
 */
export type SseFrame = { event: string; data: unknown; id?: number; retry?: number }

/** A frame as text. JSON has no raw line break, so one `data:` line holds it. */
export function encodeSseFrame({ event, data, id, retry }: SseFrame): string {
  const retryLine = retry === undefined ? '' : `retry: ${retry}\n`
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `${retryLine}${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export const SSE_PING = ': ping\n\n'

/** The id after which a stream resumes; null for none and for garbage, which is answered by a snapshot (decision M1). */
export function decodeLastEventId(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,16}$/.test(header)) return null
  const id = Number(header)
  return Number.isSafeInteger(id) ? id : null
}
