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

export type FillBook = {
  find: (orderHash: Hex) => TakenFill | null
  /** Adds a queued fill, in place of a failed one of the same order. */
  open: (orderHash: Hex, charged: ChargedFill) => TakenFill
  /** Records an order that someone else filled. */
  note: (orderHash: Hex, transactionHash: Hex) => TakenFill
  sent: (fill: TakenFill, transactionHash: Hex) => void
  filled: (fill: TakenFill, transactionHash: Hex) => void
  failed: (fill: TakenFill, failure: FillFailure, reason: string) => void
}

/** Ended fills that are kept for lookups; the chain has all others. */
const MAX_ENDED = 10_000

export function createFillBook(maxEnded = MAX_ENDED): FillBook {
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
    find: (orderHash) => fills.get(orderHash) ?? null,
    open: (orderHash, charged) => add({ orderHash, status: 'queued', ...empty }, charged),
    note: (orderHash, transactionHash) => {
      const fill = add({ orderHash, status: 'queued', ...empty }, null)
      end(fill, { status: 'filled', transactionHash })
      return fill
    },
    sent: (fill, transactionHash) => move(fill, { status: 'sent', transactionHash }),
    filled: (fill, transactionHash) => end(fill, { status: 'filled', transactionHash }),
    failed: (fill, failure, reason) => end(fill, { status: 'failed', failure, reason }),
  }
}
