import type fc from 'fast-check'
import type { Book } from '../../src/relay/core/ports/book.ts'
import type { Bus, BusMessages, Presence } from '../../src/relay/core/ports/live.ts'
import type { Ports } from '../../src/relay/core/ports/ports.ts'
import type { Clock } from '../../src/relay/core/ports/runtime.ts'
import type { Acceptance, Audit, Store } from '../../src/relay/core/ports/store.ts'
import type { Collector } from './collector.ts'
import { signerOf } from './makers.ts'
import { overdraftsBy } from './overdrafts.ts'
import type { Trace } from './trace.ts'

/** What a run is recorded in: what can be observed, and what happens inside. */
export type Recorders = { collector: Collector; trace: Trace }

/** How calls are held back, and whether the process that makes them still lives. */
export type Process = { scheduler: fc.Scheduler; isAlive: () => boolean }

/**
 * Every call of a port waits its turn before it takes effect, and its answer waits again on the way back. A call of a process
 * that was killed does not take effect any more, and an answer to it is heard by nobody.
 */
export function heldBack<Port extends object>(port: Port, { scheduler, isAlive }: Process, name: string): Port {
  const turn = async (what: string): Promise<void> => {
    await scheduler.schedule(Promise.resolve(), what)
    if (!isAlive()) await new Promise(() => {})
  }
  return new Proxy(port, {
    get: (target, key, receiver) => {
      const member: unknown = Reflect.get(target, key, receiver)
      if (!isAsync(member, key)) return member
      return async (...args: unknown[]) => {
        await turn(`${name}.${String(key)}`)
        const answer = await member(...args)
        await turn(`${name}.${String(key)} answered`)
        return answer
      }
    },
  })
}

/** What answers at once in every adapter. */
const SYNCHRONOUS: readonly (string | symbol)[] = ['known', 'countKnown', 'watch', 'listen', 'recordUse', 'onEnd']

const isAsync = (member: unknown, key: string | symbol): member is (...args: unknown[]) => Promise<unknown> =>
  typeof member === 'function' && !SYNCHRONOUS.includes(key)

/** A store whose answers on requests, acceptances, executions, keys and resolutions are held back. */
export const heldBackStore = (store: Store, process: Process): Store => ({
  ...store,
  requests: heldBack(store.requests, process, 'requests'),
  acceptances: heldBack(store.acceptances, process, 'acceptances'),
  executions: heldBack(store.executions, process, 'executions'),
  apiKeys: heldBack(store.apiKeys, process, 'apiKeys'),
  resolutions: heldBack(store.resolutions, process, 'resolutions'),
  protections: heldBack(store.protections, process, 'protections'),
  makerRecords: heldBack(store.makerRecords, process, 'makerRecords'),
})

/** The same store, of which it is recorded when a relay decides to take a firm quote: what it looked at before is of then. */
export const recordLooks = (store: Store, { collector, trace }: Recorders): Store => ({
  ...store,
  acceptances: {
    ...store.acceptances,
    insertSigned: (acceptance, ...args) => {
      trace.looks.set(acceptance.acceptanceId, collector.moment())
      return store.acceptances.insertSigned(acceptance, ...args)
    },
  },
})

