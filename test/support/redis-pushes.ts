/** How often a message arrives that a channel carries: 1 as it should, 0 for one that is lost, 2 for a doubled one. */
export type Fate = (channel: string) => number

const CRLF = Buffer.from('\r\n')

/**
 * What a proxy in front of Redis makes of its answers: each message of a subscription arrives as often as its fate says,
 * everything else as it is. Speaks RESP2, and puts together what comes in pieces.
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
export function createPushFilter(fate: Fate): (chunk: Buffer) => Buffer {
  let unread: Buffer = Buffer.alloc(0)
  return (chunk) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    const passed: Buffer[] = []
    for (let end = endOf(unread, 0); end !== null; end = endOf(unread, 0)) {
      const reply = unread.subarray(0, end)
      unread = unread.subarray(end)
      const channel = channelOf(reply)
      passed.push(...Array.from({ length: channel === null ? 1 : fate(channel) }, () => reply))
    }
    return Buffer.concat(passed)
  }
}

/** Where the reply ends that begins at `from`; null while it is not all there. */
function endOf(bytes: Buffer, from: number): number | null {
  const lineEnd = bytes.indexOf(CRLF, from)
  if (lineEnd === -1) return null
  const after = lineEnd + CRLF.length
  const kind = String.fromCharCode(bytes[from] as number)
  const count = Number(bytes.toString('latin1', from + 1, lineEnd))
  if (kind === '$') return ending(bytes, count < 0 ? after : after + count + CRLF.length)
  if (kind !== '*') return after
  let end: number | null = after
  for (let item = 0; item < count && end !== null; item += 1) end = endOf(bytes, end)
  return end
}

const ending = (bytes: Buffer, end: number): number | null => (end <= bytes.length ? end : null)

/** The channel of a message; null for any other reply. */
function channelOf(reply: Buffer): string | null {
  const [head, , kind, , channel] = reply.toString('utf8').split('\r\n', 5)
  return head === '*3' && kind === 'message' ? (channel ?? null) : null
}
