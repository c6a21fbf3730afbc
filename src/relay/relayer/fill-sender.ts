import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Capacity, Party } from './capacity.ts'
import type { FillBook, TakenFill } from './fill-book.ts'
import type { ChargedFill, FillChain, FillFailure, RelayerMeter } from './ports.ts'

/** `release` takes back the count of a fill that is never sent. */
type QueuedFill = { taken: TakenFill; party: Party; release: () => void }

/** Longest wait for a sent transaction at shutdown. */
const DRAIN_MS = 12_000

export function createFillSender(parts: {
  chain: FillChain
  book: FillBook
  clock: Clock
  log: Log
  meter: RelayerMeter
  capacity: Pick<Capacity, 'hold' | 'countRevert'>
}) {
  const { chain, book, clock, log, meter, capacity } = parts
  const queue: QueuedFill[] = []
  const givingUp = new AbortController()
  let isClosing = false
  let working: Promise<void> | null = null

  async function work(): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (isClosing) drop(next)
      else await send(next)
    }
    working = null
  }

  async function send(queued: QueuedFill): Promise<void> {
    const { taken } = queued
    const charged = taken.charged as ChargedFill
    const settle = capacity.hold(clock.now())
    if (settle === null) {
      queued.release()
      return fail(taken, 'refused', 'The relayer has spent what it may spend on gas within 24 hours.')
    }
    const onSent = (hash: Hex) => book.sent(taken, hash)
    const sent = await chain.send(charged, { onSent, signal: givingUp.signal }).catch((fault: unknown) => ({ fault }))
    if ('fault' in sent) {
      settle(0n)
      queued.release()
      return refuse(taken, charged, sent.fault)
    }
    if (sent.kind === 'unmined') {
      // The coin stays reserved: a transaction may still be mined.
      return fail(taken, 'unmined', 'None of its transactions was mined in time. One of them may be yet.')
    }
    settle(sent.cost)
    meter.paid(sent.cost)
    if (sent.isFilled) fill(taken, sent.transactionHash)
    else await explain(queued, charged)
  }

  /** Nothing was sent: the fill passed when it was accepted, but does not pass now. */
  async function refuse(taken: TakenFill, charged: ChargedFill, fault: unknown): Promise<void> {
    const filledBy = await chain.fillOf(charged.fill.order).catch(() => null)
    if (filledBy !== null) return fill(taken, filledBy)
    if (!(fault instanceof RfqError)) log.error('fill_failed', { orderHash: taken.orderHash, fault })
    fail(taken, 'refused', fault instanceof RfqError ? fault.message : 'The relayer failed. The fault was logged.')
  }

  /** The transaction was mined and reverted, mostly because someone else was faster. */
  async function explain({ taken, party }: QueuedFill, charged: ChargedFill): Promise<void> {
    const filledBy = await chain.fillOf(charged.fill.order).catch(() => null)
    if (filledBy !== null) return fill(taken, filledBy)
    capacity.countRevert(party, clock.now())
    const reason = await chain.simulate(charged).then(
      () => null,
      (fault: unknown) => (fault instanceof RfqError ? fault.message : null),
    )
    fail(taken, 'reverted', reason ?? 'The transaction was mined and reverted.')
  }

  function fill(taken: TakenFill, transactionHash: Hex): void {
    book.filled(taken, transactionHash)
    meter.ended('filled')
    log.info('fill_mined', { orderHash: taken.orderHash, transactionHash })
  }

  function fail(taken: TakenFill, failure: FillFailure, reason: string): void {
    book.failed(taken, failure, reason)
    meter.ended(failure)
    const { transactionHash } = taken.status
    const sent = transactionHash === null ? {} : { transactionHash }
    log.warn('fill_not_mined', { orderHash: taken.orderHash, ...sent, code: failure, reason })
  }

  function drop({ taken, release }: QueuedFill): void {
    release()
    fail(taken, 'shutting_down', 'The relayer shut down before it was sent.')
  }

  return {
    enqueue: (queued: QueuedFill): void => {
      queue.push(queued)
      working ??= work()
    },
    queued: (): number => queue.length,
    queuedOf: (taker: Address): number => queue.filter(({ party }) => party.taker === taker).length,
    isClosing: (): boolean => isClosing,
    close: async (): Promise<void> => {
      isClosing = true
      for (const waiting of queue.splice(0)) drop(waiting)
      if (working === null) return
      const stopTimer = clock.schedule(clock.now() + DRAIN_MS, () => givingUp.abort())
      await working
      stopTimer()
    },
  }
}
