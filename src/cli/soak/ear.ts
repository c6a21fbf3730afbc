import { get } from 'node:http'

/** One frame of an event stream. */
export type HeardFrame = { event: string; id: number; data: string }

/**
 * A maker's stream, read by next to nothing: two hundred of them hear of every request twice, and a client that decodes
 * each event would be busier than the relay. Resolves when the snapshot is complete; `onLost` hears of an end that the
 * signal did not ask for.
 */
export function listen({
  url,
  apiKey,
  signal,
  onFrame,
  onLost,
}: {
  url: string
  apiKey: string
  signal: AbortSignal
  onFrame: (frame: HeardFrame) => void
  onLost: (fault: unknown) => void
}): Promise<void> {
  return new Promise((resolve) => {
    const request = get(`${url}/v1/mm/quote-requests/stream`, { headers: { 'x-api-key': apiKey }, agent: false })
    const lost = (fault: unknown) => {
      if (!signal.aborted) onLost(fault)
    }
    signal.addEventListener('abort', () => request.destroy())
    request.on('error', lost)
    request.on('response', (response) => {
      let rest = ''
      response.setEncoding('utf8')
      response.on('error', lost)
      response.on('end', () => lost(new Error('the relay ended a stream')))
      response.on('data', (text: string) => {
        const frames = `${rest}${text}`.split('\n\n')
        rest = frames.pop() ?? ''
        for (const frame of frames.map(parseFrame)) {
          if (frame.event === 'snapshot_complete') resolve()
          onFrame(frame)
        }
      })
    })
  })
}

function parseFrame(text: string): HeardFrame {
  const frame = { event: '', id: Number.NaN, data: '' }
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('id: ')) frame.id = Number(line.slice(4))
    else if (line.startsWith('data: ')) frame.data = line.slice(6)
  }
  return frame
}

const REQUEST_ID = '"requestId":"'

/** The request that a frame is about, without decoding the rest. */
export function requestIdOf({ data }: HeardFrame): string {
  const start = data.indexOf(REQUEST_ID) + REQUEST_ID.length
  return data.slice(start, data.indexOf('"', start))
}
