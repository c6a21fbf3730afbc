import { RfqError } from '@rfqctl/protocol/domain/errors'

type Call = { method: string; params: readonly unknown[] }
type Outcome = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

/** Longest answer passed on, in bytes: all logs of a sandbox of some days. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

const TIMEOUT_MS = 10_000

/** Nodes answer this when too much is asked. @see EIP-1474 */
const LIMIT_EXCEEDED = -32_005

/**
 * Has the node at a URL make calls as one batch, and returns their outcomes in order. An answer beyond 4 MiB turns all
 * of them into errors. Fails with `chain_unavailable`.
 */
export function createNodeCalls(rpcUrl: string): (calls: readonly Call[]) => Promise<readonly Outcome[]> {
  return async (calls) => {
    // Ids of our own: the callers' may be equal.
    const batch = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const text = await post(rpcUrl, JSON.stringify(batch)).catch((cause: unknown) => {
      throw new RfqError('chain_unavailable', { cause })
    })
    return text === null ? calls.map(tooLong) : outcomesOf(text, calls.length)
  }
}

/** Null if the answer is too long. */
async function post(url: string, body: string): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the rest.
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
