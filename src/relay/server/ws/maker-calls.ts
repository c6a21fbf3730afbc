import { RfqError } from '@rfqctl/protocol/domain/errors'
import * as wire from '@rfqctl/protocol/wire/maker-commands'
import type { Meter } from '../../core/ports/operations.ts'
import type { Log } from '../../core/ports/runtime.ts'
import type { Relay } from '../../core/relay.ts'
import { statusOf, toRefusal } from '../errors.ts'
import type { Shutdown } from '../shutdown.ts'

export type CallLine = { take: (message: wire.MakerCalls) => void }

/** Calls of a socket that may be under way, and answers that a commit waits for; further ones are refused. */
const MAX_UNDER_WAY = 256
const MAX_ANSWERS = 64

type Parts = {
  relay: Pick<Relay, 'submitQuote' | 'makeQuoteFirm' | 'withdrawQuote' | 'confirm' | 'decline'>
  makerId: string
  shutdown: Pick<Shutdown, 'isClosing'>
  meter: Pick<Meter, 'answersOf'>
  log: Pick<Log, 'error'>
  send: (message: object) => void
}

/**
 * Quotes on different requests run beside each other; a quote waits for the one before on the same request, a
 * withdrawal for all quotes before it, and all quotes after it for the withdrawal. Answers that a commit waits for do
 * not wait themselves, so that no quote delays a signature.
 */
export function createCallLine({ relay, makerId, shutdown, meter, log, send }: Parts): CallLine {
  let underWay = 0
  let answersUnderWay = 0
  /** While they run: the last quote on each request since the last withdrawal, and that withdrawal. */
  const quoting = new Map<string, Promise<unknown>>()
  let withdrawing: Promise<unknown> | null = null
  const counters = new Map<string, ReturnType<Meter['answersOf']>>()

  async function answer(message: wire.MakerCalls): Promise<void> {
    const read = wire.decodeMakerCalls(message)
    send(wire.encodeAnswers(read, await Promise.all(read.calls.map(outcomeOf))))
  }

  async function outcomeOf(call: wire.MakerCall): Promise<wire.CallAnswer> {
    const begunAt = performance.now()
    const count = (status: number) => countOf(call.kind)({ status, durationMs: performance.now() - begunAt })
    try {
      const done = await carryOut(call)
      count(200)
      return done
    } catch (fault) {
      const refusal = toRefusal(fault)
      if (refusal.code === 'internal_error') log.error('maker_call_failed', { route: call.kind, fault })
      const status = statusOf(refusal)
      count(status)
      return wire.encodeRefused(call.ref, refusal, status)
    }
  }

  async function carryOut(call: wire.MakerCall): Promise<wire.CallAnswer> {
    if (call.kind === 'refused') throw call.fault
    const { ref } = call
    const isAnswer = call.kind === 'confirm' || call.kind === 'decline'
    if (!isAnswer && shutdown.isClosing()) throw new RfqError('shutting_down')
    if (call.kind === 'quote') return wire.encodeQuoteTaken(ref, await quote(call))
    const { quoteId } = call
    if (call.kind === 'withdraw') await withdraw(quoteId)
    else if (call.kind === 'firm') await relay.makeQuoteFirm({ makerId, quoteId, signature: call.signature })
    else if (call.kind === 'confirm') await relay.confirm({ makerId, quoteId, signature: call.signature })
    else await relay.decline({ makerId, quoteId, reason: call.reason })
    return wire.encodeDone(ref, quoteId)
  }

  /** The later of two quotes on a request must win. */
  async function quote({ requestId, submission }: Extract<wire.MakerCall, { kind: 'quote' }>) {
    const submit = () => relay.submitQuote({ makerId, requestId, submission })
    const former = quoting.get(requestId) ?? withdrawing
    const quoted = former === null ? submit() : former.then(submit, submit)
    quoting.set(requestId, quoted)
    try {
      return await quoted
    } finally {
      if (quoting.get(requestId) === quoted) quoting.delete(requestId)
    }
  }

  async function withdraw(quoteId: string): Promise<void> {
    const former = Promise.allSettled([...quoting.values(), withdrawing])
    const withdrawn = former.then(() => relay.withdrawQuote({ makerId, quoteId }))
    quoting.clear()
    withdrawing = withdrawn
    try {
      await withdrawn
    } finally {
      if (withdrawing === withdrawn) withdrawing = null
    }
  }

  function countOf(kind: wire.MakerCall['kind']): ReturnType<Meter['answersOf']> {
    const known = counters.get(kind)
    if (known !== undefined) return known
    const count = meter.answersOf({ method: 'WS', route: kind === 'refused' ? 'none' : `/maker/v1/ws ${kind}` })
    counters.set(kind, count)
    return count
  }

  function refuse(message: wire.MakerCalls): void {
    const refusal = new RfqError('too_many_requests', BUSY)
    send(wire.encodeRefused(wire.refOf(message), refusal, statusOf(refusal)))
  }

  return {
    take: (message) => {
      if (wire.answersCommit(message)) {
        if (answersUnderWay >= MAX_ANSWERS) return refuse(message)
        answersUnderWay += 1
        void answer(message).finally(() => {
          answersUnderWay -= 1
        })
        return
      }
      const calls = wire.countCalls(message)
      if (underWay + calls > MAX_UNDER_WAY) return refuse(message)
      underWay += calls
      void answer(message).finally(() => {
        underWay -= calls
      })
    },
  }
}

const BUSY = { detail: `More than ${MAX_UNDER_WAY} calls of this socket are under way: wait for answers.` }
