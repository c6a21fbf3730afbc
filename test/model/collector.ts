import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { CommitTerms } from '../../src/protocol/domain/commit.ts'
import { RfqError } from '../../src/protocol/domain/errors.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import type { RequestStatus } from '../../src/protocol/domain/request.ts'
import type { FirmQuote } from '../../src/relay/core/create-acceptance.ts'
import type { BookTop } from '../../src/relay/core/ports/book.ts'
import type { MakerEvent, MakerMessage } from '../../src/relay/core/ports/live.ts'
import type { Acceptance, Execution } from '../../src/relay/core/ports/store.ts'
import type { Commitment } from '../../src/relay/core/relay.ts'
import { checkInvariants } from '../invariants/checker.ts'
import type { Coverage, Violation } from '../invariants/invariants.ts'
import {
  type CancelSeen,
  createMoments,
  type Moment,
  type Observation,
  type OrderSeen,
  type SideSeen,
} from '../invariants/observation.ts'
import { DEMOTION, RELAY_SETTINGS } from '../support/test-relay.ts'
import { signerOf } from './makers.ts'

/** Everything is seen, in the moment in which it takes effect. */
export const COVERAGE: Coverage = { lagMs: 0, unseen: {} }

type Named = { requestId: string; makerId: string }

/** Collects what takes effect at the ports of a relay, in that order; times are those of its clock. */
export type Collector = {
  observations: readonly Observation[]
  moment: () => Moment
  observe: (observation: Observation) => void
  /** A quote was stored; `countsFrom`: when the relay took it, in Unix milliseconds. */
  quoted: (quote: Quote, countsFrom: number) => void
  commit: (
    requestId: string,
    terms: CommitTerms,
  ) => { answered: (commitment: Commitment) => void; refused: (refusal: unknown) => void }
  /** A taker cancels; the answer is null or why it was refused. */
  cancel: (requestId: string) => { answered: (refusal: unknown) => void }
  /** A taker polls; the answer is how the request is, or why it was refused. */
  poll: (requestId: string) => { answered: (status: RequestStatus) => void; refused: (refusal: unknown) => void }
  told: (makerId: string, message: MakerMessage) => void
  /** The store has taken an acceptance. */
  accepted: (acceptance: Acceptance) => void
  /** A quote was made firm. */
  madeFirm: (quote: FirmQuote, signature: string) => void
  /** A firm quote was taken; `asked`: when the relay looked last whether it may, `read`: when the quote was read last. */
  taken: (execution: Execution, looks: { asked: Moment; read: Moment }) => void
  /** An event of a stream of makers, by its name. */
  fed: (stream: string, event: MakerEvent) => void
  /** What a taker is shown on a stream. */
  streamed: (stream: string, requestId: string, top: Pick<BookTop, 'status'>) => void
  /** What a taker would be shown now; `quoteCount` null: quotes whose time is over may still be counted. */
  shown: (requestId: string, quoteId: string | null, quoteCount: number | null, side?: SideSeen) => void
  /** An entry of the audit log; `goneMs`: for how long its maker has had no socket, in milliseconds. */
  audited: (entry: AuditEntry, maker?: { goneMs: number }) => void
  /** A maker has missed a deadline of a request, or `misses` so far. */
  missed: (named: Named, misses?: number) => void
  /** A maker has missed a deadline in any request, or has signed. */
  signedOrMissed: (makerId: string, what: 'signed' | 'missed') => void
  /** The process was killed: quotes and demotions are gone, and of misses what was stored is left. */
  killed: (stored: readonly (Named & { misses: number })[]) => void
  /** What is broken; with what was read when all was over. */
  violations: (read?: readonly Observation[]) => Violation[]
}

