import type { ConnectionPool } from './connection-pool.ts'
import { encodeRequest } from './http-connection.ts'

/** One frame of an event stream. */
export type SseFrame = { event: string; id: number; data: string }

const OK = 'HTTP/1.1 200'

/** Opens an event stream and hands on its frames; `onEnd` is told of its end, whoever asked for it. */
export function openSse(
  { open }: ConnectionPool,
  {
    path,
    headers = {},
    onOpen,
    onFrame,
    onEnd,
  }: {
    path: string
    headers?: Readonly<Record<string, string>>
    /** It is not refused. */
    onOpen?: () => void
    onFrame: (frame: SseFrame) => void
    onEnd: (fault: Error) => void
  },
): void {
  let rest = ''
  let head = ''
  const socket = open({
    onText: (text) => {
      if (head.length < OK.length) {
        head += text
        if (head.startsWith(OK)) onOpen?.()
      }
      const all = rest === '' ? text : rest + text
      let start = 0
      for (let end = all.indexOf('\n\n'); end !== -1; end = all.indexOf('\n\n', start)) {
        onFrame(parseFrame(all.slice(start, end)))
        start = end + 2
      }
      rest = all.slice(start)
    },
    onEnd: (fault) => onEnd(head.startsWith(OK) ? fault : new Error(`a stream was refused: ${head}`)),
  })
  socket.write(encodeRequest('GET', path, { headers }))
}

/** The lines before the first frame are the head of the answer, and name no field. */
function parseFrame(text: string): SseFrame {
  const frame = { event: '', id: Number.NaN, data: '' }
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('id: ')) frame.id = Number(line.slice(4))
    else if (line.startsWith('data: ')) frame.data = line.slice(6)
  }
  return frame
}
