import type { Static } from 'typebox'
import * as Type from 'typebox'
import { RfqError } from '../domain/errors.ts'
import * as field from './field.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, successOf, Text, textOf } from './schemas.ts'

/**
 * The methods that a page may call at the sandbox's own node: those with which a wallet reads, prices a transaction and
 * sends one that it has signed. None mines, moves time, makes money or uses a key of the node.
 */
export const SANDBOX_METHODS = [
  'eth_call',
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBalance',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_feeHistory',
  'eth_getLogs',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_sendRawTransaction',
  'net_version',
] as const

export const MAX_BATCH = 20

/** A year with its leap day: the longest that chain time moves at once, seconds. */
const MAX_WARP_S = 31_622_400

const MAX_METHOD_LENGTH = 64
const MAX_ID_LENGTH = 64
const MAX_PARAMS = 8

const RpcId = Type.Union([Type.Integer({ must: 'an integer' }), textOf(MAX_ID_LENGTH)], {
  must: `an integer, or a string of at most ${MAX_ID_LENGTH} characters`,
})

export const RpcCallFields = Type.Object({
  jsonrpc: field.jsonrpc,
  id: described(RpcId, "The caller's own name for the call; its answer has the same.", 1),
  method: described(textOf(MAX_METHOD_LENGTH), 'What to ask of the node.', 'eth_blockNumber'),
  params: Type.Optional(
    described(
      Type.Array(Type.Unknown(), { maxItems: MAX_PARAMS, must: `a list of at most ${MAX_PARAMS}` }),
      'The parameters of the method; absent: none.',
      [],
    ),
  ),
})

export const RpcBody = Type.Union([RpcCallFields, Type.Array(RpcCallFields, { minItems: 1, maxItems: MAX_BATCH })], {
  must: `a call of JSON-RPC 2.0, or a list of 1 to ${MAX_BATCH} calls`,
})

export const RpcFault = Type.Object({
  code: described(Type.Integer({ must: 'an integer' }), 'The code of JSON-RPC.', -32_601),
  message: described(Text, 'What went wrong, as the node says it.', 'execution reverted'),
  data: Type.Optional(described(Type.Unknown(), 'Further details, for instance what a contract reverted with.', '0x')),
})

/** The answer to a call: `result`, or `error`. */
export const RpcAnswerFields = Type.Object({
  jsonrpc: described(Type.Literal('2.0'), field.jsonrpc),
  id: described(RpcId, "The caller's own name for the call.", 1),
  result: Type.Optional(described(Type.Unknown(), 'What the node answered; absent where the call failed.', '0x4b4')),
  error: Type.Optional(RpcFault),
})

/** The answers to a call or a batch, in its order. */
export const RpcAnswer = Type.Union([RpcAnswerFields, Type.Array(RpcAnswerFields)])

export const WarpBody = Type.Object({
  seconds: described(
    Type.Integer({ minimum: 1, maximum: MAX_WARP_S, must: `an integer 1..${MAX_WARP_S}, in seconds` }),
    'How far time moves, in seconds.',
    3_600,
  ),
})

export const WarpAnswer = successOf({ chainTime: field.chainTime })

/** A call of JSON-RPC, without the name that its caller has for it. */
export type RpcCall = { method: string; params: readonly unknown[] }

/** The end of a call: a result, or an error of JSON-RPC. */
export type RpcOutcome = { result: unknown } | { error: Static<typeof RpcFault> }

/** Calls of one body; their ids, and whether they came as a batch, are in what makes the answer. */
export type RpcRequest = {
  calls: readonly RpcCall[]
  /** The answer, of the outcomes in the order of the calls. */
  answer: (outcomes: readonly RpcOutcome[]) => Static<typeof RpcAnswer>
}

const readCall = createReader(RpcCallFields, 'a call')
const readWarp = createBodyReader(WarpBody)
const isKnown = (method: string): boolean => (SANDBOX_METHODS as readonly string[]).includes(method)

export const isSandboxCall = ({ method }: RpcCall): boolean => isKnown(method)

export const notOffered = ({ method }: RpcCall): RpcOutcome => ({
  error: { code: METHOD_NOT_FOUND, message: `The sandbox does not offer ${JSON.stringify(method)} to pages.` },
})

/** JSON-RPC 2.0, section 5.1. */
const METHOD_NOT_FOUND = -32_601

export function decodeRpc(body: unknown): RpcRequest {
  const isBatch = Array.isArray(body)
  const sent: readonly unknown[] = isBatch ? body : [body]
  if (sent.length === 0 || sent.length > MAX_BATCH)
    throw new RfqError('invalid_request', { detail: `A batch has 1 to ${MAX_BATCH} calls, this one ${sent.length}.` })
  const calls = sent.map(readCall)
  return {
    calls: calls.map(({ method, params = [] }) => ({ method, params })),
    answer: (outcomes) => {
      const answers = calls.map(({ id }, index) => ({
        jsonrpc: '2.0' as const,
        id,
        ...(outcomes[index] as RpcOutcome),
      }))
      return isBatch ? answers : (answers[0] as (typeof answers)[number])
    },
  }
}

export const decodeWarp = (body: unknown): number => readWarp(body).seconds

/** The time of the chain now, Unix seconds. */
export const encodeWarped = (chainTime: number): Static<typeof WarpAnswer> => ({ success: true, chainTime })
