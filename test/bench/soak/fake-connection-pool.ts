import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionPool } from '../../../bench/soak/connection-pool.ts'

/** A connection as the other side has it: what was written to it, and what comes back. */
export type FakeConnection = { written: string[]; says: (text: string) => void; ends: (fault: Error) => void }

/** A pool whose connections are played by the test; what is said without naming one is said on the newest. */
export function createFakeConnectionPool(): FakeConnection & {
  connections: ConnectionPool
  /** In the order in which they were opened. */
  opened: readonly FakeConnection[]
} {
  const opened: FakeConnection[] = []
  const written: string[] = []
  const last = () => opened.at(-1) as FakeConnection
  return {
    opened,
    written,
    says: (text) => last().says(text),
    ends: (fault) => last().ends(fault),
    connections: {
      live: () => opened.length,
      closeAll: () => {},
      open: ({ onText, onEnd }) => {
        const connection: FakeConnection = { written: [], says: onText, ends: onEnd }
        opened.push(connection)
        return Object.assign(new EventEmitter(), {
          write: (data: string | Buffer) => {
            connection.written.push(data.toString('latin1'))
            written.push(data.toString('latin1'))
          },
          destroy: (fault?: Error) => onEnd(fault ?? new Error('closed')),
        }) as unknown as Socket
      },
    },
  }
}

/** How an answer, a stream and an upgraded connection begin. */
export const answer = (text: string, status = 200): string =>
  `HTTP/1.1 ${status} OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`
export const STREAM = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
export const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n'

/** A frame of a WebSocket server: not masked. */
export const webSocketFrame = (code: number, payload: string): string =>
  String.fromCharCode(0x80 | code) +
  (payload.length < 126
    ? String.fromCharCode(payload.length)
    : String.fromCharCode(126, payload.length >> 8, payload.length & 0xff)) +
  payload
