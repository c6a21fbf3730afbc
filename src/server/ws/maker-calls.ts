import { RfqError } from '../../domain/errors.ts'
import type { Meter } from '../../relay/ports/operations.ts'
import type { Log } from '../../relay/ports/runtime.ts'
import type { Relay } from '../../relay/relay.ts'
import {
  type CallAnswer,
  encodeAnswers,
  encodeDone,
  encodeQuoteTaken,
  encodeRefused,
  type MakerCall,
  type MakerCalls,
} from '../../wire/maker-commands.ts'
import { statusOf, toRefusal } from '../errors.ts'
import type { TurnBudget } from '../plugins/turn-budget.ts'
import type { Shutdown } from '../shutdown.ts'

/** What makers may call over one socket. */
export type CallLine = { take: (calls: MakerCalls) => void }

/** Calls of a socket that may be under way or wait; beyond them it is not read any further. */
const MAX_UNDER_WAY = 256

type Parts = {
  relay: Pick<Relay, 'submitQuote' | 'withdrawQuote' | 'confirm' | 'decline'>
  makerId: string
  turns: Pick<TurnBudget, 'isSpent' | 'later'>
  shutdown: Pick<Shutdown, 'isClosing'>
  meter: Pick<Meter, 'answersOf'>
  log: Pick<Log, 'error'>
  send: (message: object) => void
  /** Stops reading from the socket, and goes on. */
  pause: () => void
  resume: () => void
}

/**
 * Carries out what a maker calls, in the order in which it called: quotes on different requests run beside each other, a quote
 * waits for the one before on the same request, and a withdrawal for all that came before.
 */
export function createCallLine({ relay, makerId, turns, shutdown, meter, log, send, pause, resume }: Parts): CallLine {
  const waiting: MakerCalls[] = []
  const quoting = new Map<string, Promise<unknown>>()
  let underWay = 0
  let isSpread = false
  const counters = new Map<string, ReturnType<Meter['answersOf']>>()

  function next(): void {
    while (waiting.length > 0) {
      if (turns.isSpent()) {
        isSpread = true
        turns.later(goOn)
        return
      }
      void answer(waiting.shift() as MakerCalls)
    }
  }

  /** Its turn has come: sockets that each waited for the others would wait for good. */
  function goOn(): void {
    isSpread = false
    void answer(waiting.shift() as MakerCalls)
    next()
  }

  async function answer(message: MakerCalls): Promise<void> {
    const results = await Promise.all(message.calls.map(outcomeOf))
    send(encodeAnswers(message, results))
    const wasFull = underWay >= MAX_UNDER_WAY
    underWay -= message.calls.length
    if (wasFull && underWay < MAX_UNDER_WAY) resume()
  }

  async function outcomeOf(call: MakerCall): Promise<CallAnswer> {
    const begunAt = performance.now()
    const count = (status: number) => countOf(call.kind)({ status, durationMs: performance.now() - begunAt })
    try {
      const done = await carryOut(call)
      count(200)
      return done
    } catch (fault) {
      const refusal = toRefusal(fault)
      if (refusal.code === 'internal_error') log.error('maker_call_failed', { route: call.kind, fault })
      count(statusOf(refusal))
      return encodeRefused(call.ref, refusal)
    }
  }

  async function carryOut(call: MakerCall): Promise<CallAnswer> {
    if (call.kind === 'refused') throw call.fault
    const { ref } = call
    // What a running commit waits for is taken to the end.
    const isAnswer = call.kind === 'confirm' || call.kind === 'decline'
    if (shutdown.isClosing() && !isAnswer) throw new RfqError('shutting_down')
    if (call.kind === 'quote') return encodeQuoteTaken(ref, await inOrder(call))
    const { quoteId } = call
    if (call.kind === 'withdraw') {
      await Promise.allSettled(quoting.values())
      await relay.withdrawQuote({ makerId, quoteId })
    } else if (call.kind === 'confirm') await relay.confirm({ makerId, quoteId, signature: call.signature })
    else await relay.decline({ makerId, quoteId, reason: call.reason })
    return encodeDone(ref, quoteId)
  }

  /** A later quote on the same request is the one that must stand. */
  async function inOrder({ requestId, submission }: Extract<MakerCall, { kind: 'quote' }>) {
    const submit = () => relay.submitQuote({ makerId, requestId, submission })
    const former = quoting.get(requestId)
    const quoted = former === undefined ? submit() : former.then(submit, submit)
    quoting.set(requestId, quoted)
    try {
      return await quoted
    } finally {
      if (quoting.get(requestId) === quoted) quoting.delete(requestId)
    }
  }

  function countOf(kind: MakerCall['kind']): ReturnType<Meter['answersOf']> {
    const known = counters.get(kind)
    if (known !== undefined) return known
    const count = meter.answersOf({ method: 'WS', route: kind === 'refused' ? 'none' : `/maker/v1/ws ${kind}` })
    counters.set(kind, count)
    return count
  }

  return {
    take: (message) => {
      underWay += message.calls.length
      if (underWay >= MAX_UNDER_WAY) pause()
      waiting.push(message)
      if (!isSpread) next()
    },
  }
}
