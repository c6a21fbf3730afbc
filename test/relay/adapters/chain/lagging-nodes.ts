import { custom, type Transport, toHex } from 'viem'
import type { FakeNode, Request } from './fake-node.ts'

/** Answers as a node does that has not seen the last blocks of the chain: it does not say so. */
function answerLate(node: FakeNode, { method, params }: Request, lag: number): Promise<unknown> {
  const head = node.head() - lag
  if (method === 'eth_getBlockByNumber') {
    const [tag] = params as [string]
    const unfinal = node.unfinal ?? 0
    if (tag === 'latest') return node.answer({ method, params: [toHex(head)] })
    if (tag === 'finalized')
      return node.answer({ method, params: [toHex(Math.max(0, Math.min(head, node.head() - unfinal)))] })
    return Number(tag) > head ? Promise.resolve(null) : node.answer({ method, params })
  }
  if (method === 'eth_getLogs') {
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    if (Number(filter.fromBlock) > head) return Promise.resolve([])
    return node.answer({ method, params: [{ ...filter, toBlock: toHex(Math.min(Number(filter.toBlock), head)) }] })
  }
  return node.answer({ method, params })
}

/** Several nodes behind one address: `lagOf` says how far the one lags that gets a batch, or a call, by its methods. */
export function nodesBehind(node: FakeNode, lagOf: (methods: readonly string[]) => number): Transport {
  type Call = { request: Request; resolve: (answer: unknown) => void; reject: (fault: unknown) => void }
  let batch: Call[] = []
  function send(): void {
    const calls = batch
    batch = []
    const lag = lagOf(calls.map(({ request }) => nameOf(request)))
    for (const { request, resolve, reject } of calls) answerLate(node, request, lag).then(resolve, reject)
  }
  const request = (call: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (batch.length === 0) setImmediate(send)
      batch.push({ request: call as Request, resolve, reject })
    })
  return custom({ request }, { retryCount: 0 })
}

const nameOf = ({ method, params }: Request): string =>
  method === 'eth_getBlockByNumber' ? `block ${params[0]}` : method
