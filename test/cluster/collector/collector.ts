import { expect } from 'vitest'
import { checkInvariants } from '../../invariants/checker.ts'
import type { Coverage, Violation } from '../../invariants/invariants.ts'
import { createMoments, type Observation, type ObservationOf, type OrderSeen } from '../../invariants/observation.ts'
import type { Maker } from '../../kit/maker.ts'
import type { Service } from '../../kit/service.ts'
import type { Node } from '../node.ts'
import {
  cancelSent,
  commitSent,
  pollAnswered,
  protectionsPut,
  quoteMadeFirm,
  quoteSent,
  requestOpened,
} from './calls.ts'
import { createConnections, type Opening } from './connections.ts'

/** Observes all that makers and takers of a cluster send and are sent, on the wire, over all its nodes. */
export type Collector = {
  /** The same node; what is done with it from now on is observed. */
  watch: (node: Node) => Node
  /** Redis was emptied, or lost something, or stood still: of what it was told before, some may be gone. */
  bookLost: () => void
  /** Asks a node for every commit again that was answered by a 200 since this was done last, and is still to be (invariant V10). */
  reread: (node: Node) => Promise<void>
  /** What is broken so far, with what was read beside the wire. */
  violations: (read?: readonly Observation[]) => Violation[]
  /** Fails when anything is. */
  check: (read?: readonly Observation[]) => void
}

/** Everything is seen, from outside. */
export const COVERAGE: Coverage = {
  lagMs: 1_000,
  unseen: { V16: 'that a quote is withdrawn is in no message; where it should not have been, another one wins' },
}

/** What a maker says by default, as the harness has it. */
const QUOTE = { price: 0.12, size: 1_000 }

/** A commit is answered again as long as its order can be filled: two minutes, less what a busy machine takes to ask. */
const ANSWERED_AGAIN_MS = 90_000

/** For how long a maker had no socket that is counted to have missed for that, in milliseconds. */
const ABSENT_MS = 30_000

const POLL = /^\/quote-requests\/([^/]+)\/quotes$/
const CANCEL = /^\/quote-requests\/([^/]+)\/cancel$/
const TAKER_STREAM = /^\/quote-requests\/([^/]+)\/stream$/
const MAKES_FIRM = /^\/v1\/mm\/quotes\/([^/]+)\/firm$/
const ENDS_A_QUOTE = /^\/v1\/mm\/quotes\/([^/]+?)(\/decline)?$/
const KEYS = '/v1/user/api-keys'
const PROTECTIONS = '/v1/mm/protections'
const MAKER_STREAM = '/v1/mm/quote-requests/stream'

/**
 * A collector that has observed nothing. `confirmationMs`: how long makers have to sign, as the nodes were set; `skipsIds`:
 * whether ids are also given to events that no node of this version passes on; `secrets`: what no node may show anywhere.
 */
