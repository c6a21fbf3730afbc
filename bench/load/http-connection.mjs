import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = 'content-length: '

/**
 * An HTTP/1.1 client of just what these benchmarks need, on a raw socket: it costs a tenth of a general client, so that
 * the relay is what limits the figures. Answers must have a `content-length`.
 */
export function openHttpConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let unread = null
  let onAnswer = null
  let answers = 0
  socket.on('data', (chunk) => {
    const bytes = unread === null ? chunk : Buffer.concat([unread, chunk])
    const answer = parse(bytes)
    unread = answer === null ? bytes : null
    if (answer === null) return
    answers += 1
    const notify = onAnswer
    onAnswer = null
    notify?.(answer)
  })
  // Who reads of it must be able to tell a call that was broken off from a connection that had nothing to do.
  socket.on('error', (cause) => {
    const state = onAnswer === null ? 'with nothing to do' : 'with a call under way'
    throw new Error(`port ${port} broke a connection ${state}, after ${answers} answers`, { cause })
  })
  return {
    send: (request, notify) => {
      if (socket.destroyed) throw new Error(`port ${port} closed a connection, after ${answers} answers`)
      onAnswer = notify
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
}

/** The same as a promise. */
export const call = (connection, request) => new Promise((resolve) => connection.send(request, resolve))

/** A request as bytes; `text` is a body that is JSON already. */
export function encodeRequest(method, path, { headers = {}, body, text = JSON.stringify(body) } = {}) {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(text === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text ?? ''}`)
}

function parse(bytes) {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase()
  const at = head.indexOf(LENGTH)
  if (at === -1) throw new Error(`an answer without a length:\n${head}`)
  const end = headEnd + HEAD_END.length + Number.parseInt(head.slice(at + LENGTH.length), 10)
  if (bytes.length < end) return null
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(headEnd + HEAD_END.length, end) }
}
