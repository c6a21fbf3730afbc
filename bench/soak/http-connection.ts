import type { ConnectionPool } from './connection-pool.ts'

/** An answer; its body as Latin-1 text. */
export type Answer = { status: number; text: string }

/** An HTTP/1.1 connection that sends one call after the other. */
export type HttpConnection = {
  /** Rejects when the connection ends before the answer; `onWritten` is told when those before are answered and it is sent. */
  call: (request: string, onWritten?: () => void) => Promise<Answer>
  isOpen: () => boolean
}

type Call = {
  request: string
  onWritten: (() => void) | undefined
  resolve: (answer: Answer) => void
  reject: (fault: Error) => void
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /content-length: (\d+)/i

/** A connection to a relay. Answers must have a `content-length`, as all but streams have. */
export function openHttpConnection({ open }: ConnectionPool): HttpConnection {
  const waiting: Call[] = []
  let unread = ''
  let isOpen = true
  const socket = open({
    onText: (text) => {
      unread = unread === '' ? text : unread + text
      const answer = parse(unread)
      if (answer === null) return
      unread = ''
      waiting.shift()?.resolve(answer)
      sendNext()
    },
    onEnd: (fault) => {
      isOpen = false
      for (const { reject } of waiting.splice(0)) reject(fault)
    },
  })

  function sendNext(): void {
    const [next] = waiting
    next?.onWritten?.()
    if (next !== undefined) socket.write(next.request)
  }

  return {
    call: (request, onWritten) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(new Error('the connection has ended'))
        if (waiting.push({ request, onWritten, resolve, reject }) === 1) sendNext()
      }),
    isOpen: () => isOpen,
  }
}

/** As many connections as there are calls at a time; one that is done serves the next call. */
export function createHttpClient(connections: ConnectionPool): Pick<HttpConnection, 'call'> {
  let free: HttpConnection[] = []
  return {
    call: async (request) => {
      free = free.filter(({ isOpen }) => isOpen())
      const connection = free.pop() ?? openHttpConnection(connections)
      const answer = await connection.call(request)
      free.push(connection)
      return answer
    },
  }
}

/** A call as text. */
export function encodeRequest(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: unknown } = {},
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: soak',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ]
  return `${lines.join('\r\n')}${HEAD_END}${text}`
}

function parse(text: string): Answer | null {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const length = LENGTH.exec(text.slice(0, headEnd))?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, headEnd)}`)
  const start = headEnd + HEAD_END.length
  if (text.length < start + Number(length)) return null
  return { status: Number(text.slice(9, 12)), text: text.slice(start, start + Number(length)) }
}

/** A text field of a JSON body, without decoding the rest. */
export function textField(json: string, name: string): string {
  const start = json.indexOf(`"${name}":"`) + name.length + 4
  return json.slice(start, json.indexOf('"', start))
}
