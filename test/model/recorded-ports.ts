import type fc from 'fast-check'
import { makerObligation, type Order } from '../../src/domain/order.ts'
import type { Book } from '../../src/relay/ports/book.ts'
import type { Bus, BusMessages } from '../../src/relay/ports/live.ts'
import type { Ports } from '../../src/relay/ports/ports.ts'
import type { Clock } from '../../src/relay/ports/runtime.ts'
import type { Acceptance, Audit, Store } from '../../src/relay/ports/store.ts'
import { noteMiss, type Trace } from './trace.ts'

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
})

/** A store that tells the trace how acceptances begin and end. */
export function recordStore(store: Store, trace: Trace, { clock, chain }: Pick<Ports, 'clock' | 'chain'>): Store {
  /** What a wallet has signed, with what is asked of it beside that, must be within what it has. */
  async function noteOverdraft({ maker }: Order, asked: readonly Acceptance[]): Promise<void> {
    const outstanding = [...trace.signed, ...asked].filter(
      ({ order }) => order.maker === maker && order.validUntil * 1_000 > clock.now(),
    )
    const total = outstanding.reduce((sum, { order, option }) => sum + makerObligation(order, option).amount, 0n)
    const { balance } = await chain.funds(maker, 'core', 'latest')
    if (total > balance) trace.overdrawn.push(maker)
  }

  return {
    ...store,
    acceptances: {
      ...store.acceptances,
      insert: async (acceptance, outstandingVersion) => {
        const inserted = await store.acceptances.insert(acceptance, outstandingVersion)
        if (inserted !== true) return inserted
        const rivals = [...trace.active.values()].filter(({ requestId }) => requestId === acceptance.requestId)
        if (rivals.length > 0) trace.overlaps.push(acceptance.requestId)
        trace.active.set(acceptance.acceptanceId, acceptance)
        const { order, makerId } = acceptance
        const waiting = [...trace.active.values()].filter((other) => !trace.signed.includes(other))
        await noteOverdraft(
          order,
          waiting.filter((other) => other.makerId === makerId),
        )
        return true
      },
      confirm: async (acceptanceId, execution, outstandingVersion) => {
        const confirmed = await store.acceptances.confirm(acceptanceId, execution, outstandingVersion)
        if (confirmed === null || confirmed === 'outdated') return confirmed
        const acceptance = trace.active.get(acceptanceId) ?? confirmed.acceptance
        trace.ended.push({ acceptanceId, how: 'confirmed' })
        trace.signed.push(acceptance)
        await noteOverdraft(acceptance.order, [])
        return confirmed
      },
      withdraw: async (acceptanceId) => {
        const withdrawn = await store.acceptances.withdraw(acceptanceId)
        if (withdrawn) trace.active.delete(acceptanceId)
        return withdrawn
      },
      end: async (acceptanceId, state) => {
        const ended = await store.acceptances.end(acceptanceId, state)
        if (!ended) return false
        const acceptance = trace.active.get(acceptanceId)
        if (acceptance !== undefined) noteMiss(trace, acceptance)
        trace.active.delete(acceptanceId)
        trace.ended.push({ acceptanceId, how: state })
        return true
      },
    },
  }
}

/** A book that tells the trace which quotes come and go by their makers' will; time is the outsider's own to know. */
export function recordBook(book: Book, trace: Trace): Book {
  return {
    ...book,
    put: async (quote) => {
      const result = await book.put(quote)
      if (result.kind === 'stored') {
        trace.quotes.set(result.quote.quoteId, result.quote)
        const makers = trace.quoted.get(quote.requestId) ?? new Set()
        trace.quoted.set(quote.requestId, makers.add(quote.makerId))
      }
      return result
    },
    unlock: async (requestId, quoteId, result) => {
      const held = (await book.find(requestId))?.signing
      await book.unlock(requestId, quoteId, result)
      if (result !== 'missed' || held?.quoteId !== quoteId) return
      trace.streaks.set(held.makerId, (trace.streaks.get(held.makerId) ?? 0) + 1)
    },
    close: async (requestId, status) => {
      const held = (await book.find(requestId))?.signing
      const result = await book.close(requestId, status)
      if (result.kind === 'closed' && status === 'committed') trace.streaks.delete(held?.makerId ?? '')
      return result
    },
    remove: async (requestId, quoteId) => {
      const result = await book.remove(requestId, quoteId)
      if (result === 'removed') trace.quotes.delete(quoteId)
      return result
    },
  }
}

/** A bus that tells the trace what makers are told. */
export function recordBus(bus: Bus, trace: Trace, clock: Pick<Clock, 'now'>): Bus {
  return {
    ...bus,
    publish: async (topic, key, message) => {
      if (topic === 'maker') {
        const makerMessage = message as BusMessages['maker']
        if (makerMessage.kind === 'accepted') {
          const { acceptance } = makerMessage
          const isOver = trace.ended.some(({ acceptanceId }) => acceptanceId === acceptance.acceptanceId)
          if (clock.now() >= acceptance.quote.expiresAt && !isOver) trace.askedLate.push(acceptance.quoteId)
          trace.accepted.push(acceptance)
        }
        if (makerMessage.kind !== 'accepted') trace.terminals.push({ makerId: key, message: makerMessage })
      }
      await bus.publish(topic, key, message)
    },
  }
}

/** An audit that goes into the trace; a maker that could not be reached has missed (decision C5). */
export const recordAudit = (trace: Trace): Audit => ({
  record: (entry) => {
    trace.audit.push(entry)
    if (entry.kind === 'passed_over' && entry.code === 'maker_unreachable') noteMiss(trace, entry)
  },
})
