/** One frame of an event stream. `data` becomes one line of JSON. */
export type SseFrame = { event: string; data: unknown; id?: number }

/** A frame as text. JSON has no raw line break, so one `data:` line holds it. */
export function encodeSseFrame({ event, data, id }: SseFrame): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** How long a client waits before it comes back, in milliseconds. */
export const encodeSseRetry = (ms: number): string => `retry: ${ms}\n\n`

/** The comment that keeps a stream alive. @see spec "Limits", keep-alive */
export const SSE_PING = ': ping\n\n'

/** The id after which a stream goes on; null for none and for garbage, which is answered by a snapshot (ruling M1). */
export function decodeLastEventId(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,16}$/.test(header)) return null
  const id = Number(header)
  return Number.isSafeInteger(id) ? id : null
}