/** A collector that has observed nothing; `counted`: signatures of other keys that the chain has counted as their makers'. */
export function createCollector(now: () => number, counted: ReadonlySet<string> = new Set()): Collector {
  const observations: Observation[] = []
  const moment = createMoments(now)
  const observe = (observation: Observation) => void observations.push(observation)
  const misses = new Map<string, Named & { misses: number }>()
  const streaks = new Map<string, number>()
  const countedAt = new Map<string, Moment>()

  function missed(named: Named, count?: number): void {
    const key = `${named.requestId} ${named.makerId}`
    const total = count ?? (misses.get(key)?.misses ?? 0) + 1
    misses.set(key, { ...named, misses: total })
    observe({
      kind: 'deadlines_missed',
      requestId: named.requestId,
      makerId: named.makerId,
      misses: total,
      moment: moment(),
    })
  }

  return {
    observations,
    moment,
    observe,
    missed,
    quoted: ({ requestId, makerId, maker, price, otherPrice, size, expiresAt, quoteId }, countsFrom) => {
      const sent = moment()
      const both = otherPrice === undefined ? {} : { otherPrice }
      const terms = { wallet: maker, price, ...both, size, livesMs: expiresAt - sent.at, countsFrom }
      observe({ kind: 'quote', requestId, makerId, quoteId, ...terms, sent, answered: sent, isRefused: false })
    },
    commit: (requestId, { wallet, side, limitPrice }) => {
      const commit: Observation & { kind: 'commit' } = {
        kind: 'commit',
        requestId,
        wallet,
        ...(side === undefined ? {} : { side }),
        limitPrice,
        sent: moment(),
        answered: null,
        status: 0,
        executionId: null,
        quoteId: null,
        revealed: null,
      }
      observe(commit)
      return {
        refused: (refusal) => void Object.assign(commit, { answered: moment(), status: 409, ...codeOf(refusal) }),
        answered: (commitment) => {
          Object.assign(commit, { answered: moment(), status: 200 })
          const { acceptance, signature, executionId, executedAt } = commitment.execution
          const revealed = { order: orderOf(acceptance), domain: DOMAIN, signature, at: executedAt }
          const isFirm = acceptance.quote?.isFirm === true
          Object.assign(commit, { executionId, quoteId: acceptance.quoteId, revealed, isFirm })
        },
      }
    },
    cancel: (requestId) => {
      const cancel: CancelSeen = { kind: 'cancel', requestId, sent: moment(), answered: null, status: 0 }
      observe(cancel)
      return {
        answered: (refusal) =>
          void Object.assign(cancel, { answered: moment(), status: refusal === null ? 200 : 409, ...codeOf(refusal) }),
      }
    },
    poll: (requestId) => {
      const asked = moment()
      const answered = (status: RequestStatus) =>
        observe({ kind: 'polled', requestId, asked, answered: moment(), status })
      return {
        answered,
        refused: (refusal) => {
          if (refusal instanceof RfqError && refusal.code === 'request_expired') answered('expired')
        },
      }
    },
    madeFirm: ({ requestId, makerId, quoteId, order }, signature) => {
      const sent = moment()
      const names = { requestId, makerId, quoteId, order: orderOf({ order }), signature }
      observe({ kind: 'quote_sealed', ...names, sent, answered: sent, status: 200 })
    },
    taken: ({ acceptance, signature }, looks) => {
      const { requestId, makerId, quoteId } = acceptance
      const names = { requestId, makerId, quoteId, order: orderOf(acceptance), signature }
      observe({ kind: 'order_taken', ...names, ...looks, counted: moment(), isProven: acceptance.proven === true })
    },
    accepted: ({ acceptanceId }) => void countedAt.set(acceptanceId, moment()),
    told: (makerId, message) => {
      if (message.kind === 'accepted') {
        const { acceptance } = message
        const { requestId, quoteId, deadline } = acceptance
        const order = orderOf(acceptance)
        const counted = countedAt.get(acceptance.acceptanceId) as Moment
        const isProven = acceptance.proven === true
        const names = { requestId, makerId, quoteId, order, deadline, isProven }
        return observe({ kind: 'order_sent', ...names, asked: moment(), counted })
      }
      if (message.kind === 'protection_tripped' || message.kind === 'suspended' || message.kind === 'reinstated') return
      if (message.kind === 'missed' || message.kind === 'order_defunded') return
      if (message.kind === 'order_ended') {
        const { requestId, quoteId, end } = message
        const transactionHash = end.state === 'expired' ? null : end.transactionHash
        const names = { requestId, makerId, quoteId, socket: busOf(makerId) }
        return observe({ kind: 'order_ended', ...names, state: end.state, transactionHash, moment: moment() })
      }
      const { requestId, quoteId, kind: outcome } = message
      observe({ kind: 'quote_ended', requestId, makerId, socket: busOf(makerId), quoteId, outcome })
    },
    fed: (stream, { id, kind: event, ...about }) => {
      const requestId = 'request' in about ? about.request.requestId : about.requestId
      observe({ kind: 'maker_event', stream, event, id, requestId, moment: moment() })
    },
    streamed: (stream, requestId, { status }) => {
      const event = status === 'open' ? 'best_quote' : 'closed'
      observe({ kind: 'taker_event', stream, event, requestId, moment: moment() })
    },
    shown: (requestId, quoteId, quoteCount, side) => {
      const now = moment()
      const on = side === undefined ? {} : { side }
      observe({ kind: 'quote_shown', requestId, by: 'poll', asked: now, answered: now, ...on, quoteId, quoteCount })
    },
    audited: (entry, { goneMs } = { goneMs: 0 }) => {
      if (entry.kind !== 'passed_over') return
      const { requestId, quoteId } = entry
      const isLongGone = entry.code === 'maker_unreachable' && goneMs > RELAY_SETTINGS.makerAbsentMs
      observe({ kind: 'passed_over', requestId, quoteId, isLongGone })
      // A maker that could not be reached has missed (decision C5).
      if (entry.code === 'maker_unreachable') missed(entry)
    },
    signedOrMissed: (makerId, what) => {
      const streak = what === 'signed' ? 0 : (streaks.get(makerId) ?? 0) + 1
      streaks.set(makerId, streak)
      observe({ kind: 'maker_demoted', makerId, isDemoted: streak >= DEMOTION.misses, moment: moment() })
    },
    killed: (stored) => {
      observe({ kind: 'book_lost', moment: moment() })
      // A single process forgets who was demoted.
      for (const makerId of streaks.keys())
        observe({ kind: 'maker_demoted', makerId, isDemoted: false, moment: moment() })
      streaks.clear()
      for (const named of [...misses.values()]) missed(named, 0)
      for (const named of stored) missed(named, named.misses)
    },
    violations: (read = []) =>
      checkInvariants({
        coverage: COVERAGE,
        isComplete: true,
        recover: ({ order, signature }) =>
          counted.has(signature) ? order.maker : signerOf(signature as `0x${string}`),
        observations: [...observations, ...read],
      }),
  }
}

const codeOf = (refusal: unknown): { code?: string } => (refusal instanceof RfqError ? { code: refusal.code } : {})

/** Messages to a maker on their way to its sockets: none may be left out, whoever is connected. */
export const busOf = (makerId: string): string => `the bus to ${makerId}`

const orderOf = ({ order }: Pick<Acceptance, 'order'>): OrderSeen => ({
  ...order,
  optionAmount: String(order.optionAmount),
  premiumAmount: String(order.premiumAmount),
})

/** Signatures of the model name their signer, whatever they are over. */
const DOMAIN = { name: '', version: '', chainId: 0, verifyingContract: '' }
