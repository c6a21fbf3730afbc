/** Calls by which what is written reaches the kernel. */
const WRITES = new Set([
  'writev',
  'writeString',
  'writeBuffer',
  'writeUtf8String',
  'writeLatin1String',
  'writeAsciiString',
  'send',
])

/** Parts of a relay, by where the code lies or how a native call is named; the first that fits counts. */
const PARTS = [
  { name: 'kernel writes', fits: ({ url, call }) => url === '' && WRITES.has(call) },
  { name: 'garbage collection', fits: ({ call }) => call === '(garbage collector)' },
  {
    name: 'JSON, schema, decode, encode',
    fits: ({ url, call }) =>
      /\/protocol\/wire\/|typebox|ajv|fast-json-stringify|secure-json-parse|frames-in|\/plugins\/body/.test(url) ||
      (url === '' && ['parse', 'stringify', 'toString', 'utf8Slice', 'latin1Slice'].includes(call)),
  },
  { name: 'book', fits: ({ url }) => /\/adapters\/live\/memory\/(book|ordered-quotes)/.test(url) },
  { name: 'audit, journal, store', fits: ({ url }) => /\/adapters\/(audit|store|journal)/.test(url) },
  { name: 'log', fits: ({ url }) => /\/adapters\/log|\/log\.js$|pino|sonic-boom/.test(url) },
  {
    name: 'sockets, streams, feed',
    fits: ({ url }) => /\/server\/(ws|sse)\/|node_modules\/ws\/|\/adapters\/live\//.test(url),
  },
  {
    name: "Fastify and Node's HTTP",
    fits: ({ url }) =>
      /\/relay\/server\/|fastify|find-my-way|^node:(_http|http|net|internal\/(http|streams?|net))/.test(url),
  },
  {
    name: 'crypto',
    fits: ({ url, call }) =>
      /^node:internal\/crypto|^wasm:|libauth|noble|signing/.test(url) ||
      (url === '' && ['oneShotDigest', 'RandomBytesJob'].includes(call)),
  },
  { name: 'use cases, domain', fits: ({ url }) => /\/(relay|protocol|lib|onchain)\//.test(url) },
  { name: "Node's ticks, timers, buffers", fits: ({ url }) => url.startsWith('node:') },
  { name: 'native, the rest', fits: () => true },
]

/** The names of the parts, in the order of a table. */
export const PART_NAMES = PARTS.map(({ name }) => name)

/** What is no work of the relay: the profiler's own is neither. */
const isWork = ({ url, call }) => call !== '(idle)' && url !== 'node:inspector'

/** Shares of the time that a profile shows at work, by part. @param {{ nodes: any[], samples: number[], timeDeltas: number[] }} profile */
export function sharesOf({ nodes, samples, timeDeltas }) {
  const partOf = new Map()
  for (const { id, callFrame } of nodes) {
    const frame = { url: callFrame.url, call: callFrame.functionName }
    partOf.set(id, isWork(frame) ? PARTS.find(({ fits }) => fits(frame))?.name : null)
  }
  const spent = Object.fromEntries(PART_NAMES.map((name) => [name, 0]))
  let sum = 0
  for (const [at, id] of samples.entries()) {
    const part = partOf.get(id)
    if (part === null) continue
    spent[part] += timeDeltas[at]
    sum += timeDeltas[at]
  }
  return Object.fromEntries(PART_NAMES.map((name) => [name, spent[name] / sum]))
}
