import { RfqError } from '@rfqctl/protocol/domain/errors'
import * as wire from '@rfqctl/protocol/wire/maker-commands'
import { allMaybe, catchMaybe, type MaybePromise, thenMaybe } from '../core/ports/maybe-promise.ts'
import type { Meter } from '../core/ports/operations.ts'
import type { Log } from '../core/ports/runtime.ts'
import type { Relay } from '../core/relay.ts'
import { statusOf, toRefusal } from './errors.ts'
import type { Shutdown } from './shutdown.ts'

/** Carries out a call of one maker; the answer may be its refusal. */
type CarryOut = (call: wire.MakerCall) => MaybePromise<wire.CallAnswer>

/** Calls of one socket, or of one maker in lists over HTTP, that may be under way; further ones are refused. */
export const MAX_UNDER_WAY = 256

export type CallParts = {
  relay: Pick<Relay, 'submitQuote' | 'makeQuoteFirm' | 'withdrawQuote' | 'confirm' | 'decline' | 'setLevels'>
  makerId: string
  shutdown: Pick<Shutdown, 'isClosing'>
  countOf: CountOf
  log: Pick<Log, 'error'>
}

/** Counts the answers to calls of a kind. */
export type CountOf = (kind: wire.MakerCall['kind']) => ReturnType<Meter['answersOf']>

/** Counters of what comes by one way, such as a method `WS` on the path of the socket. */
export function createCallCounters(
  context: { operations: { meter: Pick<Meter, 'answersOf'> } },
  { method, path }: { method: string; path: string },
): CountOf {
  const counters = new Map<string, ReturnType<CountOf>>()
  return (kind) => {
    const known = counters.get(kind)
    if (known !== undefined) return known
    const count = context.operations.meter.answersOf({ method, route: kind === 'refused' ? 'none' : `${path} ${kind}` })
    counters.set(kind, count)
    return count
  }
}

/**
 * Quotes on different requests run beside each other; a quote waits for the one before on the same request, a
 * withdrawal for all quotes before it, and all quotes after it for the withdrawal. Answers that a commit waits for do
 * not wait themselves, so that no quote delays a signature.
 */
export function createCalls({ relay, makerId, shutdown, countOf, log }: CallParts): CarryOut {
  /** While they run: the last quote on each request since the last withdrawal, and that withdrawal. */
  const quoting = new Map<string, Promise<unknown>>()
  let withdrawing: Promise<unknown> | null = null

  function outcomeOf(call: wire.MakerCall): MaybePromise<wire.CallAnswer> {
    const begunAt = performance.now()
    const count = (status: number) => countOf(call.kind)({ status, durationMs: performance.now() - begunAt })
    const counted = (done: wire.CallAnswer) => {
      count(200)
      return done
    }
    return catchMaybe(
      () => thenMaybe(carryOut(call), counted),
      (fault) => {
        const refusal = toRefusal(fault)
        if (refusal.code === 'internal_error') log.error('maker_call_failed', { route: call.kind, fault })
        const status = statusOf(refusal)
        count(status)
        return wire.encodeRefused(call.ref, refusal, status)
      },
    )
  }

  function carryOut(call: wire.MakerCall): MaybePromise<wire.CallAnswer> {
    if (call.kind === 'refused') throw call.fault
    const isAnswer = call.kind === 'confirm' || call.kind === 'decline'
    if (!isAnswer && shutdown.isClosing()) throw new RfqError('shutting_down')
    if (call.kind === 'quote') return thenMaybe(quote(call), (taken) => wire.encodeQuoteTaken(call.ref, taken))
    if (call.kind === 'levels') {
      const { ref, levels } = call
      return thenMaybe(relay.setLevels({ makerId, levels }), (kept) => wire.encodeLevelsTaken(ref, kept))
    }
    return carryOutOn(call)
  }

  async function carryOutOn(
    call: Exclude<wire.MakerCall, { kind: 'refused' | 'quote' | 'levels' }>,
  ): Promise<wire.CallAnswer> {
    const { ref, quoteId } = call
    if (call.kind === 'withdraw') await withdraw(quoteId)
    else if (call.kind === 'firm') await relay.makeQuoteFirm({ makerId, quoteId, ...call.signatures })
    else if (call.kind === 'confirm') await relay.confirm({ makerId, quoteId, signature: call.signature })
    else await relay.decline({ makerId, quoteId, reason: call.reason })
    return wire.encodeDone(ref, quoteId)
  }

  /** The later of two quotes on a request must win. */
  function quote({ requestId, submission }: Extract<wire.MakerCall, { kind: 'quote' }>) {
    const submit = () => relay.submitQuote({ makerId, requestId, submission })
    const former = quoting.get(requestId) ?? withdrawing
    const quoted = former === null ? submit() : former.then(submit, submit)
    if (!(quoted instanceof Promise)) return quoted
    quoting.set(requestId, quoted)
    return quoted.finally(() => {
      if (quoting.get(requestId) === quoted) quoting.delete(requestId)
    })
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

  return outcomeOf
}

/** The answers to a list of calls, in its order. Throws `too_many_requests`. */
export function createListedCalls(parts: Omit<CallParts, 'makerId'>) {
  const underWay = new Map<string, number>()

  function count(makerId: string, change: number): void {
    const calls = (underWay.get(makerId) ?? 0) + change
    if (calls === 0) underWay.delete(makerId)
    else underWay.set(makerId, calls)
  }

  return async (makerId: string, calls: readonly wire.MakerCall[]): Promise<readonly wire.CallAnswer[]> => {
    if ((underWay.get(makerId) ?? 0) + calls.length > MAX_UNDER_WAY) throw new RfqError('too_many_requests', BUSY)
    count(makerId, calls.length)
    try {
      return await allMaybe(calls.map(createCalls({ ...parts, makerId })))
    } finally {
      count(makerId, -calls.length)
    }
  }
}

const BUSY = {
  detail: `More than ${MAX_UNDER_WAY} quotes in lists of this maker are under way: wait for answers.`,
  data: { retryAfterS: 1 },
}