/** A store of which it is recorded how acceptances begin and end. */
export function recordStore(
  store: Store,
  { collector, trace }: Recorders,
  { clock, chain }: Pick<Ports, 'clock' | 'chain'>,
): Store {
  /** What a wallet has signed, with what is asked of it beside that, must be within what it has, of money and of options. */
  async function noteOverdraft(promised: Acceptance, asked: readonly Acceptance[]): Promise<void> {
    const { maker, seriesId } = promised.order
    const outstanding = [...trace.signed, ...asked].filter(
      ({ order }) => order.maker === maker && order.validUntil * 1_000 > clock.now(),
    )
    const { balance } = await chain.funds(maker, 'core', 'latest')
    const { long } = await chain.inventory(maker, seriesId, 'latest')
    trace.overdrawn.push(...overdraftsBy(promised, outstanding, { balance, long }))
  }

  /** Its maker is not asked any more: it has declined or missed, or the relay took its question back. */
  function release(acceptanceId: string): void {
    const acceptance = trace.active.get(acceptanceId)
    trace.active.delete(acceptanceId)
    if (acceptance === undefined) return
    const { requestId, quoteId } = acceptance
    collector.observe({ kind: 'order_released', requestId, quoteId, moment: collector.moment() })
  }

  return {
    ...store,
    protections: {
      ...store.protections,
      put: async (makerId, protections) => {
        const state = await store.protections.put(makerId, protections)
        const { windows, cancelOnDisconnect } = protections
        const graceMs = cancelOnDisconnect?.graceMs ?? null
        trace.channels.set(makerId, cancelOnDisconnect?.channels ?? 'all')
        trace.noteGone(makerId)
        collector.observe({ kind: 'protections_put', makerId, windows, graceMs, moment: collector.moment() })
        return state
      },
      trip: async (...args) => {
        const isTripped = await store.protections.trip(...args)
        if (isTripped) trace.protected += 1
        return isTripped
      },
      reset: async (makerId) => {
        const state = await store.protections.reset(makerId)
        collector.observe({ kind: 'protections_reset', makerId, moment: collector.moment() })
        return state
      },
    },
    makerRecords: {
      ...store.makerRecords,
      note: async (makerId, outcome, rule) => {
        const suspension = await store.makerRecords.note(makerId, outcome, rule)
        trace.outcomes.push(outcome.kind)
        if (suspension === null) return null
        const { until } = suspension
        trace.suspended += 1
        collector.observe({ kind: 'maker_suspended', makerId, until, moment: collector.moment() })
        return suspension
      },
      reinstate: async (makerId) => {
        const isEnded = await store.makerRecords.reinstate(makerId)
        if (isEnded) collector.observe({ kind: 'maker_reinstated', makerId, moment: collector.moment() })
        return isEnded
      },
    },
    acceptances: {
      ...store.acceptances,
      insert: async (...args) => {
        const [acceptance] = args
        const inserted = await store.acceptances.insert(...args)
        if (inserted === 'changed') trace.protected += 1
        if (inserted !== true) return inserted
        collector.accepted(acceptance)
        const rivals = [...trace.active.values()].filter(({ requestId }) => requestId === acceptance.requestId)
        if (rivals.length > 0) trace.overlaps.push(acceptance.requestId)
        trace.active.set(acceptance.acceptanceId, acceptance)
        const waiting = [...trace.active.values()].filter((other) => !trace.signed.includes(other))
        await noteOverdraft(
          acceptance,
          waiting.filter(({ makerId }) => makerId === acceptance.makerId),
        )
        return true
      },
      confirm: async (acceptanceId, execution, outstandingVersion) => {
        const confirmed = await store.acceptances.confirm(acceptanceId, execution, outstandingVersion)
        if (confirmed === null || confirmed === 'outdated') return confirmed
        const acceptance = trace.active.get(acceptanceId) ?? confirmed.acceptance
        trace.ended.push({ acceptanceId, how: 'confirmed' })
        trace.signed.push(acceptance)
        await noteOverdraft(acceptance, [])
        return confirmed
      },
      insertSigned: async (acceptance, ...args) => {
        const made = await store.acceptances.insertSigned(acceptance, ...args)
        if (made === 'changed') trace.protected += 1
        if (typeof made !== 'object') return made
        const rivals = [...trace.active.values()].filter(({ requestId }) => requestId === acceptance.requestId)
        if (rivals.length > 0) trace.overlaps.push(acceptance.requestId)
        trace.active.set(acceptance.acceptanceId, made.acceptance)
        trace.signed.push(made.acceptance)
        trace.taken += 1
        const { signature } = made
        if (signerOf(signature) !== made.acceptance.order.maker) {
          trace.delegated += 1
          if (!trace.counted.has(signature)) trace.uncounted.push(made.acceptance.quoteId)
        }
        const now = collector.moment()
        const { acceptanceId, quoteId } = acceptance
        collector.taken(made, { asked: trace.looks.get(acceptanceId) ?? now, read: trace.read.get(quoteId) ?? now })
        await noteOverdraft(acceptance, [])
        return made
      },
      withdraw: async (acceptanceId) => {
        const withdrawn = await store.acceptances.withdraw(acceptanceId)
        if (withdrawn) release(acceptanceId)
        return withdrawn
      },
      end: async (acceptanceId, state) => {
        const ended = await store.acceptances.end(acceptanceId, state)
        if (!ended) return false
        const acceptance = trace.active.get(acceptanceId)
        if (acceptance !== undefined) collector.missed(acceptance)
        release(acceptanceId)
        trace.ended.push({ acceptanceId, how: state })
        return true
      },
    },
  }
}

