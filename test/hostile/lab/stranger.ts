import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { parseRaw, type RawAnswer, readToEnd } from '../../conformance/harness/raw.ts'

/** An answer; `status` is 0 when there was none: the connection broke, or nothing came in time. */
export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> }

/** What a call may carry; `text` is sent as it is, where `body` would be made JSON. */
export type Asked = { body?: unknown; text?: string | Buffer; headers?: Record<string, string>; timeoutMs?: number }

/** Somebody who speaks HTTP from one address, over as many connections as it likes. */
export type Stranger = {
  address: string
  /** One call; never fails, whatever the relay does. */
  ask: (method: string, path: string, asked?: Asked) => Promise<Reply>
  /** A connection on which anything may be written. */
  socket: () => Socket
  /** Sends bytes on a connection of their own, and tells what came until it was closed or `waitMs` were over. */
  raw: (bytes: string | Buffer, waitMs?: number) => Promise<RawAnswer>
  close: () => void
}

/** How long an answer is waited for, in milliseconds: longer than a commit that asks several makers. */
const PATIENCE_MS = 60_000

/** A stranger at an address of the loopback network, all of which is this machine's. */
export function createStranger(url: string, address: string): Stranger {
  const { hostname: host, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 512 })
  const sockets = new Set<Socket>()

  function socket(): Socket {
    const made = connect({ host, port: Number(port), localAddress: address })
    sockets.add(made)
    made.on('error', () => {})
    made.on('close', () => sockets.delete(made))
    return made
  }

  return {
    address,
    ask: (method, path, { body, text, headers = {}, timeoutMs = PATIENCE_MS } = {}) =>
      new Promise((resolve) => {
        const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
        const type = sent === undefined ? {} : { 'content-type': 'application/json' }
        const length = sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }
        const none = () => resolve({ status: 0, headers: {}, text: '', body: {} })
        const asking = request({ host, port, method, path, agent, localAddress: address, timeout: timeoutMs })
        for (const [name, value] of Object.entries({ ...type, ...length, ...headers })) asking.setHeader(name, value)
        asking.on('error', none)
        asking.on('timeout', () => asking.destroy())
        asking.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', none)
          response.on('end', () => {
            const received = Buffer.concat(chunks).toString()
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: received,
              body: jsonOf(received),
            })
          })
        })
        asking.end(sent)
      }),
    socket,
    raw: async (bytes, waitMs = PATIENCE_MS) => {
      const made = socket()
      const timer = setTimeout(() => made.destroy(), waitMs)
      made.write(bytes)
      const text = await readToEnd(made)
      clearTimeout(timer)
      return parseRaw(text)
    },
    close: () => {
      agent.destroy()
      for (const made of sockets) made.destroy()
    },
  }
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
