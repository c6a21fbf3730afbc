import { RfqError } from '@rfqctl/protocol/domain/errors'

/** A call of JSON-RPC, and how it ended. */
type Call = { method: string; params: readonly unknown[] }
type Outcome = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

/** The longest answer that is passed on, in bytes: all logs of a sandbox of some days. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** How long the node may take, in milliseconds. */
const TIMEOUT_MS = 10_000

/** What nodes answer where too much is asked. @see EIP-1474 */
const LIMIT_EXCEEDED = -32_005

/**
 * Has the node at a URL make calls, as one batch, and tells how each ended, in their order. An answer beyond 4 MiB ends all of
 * them in an error. Fails with `chain_unavailable`.
 */
export function createNodeCalls(rpcUrl: string): (calls: readonly Call[]) => Promise<readonly Outcome[]> {
  return async (calls) => {
    // Their callers' ids stay here: no two of these are the same.
    const batch = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const text = await post(rpcUrl, JSON.stringify(batch)).catch((cause: unknown) => {
      throw new RfqError('chain_unavailable', { cause })
    })
    return text === null ? calls.map(tooLong) : outcomesOf(text, calls.length)
  }
}

/** The text of the answer; null where it is too long. */
async function post(url: string, body: string): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // To leave the loop cancels the rest.
    if (length > MAX_ANSWER_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const tooLong = (): Outcome => ({
  error: { code: LIMIT_EXCEEDED, message: `The answer is longer than ${MAX_ANSWER_BYTES} bytes; ask for less.` },
})

function outcomesOf(text: string, count: number): Outcome[] {
  const answers = parseList(text)
  return Array.from({ length: count }, (_, id) => {
    const { result, error } = answers.find((answer) => answer.id === id) ?? {}
    if (error !== undefined) return { error: { ...error, message: String(error.message) } }
    if (result === undefined) throw new RfqError('chain_unavailable')
    return { result }
  })
}

type Answer = { id?: unknown; result?: unknown; error?: { code: number; message: string; data?: unknown } }

function parseList(text: string): readonly Answer[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch (cause) {
    throw new RfqError('chain_unavailable', { cause })
  }
}