/** A book of which it is recorded which quotes come and go by their makers' will, and when they are read; time is for others to know. */
export function recordBook(book: Book, { collector, trace }: Recorders): Book {
  return {
    ...book,
    put: async (quote, ...rest) => {
      const result = await book.put(quote, ...rest)
      if (result.kind === 'stored') {
        trace.quotes.set(result.quote.quoteId, result.quote)
        collector.quoted(result.quote, quote.pricedAt)
      }
      return result
    },
    makeFirm: async (quote, ...signed) => {
      const result = await book.makeFirm(quote, ...signed)
      if (result !== 'firm') return result
      for (const { signature } of signed.filter((one) => one !== undefined)) {
        const firmQuote = trace.firmSignatures.get(signature)
        if (firmQuote !== undefined) collector.madeFirm(firmQuote, signature)
      }
      return result
    },
    lock: async (key) => {
      const quote = await book.lock(key)
      // What the chain has counted before does not speak for it now.
      const firmSignatures = [...trace.firmSignatures].filter(([, madeFirm]) => madeFirm.quoteId === quote?.quoteId)
      for (const [signature] of firmSignatures) trace.counted.delete(signature)
      return quote
    },
    findQuote: async (key) => {
      const quote = await book.findQuote(key)
      if (quote !== null) trace.read.set(key.quoteId, collector.moment())
      return quote
    },
    unlock: async (requestId, quoteId, result) => {
      const held = (await book.find(requestId))?.signing
      await book.unlock(requestId, quoteId, result)
      if (result !== 'missed' || held?.quoteId !== quoteId) return
      collector.signedOrMissed(held.makerId, 'missed')
    },
    forgive: async (makerId) => {
      await book.forgive(makerId)
      collector.signedOrMissed(makerId, 'signed')
    },
    close: async (requestId, status) => {
      const held = (await book.find(requestId))?.signing
      const result = await book.close(requestId, status)
      const isSigned = result.kind === 'closed' && status === 'committed' && held != null
      if (isSigned) collector.signedOrMissed(held.makerId, 'signed')
      return result
    },
    removeAll: async (makerId, which) => {
      const removed = await book.removeAll(makerId, which)
      for (const { requestId, quoteId } of removed) {
        trace.quotes.delete(quoteId)
        const goneMaker = which.ifGone === undefined ? {} : { goneMaker: makerId }
        collector.observe({ kind: 'quote_withdrawn', requestId, quoteId, sent: collector.moment(), ...goneMaker })
      }
      return removed
    },
    remove: async (key) => {
      const { requestId, quoteId } = key
      const result = await book.remove(key)
      if (result === 'removed') {
        trace.quotes.delete(quoteId)
        collector.observe({ kind: 'quote_withdrawn', requestId, quoteId, sent: collector.moment() })
      }
      return result
    },
  }
}

