import { WebSocket } from 'ws'
import { createInbox, type Inbox } from './inbox.ts'
import { keep } from './keep.ts'

/** A message of the maker socket. */
export type SocketMessage = { type: string; [field: string]: unknown }

/** A maker socket that answers pings and keeps all messages. */
export type MakerSocket = {
  messages: Inbox<SocketMessage>
  /** The next message of this type, optionally about this quote request. */
  until: (type: string, requestId?: string) => Promise<SocketMessage>
  send: (message: unknown) => void
  opened: Promise<void>
  /** The code that the socket closed with. */
  closed: Promise<number>
  /** The status of an upgrade that was refused. */
  refused: Promise<number>
  socket: WebSocket
  close: () => void
}

/** Opens a WebSocket. */
export function openSocket(url: string, options: { origin?: string; perMessageDeflate?: boolean } = {}): MakerSocket {
  const socket = new WebSocket(url, options)
  keep(() => socket.terminate())
  const messages = createInbox<SocketMessage>('the socket')
  socket.on('message', (data) => messages.put(JSON.parse(data.toString())))
  socket.on('error', () => {})
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  void closed.then((code) => messages.end(`it closed with ${code}`))
  return {
    messages,
    until: (type, requestId) =>
      messages.until((item) => item.type === type && (requestId === undefined || item.requestId === requestId)),
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    opened: new Promise((resolve) => socket.on('open', () => resolve())),
    closed,
    refused: new Promise((resolve) =>
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0)),
    ),
    socket,
    close: () => socket.close(),
  }
}