export function createCollector({
  confirmationMs,
  skipsIds,
  secrets,
}: {
  confirmationMs: number
  skipsIds: boolean
  secrets: readonly { name: string; value: string }[]
}): Collector {
  const moment = createMoments(Date.now)
  const observations: Observation[] = secrets.map((secret) => ({ kind: 'secret', ...secret }))
  const observe = (observation: Observation) => void observations.push(observation)
  const connections = createConnections({ confirmationMs })
  const requests = new Map<string, string>()
  /** By quote: its order, where its maker was given it, and who that is. */
  const orders = new Map<string, { makerId: string; order: OrderSeen }>()
  /** What makers have put as their protections, by time, and on which channels those that cancel on disconnect are. */
  const protections: ObservationOf<'protections_put' | 'protections_reset'>[] = []
  const channelsOf = new Map<string, 'any' | 'all'>()
  /** Trades by firm quotes: one that is answered again is the same. */
  const executions = new Set<string | null>()
  const answers = new Map<string, { wallet: string; text: string; at: number }>()

  function watchService(service: Service, node: Opening['node']): Service {
    return {
      ...service,
      open: async (fields = {}, terms) => {
        const sentAt = Date.now()
        const created = await service.open(fields, terms)
        const { requestId, makersConnected: counted } = created
        const [least, most] = connections.makersBetween(sentAt, Date.now())
        observe(requestOpened(requestId, (fields.trade as object | undefined) ?? {}))
        // Of a package those are counted that ask for packages, which is not seen here.
        const isPackage = 'legs' in ((fields.option as object | undefined) ?? {})
        if (!isPackage) observe({ kind: 'makers_counted', requestId, counted, least, most })
        return created
      },
      commit: async (requestId, body) => {
        const { commit, note } = commitSent({ requestId, body, sent: moment() })
        observe(commit)
        const answer = await service.commit(requestId, body)
        note(answer, moment())
        const { wallet, quoteId, isFirm, answered, executionId } = commit
        const taken = isFirm && quoteId !== null ? orders.get(quoteId) : undefined
        if (taken !== undefined && quoteId !== null && answered !== null && !executions.has(executionId)) {
          executions.add(executionId)
          const signature = commit.revealed?.signature ?? ''
          observe({ kind: 'order_taken', requestId, quoteId, ...taken, signature, asked: answered, counted: answered })
        }
        if (answer.status === 200) answers.set(requestId, { wallet, text: answer.text, at: Date.now() })
        return answer
      },
      call: async (method, path, input) => {
        const asked = moment()
        const cancelled = CANCEL.exec(path)?.[1]
        const cancelling = cancelled === undefined ? null : cancelSent(cancelled, asked)
        if (cancelling !== null) observe(cancelling.cancel)
        const answer = await service.call(method, path, input)
        const answered = moment()
        cancelling?.note(answer as never, answered)
        const body = answer.body as PolledBody
        const polled = POLL.exec(path)?.[1]
        if (polled !== undefined) {
          const poll = pollAnswered(polled, answer as never, { asked, answered })
          if (poll !== null) observe(poll)
        }
        if (polled !== undefined && body.status === 'open') {
          const shown = { quoteId: body.bestQuote?.quote_id ?? null, quoteCount: body.quoteCount ?? null }
          observe({ kind: 'quote_shown', requestId: polled, by: 'poll', asked, answered, ...shown })
        }
        if (method === 'POST' && path === KEYS && answer.status === 200) {
          observe({ kind: 'secret', name: 'a key that was created', value: (answer.body as { key: string }).key })
        }
        if (path === '/settlement/prepare' && answer.status === 200) {
          const { seriesId, resolutionBps } = body
          observe({ kind: 'series_resolved', seriesId: String(seriesId), resolutionBps: Number(resolutionBps) })
        }
        return answer as never
      },
      stream: async (path, headers = {}) => {
        const begunAt = Date.now()
        const stream = await service.stream(path, headers)
        const requestId = TAKER_STREAM.exec(path)?.[1]
        if (requestId !== undefined && stream.status === 200) connections.taker(requestId, stream)
        if (path === MAKER_STREAM && stream.status === 200) connections.maker(null, stream, { headers, begunAt, node })
        return stream
      },
    }
  }

  function watchMaker(maker: Maker, node: Opening['node']): Maker {
    const { makerId } = maker
    const quote: Maker['quote'] = async (requestId, terms = {}) => {
      const { quote, note } = quoteSent({ maker, requestId, made: { ...QUOTE, ...terms }, sent: moment() })
      observe(quote)
      const answer = await maker.quote(requestId, terms)
      note(answer, moment())
      if (quote.quoteId !== null) requests.set(quote.quoteId, requestId)
      const order = answer.status === 200 ? answer.body.order : undefined
      if (order !== undefined) orders.set(answer.body.quoteId, { makerId, order: order as OrderSeen })
      return answer
    }
    return {
      ...maker,
      quote,
      quoted: async (requestId, terms) => {
        const { status, body, text } = await quote(requestId, terms)
        if (status !== 200) throw new Error(`the quote was refused: ${status} ${text}`)
        return body.quoteId
      },
      call: async (method, path, body) => {
        const sent = moment()
        const answer = await maker.call(method, path, body)
        if (answer.status === 200) noteProtections(makerId, `${method} ${path}`, body)
        const firmQuoteId = MAKES_FIRM.exec(path)?.[1] ?? ''
        const given = orders.get(firmQuoteId)
        if (given !== undefined) {
          const { signature } = body as { signature: string }
          const names = { ...given, requestId: requests.get(firmQuoteId) ?? '', quoteId: firmQuoteId }
          observe(quoteMadeFirm(names, { signature, sent, answered: moment(), status: answer.status }))
        }
        const [, quoteId = '', declines] = ENDS_A_QUOTE.exec(path) ?? []
        const requestId = requests.get(quoteId)
        if (requestId === undefined) return answer as never
        if (declines !== undefined) {
          observe({ kind: 'declined', requestId, makerId, quoteId, sent, status: answer.status })
          observe({ kind: 'order_released', requestId, quoteId, moment: sent })
        }
        if (method === 'DELETE' && answer.status === 200) {
          observe({ kind: 'quote_withdrawn', requestId, quoteId, sent })
        }
        return answer as never
      },
      connect: async () => {
        const begunAt = Date.now()
        const socket = await maker.connect()
        connections.socket(makerId, socket, { begunAt, node })
        return socket
      },
      stream: async (headers = {}) => {
        const begunAt = Date.now()
        const stream = await maker.stream(headers)
        connections.maker(makerId, stream, { headers, begunAt, node })
        return stream
      },
      confirm: async (quoteId, signature) => {
        const names = { quoteId: String(quoteId), signature: String(signature) }
        const requestId = requests.get(names.quoteId) ?? `of ${names.quoteId}`
        const confirm = { kind: 'confirm' as const, requestId, makerId, ...names, sent: moment(), status: 0 }
        observe(confirm)
        const answer = await maker.confirm(quoteId, signature)
        Object.assign(confirm, { status: answer.status, answered: moment() })
        return answer
      },
    }
  }

  function noteProtections(makerId: string, call: string, body: unknown): void {
    if (call === `POST ${PROTECTIONS}/reset`) protections.push({ kind: 'protections_reset', makerId, moment: moment() })
    if (call !== `PUT ${PROTECTIONS}`) return
    const { put, channels } = protectionsPut(makerId, body, moment())
    protections.push(put)
    channelsOf.set(makerId, channels)
  }

  /** A trip withdraws all quotes of its maker; when the next ones stand is not looked for. */
  const withdrawnByTrips = (): Observation[] =>
    connections.trips().flatMap(({ makerId, at }) =>
      observations.flatMap((quote): Observation[] => {
        if (quote.kind !== 'quote' || quote.makerId !== makerId || quote.quoteId === null) return []
        const { requestId, quoteId } = quote
        return [{ kind: 'quote_withdrawn', requestId, quoteId, sent: { ...moment(), at }, mayStand: true }]
      }),
    )

  /** Makers that had no socket for long before they are counted to have missed: no one can have told them. */
  function longGone(one: Observation): Observation[] {
    if (one.kind !== 'record_read') return []
    return one.outcomes.flatMap(({ at, requestId, quoteId, outcome }): Observation[] =>
      outcome !== 'missed' || at === undefined || connections.hadSocket(one.makerId, at - ABSENT_MS, at)
        ? []
        : [{ kind: 'passed_over', requestId, quoteId, isLongGone: true }],
    )
  }

  const violations: Collector['violations'] = (read = []) => {
    const heard = connections.observations(moment())
    const absences = [...channelsOf].flatMap(([makerId, channels]) => connections.absences(makerId, channels))
    const suspensions = read.filter(({ kind }) => kind === 'maker_suspended')
    const told = inTime([...protections, ...absences, ...suspensions, ...heard])
    const others = [...read.filter(({ kind }) => kind !== 'maker_suspended'), ...read.flatMap(longGone)]
    const all = [...observations, ...told, ...withdrawnByTrips(), ...others]
    return checkInvariants({ coverage: COVERAGE, skipsIds, observations: all })
  }

  return {
    watch: (node) => {
      const place = { isSafe: true }
      return {
        ...node,
        process: {
          ...node.process,
          signal: (name) => {
            place.isSafe = false
            node.process.signal(name)
          },
        },
        service: watchService(node.service, place),
        maker: (name) => watchMaker(node.maker(name), place),
        accountHeaders: async () => {
          const headers = await node.accountHeaders()
          observe({ kind: 'secret', name: 'an access token', value: headers.authorization.slice('Bearer '.length) })
          return headers
        },
      }
    },
    bookLost: () => {
      observe({ kind: 'book_lost', moment: moment() })
      connections.lost()
    },
    reread: async (node) => {
      for (const [requestId, { wallet, text, at }] of [...answers]) {
        answers.delete(requestId)
        if (Date.now() > at + ANSWERED_AGAIN_MS) continue
        const { text: kept } = await node.service.commit(requestId, { wallet })
        // The question itself is observed as a commit, whose answer is as old as the first one.
        answers.delete(requestId)
        observe({ kind: 'promise_reread', what: `the commit of ${requestId}`, promised: text, kept })
      }
    },
    violations,
    check: (read) => expect(violations(read)).toEqual([]),
  }
}

/** Puts what V11 and V12 are about in the order of time, so that each order meets what holds at its moment; all else stays. */
function inTime(observations: readonly Observation[]): Observation[] {
  const timeOf = (one: Observation): number | null => {
    if (one.kind === 'order_sent') return one.asked.at
    const isAbout = ['protections_put', 'protections_reset', 'maker_gone', 'maker_back', 'maker_suspended'].includes(
      one.kind,
    )
    return isAbout && 'moment' in one ? one.moment.at : null
  }
  const timed = observations.flatMap((one) => {
    const at = timeOf(one)
    return at === null ? [] : [{ one, at }]
  })
  return [
    ...timed.sort((a, b) => a.at - b.at).map(({ one }) => one),
    ...observations.filter((one) => timeOf(one) === null),
  ]
}

/** What a polled request says of its quotes, and a prepared settlement of its series. */
type PolledBody = {
  bestQuote?: { quote_id: string } | null
  quoteCount?: number
  status?: string
  seriesId?: string
  resolutionBps?: number
}
