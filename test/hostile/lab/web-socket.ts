/** A frame of a client, masked by nothing. */
export function frame(text: string, { opcode = 1, fin = true, rsv = 0, masked = true } = {}): Buffer {
  const body = Buffer.from(text)
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  const size = body.length < 126 ? [body.length] : [126, body.length >> 8, body.length & 255]
  const [length, ...more] = size as [number, ...number[]]
  return Buffer.concat([
    Buffer.from([first, length | (masked ? 0x80 : 0), ...more, ...(masked ? [0, 0, 0, 0] : [])]),
    body,
  ])
}

/** What asks for a maker's socket, with further fields. */
export const upgrade = (...fields: readonly string[]): string =>
  [
    'GET /maker/v1/ws HTTP/1.1',
    'Host: relay',
    ...fields,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')
