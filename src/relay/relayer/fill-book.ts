import type { Hex } from '@rfqctl/protocol/domain/units'
import type { ChargedFill, FillFailure, FillStatus } from './ports.ts'

/** `charged` holds the signatures, and is null once the fill has ended. */
export type TakenFill = {
  orderHash: Hex
  charged: ChargedFill | null
  status: FillStatus
  /** Resolves when the fill is sent or has ended. */
  hasMoved: Promise<void>
}

export type FillBook = ReturnType<typeof createFillBook>

/** Ended fills that are kept for lookups; the chain has all others. */
const MAX_ENDED = 10_000

export function createFillBook(maxEnded = MAX_ENDED) {
  const fills = new Map<Hex, TakenFill>()
  const ended: TakenFill[] = []
  const movers = new WeakMap<TakenFill, () => void>()

  function add(status: FillStatus, charged: ChargedFill | null): TakenFill {
    let move = () => {}
    const hasMoved = new Promise<void>((resolve) => {
      move = resolve
    })
    const fill = { orderHash: status.orderHash, charged, status, hasMoved }
    movers.set(fill, move)
    fills.set(status.orderHash, fill)
    return fill
  }

  function move(fill: TakenFill, change: Partial<FillStatus>): void {
    fill.status = { ...fill.status, ...change }
    movers.get(fill)?.()
  }

  function end(fill: TakenFill, change: Partial<FillStatus>): void {
    move(fill, change)
    fill.charged = null
    ended.push(fill)
    const oldest = ended.length > maxEnded ? ended.shift() : undefined
    // The order may have been submitted again since.
    if (oldest !== undefined && fills.get(oldest.orderHash) === oldest) fills.delete(oldest.orderHash)
  }

  const empty = { transactionHash: null, failure: null, reason: null }
  return {
    find: (orderHash: Hex): TakenFill | null => fills.get(orderHash) ?? null,
    /** Adds a queued fill, in place of a failed one of the same order. */
    open: (orderHash: Hex, charged: ChargedFill): TakenFill => add({ orderHash, status: 'queued', ...empty }, charged),
    /** Records an order that someone else filled. */
    note: (orderHash: Hex, transactionHash: Hex): TakenFill => {
      const fill = add({ orderHash, status: 'queued', ...empty }, null)
      end(fill, { status: 'filled', transactionHash })
      return fill
    },
    sent: (fill: TakenFill, transactionHash: Hex): void => move(fill, { status: 'sent', transactionHash }),
    filled: (fill: TakenFill, transactionHash: Hex): void => end(fill, { status: 'filled', transactionHash }),
    failed: (fill: TakenFill, failure: FillFailure, reason: string): void =>
      end(fill, { status: 'failed', failure, reason }),
  }
}
