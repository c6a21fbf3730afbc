import { Agent, request } from 'node:http'
import { createInbox, type Inbox } from '../kit/inbox.ts'
import type { Accepted } from '../kit/maker.ts'
import { rawSocket } from '../kit/raw.ts'

/** An HTTP answer as it came, with its headers in their order. */
export type RawHttp = { status: number; head: string; text: string }

/** What makers of a cluster are sent, frame by frame as the bytes have it, kept by the request that a frame names. */
type RawMakers = {
  /** Opens the socket of a maker on one node and its stream on another, in bytes, and resolves when both are there. */
  connect: (maker: { makerId: string; apiKey: string }, at: { socket: string; stream: string }) => Promise<void>
  /** Frames about a request that came to a maker by a way, oldest first. */
  framesOf: (makerId: string, way: Way, requestId: string) => readonly string[]
  /** Resolves when a maker has a frame about a request that meets a condition. */
  until: (makerId: string, way: Way, about: { requestId: string; isMeant: (frame: string) => boolean }) => Promise<void>
  /** Makers that are asked to sign for a request, in that order. */
  asked: (requestId: string) => Inbox<{ makerId: string; accepted: Accepted }>
  /** Frames that name no request, other than those of an opening and pings. */
  strange: readonly string[]
  /** Lets go what is kept of a request. */
  forget: (requestId: string) => void
}

type Way = 'socket' | 'stream'

const REQUEST_ID = /"requestId":"([0-9a-f-]{36})"/
/** Frames about no request: the openings of a socket and a stream, and signs of life. */
const NAMELESS =
  /^(retry|event: connected|event: snapshot_begin|event: snapshot_complete|:|id: \d+\nevent: snapshot_complete)|"type":"connected"/

const TEXT = 0x1
const PING = 0x9
const PONG = 0xa

