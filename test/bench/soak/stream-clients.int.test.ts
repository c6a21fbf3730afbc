import { expect, test } from 'vitest'
import { openSse, type SseFrame } from '../../../bench/soak/sse-client.ts'
import { openWebSocket } from '../../../bench/soak/websocket-client.ts'
import { createFakeConnectionPool, webSocketFrame as frame, STREAM, UPGRADED } from './fake-connection-pool.ts'

function heardOf(pieces: readonly string[]): { frames: SseFrame[]; faults: string[] } {
  const { connections, says, ends } = createFakeConnectionPool()
  const frames: SseFrame[] = []
  const faults: string[] = []
  openSse(connections, {
    path: '/s',
    onFrame: (frame) => frames.push(frame),
    onEnd: ({ message }) => faults.push(message),
  })
  for (const piece of pieces) says(piece)
  ends(new Error('gone'))
  return { frames, faults }
}

test('a stream is read frame by frame, in whatever pieces it comes', () => {
  const text = `${STREAM}event: connected\ndata: {}\n\nid: 7\nevent: quote_request\ndata: {"a":1}\n\n: ping\n\n`
  const frames = [
    { event: 'connected', id: Number.NaN, data: '{}' },
    { event: 'quote_request', id: 7, data: '{"a":1}' },
    { event: '', id: Number.NaN, data: '' },
  ]
  expect(heardOf([text])).toEqual({ frames, faults: ['gone'] })
  expect(heardOf([...text])).toEqual({ frames, faults: ['gone'] })
})

test('a stream that was refused says so', () => {
  expect(heardOf(['HTTP/1.1 401 Unauthorized\r\n\r\n']).faults[0]).toContain('a stream was refused: HTTP/1.1 401')
})

function openSocket() {
  const fake = createFakeConnectionPool()
  const messages: string[] = []
  const faults: string[] = []
  openWebSocket(fake.connections, {
    apiKey: 'k',
    onMessage: (text) => messages.push(text),
    onEnd: ({ message }) => faults.push(message),
  })
  return { ...fake, messages, faults }
}

test('a socket authenticates once it is open, and receives short and long messages in whatever pieces they come', () => {
  const { written, says, messages } = openSocket()
  const long = 'x'.repeat(700)
  for (const piece of UPGRADED + frame(1, 'short') + frame(1, long)) says(piece)
  expect(written[1]).toBe(
    `\x81\x9b\0\0\0\0{"type":"auth","apiKey":"k"}`.replace('\x9b', String.fromCharCode(0x80 | 28)),
  )
  expect(messages).toEqual(['short', long])
})

test('a ping is answered by its pong, and a close by an end that names its code', () => {
  const { written, says, faults } = openSocket()
  says(UPGRADED + frame(9, 'hi') + frame(8, '\x0f\xa1'))
  expect(written[4]).toBe('\x8a\x82\0\0\0\0hi')
  expect(faults).toEqual(['the relay closed a socket: 4001'])
})

test('a socket that was refused says so', () => {
  const { says, faults } = openSocket()
  says('HTTP/1.1 503 Service Unavailable\r\n\r\n')
  expect(faults).toEqual(['a socket was refused: HTTP/1.1 503 Service Unavailable'])
})
