import { createConnection } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Hex } from '@rfqctl/protocol/domain/units'
import {
  decodeSignerAnswer,
  encodeSignerQuestion,
  type SignerAnswer,
  type SignerQuestion,
} from '@rfqctl/protocol/wire/signing'
import type { ResolutionSigner } from '../../core/ports/chain.ts'
import { createLimiter, type Limits } from '../chain/limiter.ts'
import { readLine } from './line.ts'

/** Milliseconds: the signer reads the chain for an answer. */
const ANSWER_MS = 15_000

/** Concurrent questions of one relay, few enough for four relays on one signer, and those that wait. */
const LIMITS: Limits = { atWork: 16, waiting: 1_024, waitMs: ANSWER_MS }

/** Asks the signer at a Unix socket, within 15 s. Rejects when nothing answers, or what answers is no signer. */
export type AskSigner = (question: SignerQuestion) => Promise<SignerAnswer>

/** Questions wait for their turn, so that many at once do not exceed the signer's limit. */
export function createAskSigner(path: string): AskSigner {
  const inTurn = createLimiter(LIMITS)
  return (question) => inTurn(() => ask(path, question))
}

/**
 * The signer behind a Unix socket. First asks for its address, and fails with `signer_unavailable` when nothing answers
 * there, or another key answers later.
 */
export async function connectSigner(path: string): Promise<ResolutionSigner> {
  const askSigner = createAskSigner(path)
  const askOrFail: AskSigner = (question) =>
    askSigner(question).catch((cause: unknown) => {
      throw unavailable(undefined, cause)
    })
  const { address } = await askOrFail({ ask: 'address' })

  async function signatureFor(question: SignerQuestion): Promise<Hex> {
    const answer = await askOrFail(question)
    if (answer.refusal !== null) throw new RfqError(answer.refusal.code, { detail: answer.refusal.detail })
    if (answer.address !== address) {
      throw unavailable(`The signer was ${address} when this relay started, and is ${answer.address} now.`)
    }
    if (answer.signature === null) throw unavailable('The signer gave no signature.')
    return answer.signature
  }

  return {
    address,
    sign: (request) => signatureFor({ ask: 'sign', ...request }),
    probe: (domain) => signatureFor({ ask: 'probe', domain }),
  }
}

async function ask(path: string, question: SignerQuestion): Promise<SignerAnswer> {
  const socket = createConnection(path)
  try {
    const line = readLine(socket, ANSWER_MS)
    socket.write(`${encodeSignerQuestion(question)}\n`)
    return decodeSignerAnswer(await line)
  } finally {
    socket.destroy()
  }
}

const unavailable = (detail?: string, cause?: unknown): RfqError =>
  new RfqError('signer_unavailable', { ...(detail === undefined ? {} : { detail }), cause })
