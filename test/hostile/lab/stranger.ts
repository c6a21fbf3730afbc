import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { parseRaw, type RawAnswer, readToEnd } from '../../kit/raw.ts'

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

/** No answer, and none on a connection that was there before. */
const NONE: Reply = { status: 0, headers: {}, text: '', body: {} }
const CLOSED = 'closed'

type Call = Asked & { method: string; path: string }

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

  function once({
    method,
    path,
    body,
    text,
    headers = {},
    timeoutMs = PATIENCE_MS,
  }: Call): Promise<Reply | typeof CLOSED> {
    return new Promise((resolve) => {
      const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
      const type = sent === undefined ? {} : { 'content-type': 'application/json' }
      const length = sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }
      const asking = request({ host, port, method, path, agent, localAddress: address, timeout: timeoutMs })
      for (const [name, value] of Object.entries({ ...type, ...length, ...headers })) asking.setHeader(name, value)
      asking.on('error', (fault: NodeJS.ErrnoException) => {
        resolve(asking.reusedSocket && fault.code === 'ECONNRESET' ? CLOSED : NONE)
      })
      asking.on('timeout', () => asking.destroy())
      asking.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => resolve(NONE))
        response.on('end', () => {
          const received = Buffer.concat(chunks).toString()
          const { statusCode = 0, headers: fields } = response
          resolve({ status: statusCode, headers: fields, text: received, body: jsonOf(received) })
        })
      })
      asking.end(sent)
    })
  }

  return {
    address,
    ask: async (method, path, asked = {}) => {
      const call = { method, path, ...asked }
      const first = await once(call)
      // A connection that idled may be closed while a call is on its way to it: any client makes that call again.
      const reply = first === CLOSED ? await once(call) : first
      return reply === CLOSED ? NONE : reply
    },
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
