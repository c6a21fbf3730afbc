import { connect, type Socket } from 'node:net'
import { keep } from './keep.ts'

/** An answer as it came over the wire. */
export type RawAnswer = { status: number; head: string; headers: Record<string, string>; body: string }

/** A bare connection to the relay. */
export function rawSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  keep(() => socket.destroy())
  return socket
}

/**
 * Sends bytes as they are, and resolves with what came back when the other end closes. The text should ask for that with
 * `Connection: close`.
 */
export async function rawExchange(url: string, text: string | Buffer): Promise<RawAnswer> {
  const socket = rawSocket(url)
  socket.write(text)
  return parseRaw(await readToEnd(socket))
}

/** All that a connection says until it closes; a reset is an end. */
export function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve) => socket.on('close', () => resolve(Buffer.concat(chunks).toString())))
}

/** Splits an answer that was not cut into chunks. */
export function parseRaw(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const lines = head.split('\r\n')
  const headers = lines.slice(1).map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  }
}
