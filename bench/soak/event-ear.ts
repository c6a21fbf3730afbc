import type { Dialler } from './dialler.ts'
import { encodeCall } from './http-line.ts'

/** One frame of an event stream. */
export type HeardFrame = { event: string; id: number; data: string }

const OK = 'HTTP/1.1 200'

/** Opens an event stream and hands on its frames; `onEnd` hears of its end, whoever asked for it. */
export function listen(
  { dial }: Dialler,
  {
    path,
    headers = {},
    onFrame,
    onEnd,
  }: {
    path: string
    headers?: Readonly<Record<string, string>>
    onFrame: (frame: HeardFrame) => void
    onEnd: (fault: Error) => void
  },
): void {
  let rest = ''
  let head = ''
  const socket = dial({
    onText: (text) => {
      if (head.length < OK.length) head += text
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
  socket.write(encodeCall('GET', path, { headers }))
}

/** The lines before the first frame are the head of the answer, and name no field. */
function parseFrame(text: string): HeardFrame {
  const frame = { event: '', id: Number.NaN, data: '' }
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('id: ')) frame.id = Number(line.slice(4))
    else if (line.startsWith('data: ')) frame.data = line.slice(6)
  }
  return frame
}
