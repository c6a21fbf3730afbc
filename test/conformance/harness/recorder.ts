import { type IncomingMessage, request } from 'node:http'
import { WebSocket } from 'ws'
import { createInbox, type Inbox } from '../../kit/inbox.ts'
import { keep } from '../../kit/keep.ts'
import type { SocketMessage } from '../../kit/socket.ts'

/** An event as a client reads it; the recorder keeps its bytes. */
type Event = { event: string; id: string | null; data: Record<string, unknown> }

/** Clients of a relay that keep all that they receive, in channels: the calls of one, or one stream or socket. */
export type Recorder = {
  call: (
    channel: string,
    asked: { method: string; path: string; headers?: Record<string, string>; body?: unknown },
  ) => Promise<{ status: number; body: Record<string, unknown> }>
  stream: (
    channel: string,
    asked: { path: string; headers?: Record<string, string> },
  ) => Promise<{
    until: (condition: (event: Event) => boolean) => Promise<Event>
    ended: Promise<void>
    close: () => void
  }>
  socket: (
    channel: string,
    asked: { path: string; first?: unknown },
  ) => { until: Inbox<SocketMessage>['until']; send: (message: unknown) => void; close: () => void }
  /** What each channel has received: heads with their headers, bodies, events and messages, as they came. */
  received: () => ReadonlyMap<string, string>
  /** Resolves when all streams and sockets have ended. */
  ended: () => Promise<void>
}

export function createRecorder({ url, wsUrl }: { url: string; wsUrl: string }): Recorder {
  const channels = new Map<string, string>()
  const ends: Promise<void>[] = []
  const write = (channel: string, text: string) => void channels.set(channel, (channels.get(channel) ?? '') + text)

  const answerOf = (
    asked: { method: string; path: string; headers?: Record<string, string> },
    text?: string,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, headers = {} } = asked
      const type = text === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(`${url}${path}`, { method, headers: { ...type, ...headers }, agent: false }, resolve)
      sent.on('error', reject)
      keep(() => sent.destroy())
      sent.end(text)
    })

  const call: Recorder['call'] = async (channel, { body, ...asked }) => {
    const answer = await answerOf(asked, body === undefined ? undefined : JSON.stringify(body))
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk
    write(channel, `> ${asked.method} ${asked.path}\n${headOf(answer)}\n${text}\n\n`)
    return { status: answer.statusCode ?? 0, body: JSON.parse(text) }
  }

  const stream: Recorder['stream'] = async (channel, { path, headers = {} }) => {
    const answer = await answerOf({ method: 'GET', path, headers })
    write(channel, `> GET ${path}\n${headOf(answer)}\n`)
    const events = createInbox<Event>(channel)
    let unread = ''
    answer.setEncoding('utf8').on('data', (text: string) => {
      write(channel, text)
      const blocks = (unread + text).split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        const data = field('data')
        if (data !== undefined)
          events.put({ event: field('event') ?? 'message', id: field('id') ?? null, data: JSON.parse(data) })
      }
    })
    const ended = new Promise<void>((resolve) => {
      answer.on('end', () => {
        write(channel, '(the end)\n')
        resolve()
      })
    })
    ends.push(ended)
    return { until: events.until, ended, close: () => answer.destroy() }
  }

  const socket: Recorder['socket'] = (channel, { path, first }) => {
    const connection = new WebSocket(`${wsUrl}${path}`)
    keep(() => connection.terminate())
    connection.on('upgrade', (answer) => write(channel, `> GET ${path}\n${headOf(answer)}\n`))
    const messages = createInbox<SocketMessage>(channel)
    ends.push(
      new Promise((resolve) =>
        connection.on('close', (code) => {
          write(channel, `(closed with ${code})\n`)
          resolve()
        }),
      ),
    )
    connection.on('message', (data) => {
      write(channel, `${data}\n`)
      messages.put(JSON.parse(data.toString()))
    })
    const send = (message: unknown) => connection.send(JSON.stringify(message))
    if (first !== undefined) connection.on('open', () => send(first))
    return { until: messages.until, send, close: () => connection.close() }
  }

  return { call, stream, socket, received: () => channels, ended: async () => void (await Promise.all(ends)) }
}

/** The status line and the headers, in their order and spelling. */
function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const headers = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...headers, ''].join('\n')
}