export function createRawMakers(): RawMakers {
  const frames = new Map<string, string[]>()
  const waiting = new Map<string, Set<() => void>>()
  const inboxes = new Map<string, Inbox<{ makerId: string; accepted: Accepted }>>()
  const strange: string[] = []
  const opened = new Map<string, () => void>()

  const keyOf = (makerId: string, way: Way, requestId: string): string => `${requestId} ${makerId} ${way}`

  function inboxOf(requestId: string): Inbox<{ makerId: string; accepted: Accepted }> {
    const inbox = inboxes.get(requestId) ?? createInbox(`the makers that are asked for ${requestId}`)
    inboxes.set(requestId, inbox)
    return inbox
  }

  function take(makerId: string, way: Way, frame: string): void {
    const requestId = REQUEST_ID.exec(frame)?.[1]
    if (requestId === undefined) {
      if (!NAMELESS.test(frame)) strange.push(`${makerId} ${way} ${frame}`)
      if (/"type":"connected"|event: snapshot_complete/.test(frame)) opened.get(`${makerId} ${way}`)?.()
      return
    }
    const key = keyOf(makerId, way, requestId)
    frames.set(key, [...(frames.get(key) ?? []), frame])
    if (frame.includes('"type":"quote:accepted"'))
      inboxOf(requestId).put({ makerId, accepted: JSON.parse(frame.slice(frame.indexOf('{'))) })
    for (const look of [...(waiting.get(key) ?? [])]) look()
  }

  function connectOne(
    makerId: string,
    way: Way,
    { url, head }: { url: string; head: readonly string[] },
  ): Promise<void> {
    const socket = rawSocket(url)
    const { host } = new URL(url)
    socket.write(`${head[0]}\r\nHost: ${host}\r\n${head.slice(1).join('\r\n')}\r\n\r\n`)
    const cut = way === 'socket' ? cutMessages((pong) => socket.write(pong)) : cutEvents()
    let bytes = Buffer.alloc(0)
    let isOpen = false
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) return
        isOpen = true
        bytes = bytes.subarray(end + 4)
      }
      const { found, rest } = cut(bytes)
      bytes = Buffer.from(rest)
      for (const frame of found) take(makerId, way, frame)
    })
    return new Promise((resolve) => opened.set(`${makerId} ${way}`, resolve))
  }

  return {
    connect: async ({ makerId, apiKey }, at) => {
      const upgrade = [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${Buffer.from('sixteen bytes...').toString('base64')}`,
      ]
      const key = `X-Api-Key: ${apiKey}`
      await Promise.all([
        connectOne(makerId, 'socket', { url: at.socket, head: ['GET /maker/v1/ws HTTP/1.1', key, ...upgrade] }),
        connectOne(makerId, 'stream', {
          url: at.stream,
          head: ['GET /v1/mm/quote-requests/stream?twoSided=true HTTP/1.1', key],
        }),
      ])
    },
    framesOf: (makerId, way, requestId) => frames.get(keyOf(makerId, way, requestId)) ?? [],
    until: (makerId, way, { requestId, isMeant }) =>
      new Promise((resolve) => {
        const key = keyOf(makerId, way, requestId)
        const looks = waiting.get(key) ?? new Set()
        waiting.set(key, looks)
        const look = (): void => {
          if (!(frames.get(key) ?? []).some(isMeant)) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
    asked: inboxOf,
    strange,
    forget: (requestId) => {
      inboxes.delete(requestId)
      for (const kept of [frames, waiting])
        for (const key of kept.keys()) if (key.startsWith(requestId)) kept.delete(key)
    },
  }
}

type Cut = (bytes: Buffer) => { found: string[]; rest: Buffer }

/** Whole messages of a WebSocket (RFC 6455, section 5.2), each with the bytes before its text; pings are answered. */
function cutMessages(answer: (pong: Buffer) => void): Cut {
  return (bytes) => {
    const found: string[] = []
    let at = 0
    while (at + 2 <= bytes.length) {
      const opcode = bytes.readUInt8(at) & 0x0f
      const short = bytes.readUInt8(at + 1)
      const head = short === 126 ? 4 : short === 127 ? 10 : 2
      if (at + head > bytes.length) break
      const length =
        short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short
      if (at + head + length > bytes.length) break
      const text = bytes.subarray(at + head, at + head + length)
      // A client masks what it sends, here by nothing.
      if (opcode === PING) answer(Buffer.concat([Buffer.from([0x80 | PONG, 0x80 | length, 0, 0, 0, 0]), text]))
      if (opcode === TEXT) found.push(`${bytes.subarray(at, at + head).toString('hex')} ${text.toString('latin1')}`)
      at += head + length
    }
    return { found, rest: bytes.subarray(at) }
  }
}

/** Whole events of a stream in chunks. */
function cutEvents(): Cut {
  let text = ''
  return (bytes) => {
    let at = 0
    for (;;) {
      const line = bytes.indexOf('\r\n', at)
      if (line < 0) break
      const length = Number.parseInt(bytes.subarray(at, line).toString(), 16)
      if (line + 2 + length + 2 > bytes.length) break
      text += bytes.subarray(line + 2, line + 2 + length).toString('latin1')
      at = line + 2 + length + 2
    }
    const found = text.split('\n\n')
    text = found.pop() as string
    return { found, rest: bytes.subarray(at) }
  }
}

/** Idle connections end here long before a relay ends them. */
const agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: 2_000 })

/** One call, answered with all that came. */
export const rawCall = (
  method: string,
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<RawHttp> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? null : JSON.stringify(body)
    const type = text === null ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }
    const asked = request(url, { method, agent, headers: { ...type, ...headers } }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = response
        resolve({ status, head: rawHeaders.join('|'), text: Buffer.concat(pieces).toString('latin1') })
      })
    })
    // The relay had ended the idle connection when the call was sent on it, and has not read the call.
    asked.on('error', (fault: NodeJS.ErrnoException) =>
      asked.reusedSocket && fault.code === 'ECONNRESET'
        ? resolve(rawCall(method, url, { headers, ...(body === undefined ? {} : { body }) }))
        : reject(fault),
    )
    asked.end(text)
  })
