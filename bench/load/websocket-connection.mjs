import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const [TEXT, CLOSE, PING] = [1, 8, 9]

/** A masked pong without a payload. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

/** A message as a client sends it: masked, by a key of zeros, which leaves the text readable. */
export function encodeMessage(text) {
  const payload = Buffer.from(text)
  const { length } = payload
  const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}

/**
 * A WebSocket client of just what these benchmarks need, on a raw socket: resolves when it is open. What a text message holds is
 * handed over as bytes, which are only good until the handler returns.
 */
export function openWebSocket({ port, path = '/', onMessage }) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let unread = Buffer.alloc(0)
  let isOpen = false
  let onOpen = () => {}
  const connection = {
    /** Sends messages that are encoded already, in one write. */
    send: (...messages) => socket.write(messages.length === 1 ? messages[0] : Buffer.concat(messages)),
  }

  socket.on('data', (chunk) => {
    const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    let at = isOpen ? 0 : shakeHands(bytes)
    for (let next = at; next !== -1; ) {
      at = next
      next = readFrame(bytes, at)
    }
    unread = bytes.subarray(at)
  })
  socket.on('error', (cause) => {
    throw new Error(`port ${port} broke a socket`, { cause })
  })

  function shakeHands(bytes) {
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return 0
    const status = bytes.toString('latin1', 9, 12)
    if (status !== '101') throw new Error(`a socket was answered by ${status}`)
    isOpen = true
    onOpen(connection)
    return end + HEAD_END.length
  }

  /** Takes the frame at a place and tells where the next one begins; -1 while it is not whole. */
  function readFrame(bytes, at) {
    if (!isOpen || bytes.length < at + 2) return -1
    const kind = bytes[at] & 0x0f
    let length = bytes[at + 1] & 0x7f
    let start = at + 2
    if (length === 126) {
      if (bytes.length < at + 4) return -1
      length = bytes.readUInt16BE(at + 2)
      start = at + 4
    }
    if (bytes.length < start + length) return -1
    if (kind === TEXT) onMessage(bytes.subarray(start, start + length))
    if (kind === PING) socket.write(PONG)
    if (kind === CLOSE) throw new Error(`port ${port} closed a socket`)
    return start + length
  }

  socket.write(
    [
      `GET ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
      '\r\n',
    ].join('\r\n'),
  )
  return new Promise((resolve) => {
    onOpen = resolve
  })
}
