import { encodeAuth, encodeSubscribe } from '../../src/protocol/wire/maker-commands.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { encodeRequest } from './http-connection.ts'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10

/** The first bytes of a frame that is whole; of a masked one, which every client's is. */
const WHOLE = 0x80
const MASKED = 0x80

/** Lengths from here on take two more bytes; longer ones than those hold are none of the protocol's. */
const TWO_BYTES = 126

const HEAD_END = '\r\n\r\n'

/**
 * Opens a maker's socket, asks for the ends of orders and what comes of its record, and hands on its messages as text; `onEnd` hears
 * of its end, whoever asked for it. `requests` are asked for, too, after the event of an id.
 */
export function openWebSocket(
  { open }: ConnectionPool,
  {
    apiKey,
    requests = null,
    onMessage,
    onEnd,
  }: {
    apiKey: string
    requests?: { after: number | null } | null
    onMessage: (text: string) => void
    onEnd: (fault: Error) => void
  },
): { send: (message: object) => void } {
  const send = (message: object) => socket.write(frameOf(TEXT, JSON.stringify(message)))
  let unread = ''
  let isOpen = false
  const socket = open({
    onText: (text) => {
      unread = unread === '' ? text : unread + text
      if (!isOpen) finishUpgrade()
      if (isOpen) unread = unread.slice(readFrames(unread, take))
    },
    onEnd,
  })
  socket.write(
    encodeRequest('GET', '/maker/v1/ws', {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16, apiKey).toString('base64'),
      },
    }),
  )

  function finishUpgrade(): void {
    const headEnd = unread.indexOf(HEAD_END)
    if (headEnd === -1) return
    if (!unread.startsWith('HTTP/1.1 101')) {
      socket.destroy(new Error(`a socket was refused: ${unread.slice(0, headEnd)}`))
      return
    }
    isOpen = true
    unread = unread.slice(headEnd + HEAD_END.length)
    send(encodeAuth(apiKey))
    for (const to of ['orders', 'standing'] as const) send(encodeSubscribe(to))
    if (requests !== null) send(encodeSubscribe('requests', { lastEventId: requests.after?.toString() }))
  }

  function take(code: number, payload: string): void {
    if (code === TEXT) onMessage(payload)
    else if (code === PING) socket.write(frameOf(PONG, payload))
    else if (code === CLOSE) socket.destroy(new Error(`the relay closed a socket: ${codeOf(payload)}`))
  }

  return { send }
}

/** Hands on each frame that is there as a whole, and tells how much of the text they were. Servers do not mask. */
function readFrames(text: string, take: (code: number, payload: string) => void): number {
  let at = 0
  while (at + 2 <= text.length) {
    const short = text.charCodeAt(at + 1)
    const isLong = short === TWO_BYTES
    const start = at + (isLong ? 4 : 2)
    if (start > text.length) break
    const length = isLong ? text.charCodeAt(at + 2) * 256 + text.charCodeAt(at + 3) : short
    if (start + length > text.length) break
    take(text.charCodeAt(at) & 0x0f, text.slice(start, start + length))
    at = start + length
  }
  return at
}

/** A frame under a mask of zeros, which leaves its payload as it is. */
function frameOf(code: number, payload: string): Buffer {
  const { length } = payload
  const size = length < TWO_BYTES ? [MASKED | length] : [MASKED | TWO_BYTES, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([WHOLE | code, ...size, 0, 0, 0, 0]), Buffer.from(payload, 'latin1')])
}

const codeOf = (payload: string): number => payload.charCodeAt(0) * 256 + payload.charCodeAt(1)