/** A bus of which it is recorded what makers are told. */
export function recordBus(bus: Bus, { collector, trace }: Recorders, clock: Pick<Clock, 'now'>): Bus {
  return {
    ...bus,
    publish: async (topic, key, message) => {
      if (topic === 'maker') {
        const makerMessage = message as BusMessages['maker']
        collector.told(key, makerMessage)
        if (makerMessage.kind === 'accepted') {
          const { acceptance } = makerMessage
          const isOver = trace.ended.some(({ acceptanceId }) => acceptanceId === acceptance.acceptanceId)
          if (clock.now() >= acceptance.quote.expiresAt && !isOver) trace.askedLate.push(acceptance.quoteId)
          trace.accepted.push(acceptance)
        }
      }
      await bus.publish(topic, key, message)
    },
    reject: async (rejections) => {
      for (const { makerId, ...rejection } of rejections) collector.told(makerId, { kind: 'rejected', ...rejection })
      await bus.reject(rejections)
    },
  }
}

const ABSENT = ['stream', 'socket', 'either'] as const

/** What a maker is without that has disconnected: a channel, or either of them. */
type Absent = (typeof ABSENT)[number]

/** Presence of which it is recorded when makers come and go, in the sense of their protections. No one is there at first. */
export function recordPresence(
  presence: Presence,
  { collector, trace }: Recorders,
  { makerIds, clock }: { makerIds: readonly string[]; clock: Pick<Clock, 'now'> },
): Presence {
  const counts = new Map<string, number>()
  /** What was last told of each maker: what it is without. */
  const gone = new Map<string, ReadonlySet<Absent>>()

  function note(makerId: string): void {
    const isAny = trace.channels.get(makerId) === 'any'
    const lost = (['stream', 'socket'] as const).filter((channel) => (counts.get(`${channel} ${makerId}`) ?? 0) === 0)
    const without = new Set<Absent>(isAny ? lost : lost.length === 2 ? ['either'] : [])
    const before = gone.get(makerId) ?? new Set()
    gone.set(makerId, without)
    for (const absent of before) if (!without.has(absent)) tell('maker_back', makerId, absent)
    for (const absent of without) if (!before.has(absent)) tell('maker_gone', makerId, absent)
  }

  function tell(kind: 'maker_gone' | 'maker_back', makerId: string, absent: Absent): void {
    const of = absent === 'either' ? {} : { channel: absent }
    collector.observe({ kind, makerId, ...of, moment: collector.moment() })
  }

  const count = (channel: string, makerId: string, step: number): void => {
    const key = `${channel} ${makerId}`
    counts.set(key, (counts.get(key) ?? 0) + step)
    if (channel === 'socket' && counts.get(key) === 0) trace.socketGoneAt.set(makerId, clock.now())
    if (channel === 'socket' && counts.get(key) === 1) trace.socketGoneAt.delete(makerId)
    note(makerId)
  }

  trace.noteGone = note
  // Whoever has been away before is taken to have gone now.
  for (const makerId of makerIds) {
    for (const absent of ABSENT) tell('maker_back', makerId, absent)
    note(makerId)
    trace.socketGoneAt.set(makerId, clock.now())
  }

  return {
    ...presence,
    join: async (channel, makerId, connectionId) => {
      const leave = await presence.join(channel, makerId, connectionId)
      count(channel, makerId, 1)
      let left = false
      return () => {
        leave()
        if (!left) count(channel, makerId, -1)
        left = true
      }
    },
  }
}

/** An audit log that is recorded. */
export const recordAudit = ({ collector, trace }: Recorders, clock: Pick<Clock, 'now'>): Audit => ({
  record: (entry) => {
    trace.audit.push(entry)
    const goneAt = entry.kind === 'passed_over' ? trace.socketGoneAt.get(entry.makerId) : undefined
    collector.audited(entry, { goneMs: goneAt === undefined ? 0 : clock.now() - goneAt })
  },
})
