import { breakOff, flood, hangUp, json, silence, stall, text } from '../../kit/plays.ts'
import type { Play } from '../../kit/server.ts'

/** Everything that a server can answer in place of what it was asked. */
export const GARBAGE: Readonly<Record<string, Play>> = {
  'a web page': text('<html>502 Bad Gateway</html>', 200, { 'content-type': 'text/html' }),
  nothing: text('', 200),
  'a fault': text('{"error":"down"}', 500),
  'that it is asked too often': json({ error: 'slow down' }, 429),
  'a redirect': text('', 302, { location: 'http://127.0.0.1:1/' }),
  null: json(null),
  'an empty list': json([]),
  'a list of nulls': json(Array(1_000).fill(null)),
  'answers to other questions': json([{ jsonrpc: '2.0', id: 999_999, result: '0x1' }]),
  'an answer of the wrong kind': json({ jsonrpc: '2.0', id: 1, result: { a: 1 } }),
  'a number beyond counting': text('{"jsonrpc":"2.0","id":1,"result":1e999}'),
  'hex that is none': json({ jsonrpc: '2.0', id: 1, result: `0x${'z'.repeat(64)}` }),
  'hex without end': json({ jsonrpc: '2.0', id: 1, result: `0x${'f'.repeat(500_000)}` }),
  'JSON of great depth': text('['.repeat(100_000)),
  'a prototype': text('{"__proto__":{"history":[{"t":1,"p":1}]},"history":[{"t":1,"p":1e400}]}'),
  'half of an answer': stall,
  'half of an answer, and gone': breakOff,
  silence,
  'no connection': hangUp,
  'JSON that never ends': flood,
}
