import { pause } from '../client/clock.ts'
import type { Clock } from '../client/index.ts'
import type { Ledger } from './ledger.ts'
import type { OnMakerEvent } from './maker-events.ts'

/** Keeps a maker's books in line with the price while it trades. */
export type Accountant = {
  /** Hedges and marks at once, and from the first trade on every few seconds until the signal aborts. */
  traded: () => void
  /** Marks a last time, where anything was traded. */
  close: () => Promise<void>
}

/** How often prices are looked at for the books, milliseconds. */
const MARK_EVERY_MS = 5_000

/** An accountant of a ledger. It tells of every hedge, and of every mark that differs from the last. */
export function createAccountant({
  ledger,
  clock,
  signal,
  onEvent,
}: {
  ledger: Pick<Ledger, 'mark'>
  clock: Clock
  signal: AbortSignal
  onEvent: OnMakerEvent
}): Accountant {
  let hasTraded = false
  let lastTotals = ''

  async function mark(): Promise<void> {
    try {
      const { hedges, statement } = await ledger.mark(clock.now())
      for (const hedge of hedges) onEvent({ kind: 'hedged', ...hedge })
      const totals = Object.values(statement).join()
      if (totals !== lastTotals) onEvent({ kind: 'marked', statement })
      lastTotals = totals
    } catch (error) {
      onEvent({ kind: 'failed', doing: 'spot', requestId: null, error: error as Error })
    }
  }

  async function keepMarking(): Promise<void> {
    while (!signal.aborted) {
      await pause(MARK_EVERY_MS, { clock, signal }).catch(() => {})
      if (!signal.aborted) await mark()
    }
  }

  return {
    traded: () => {
      if (!hasTraded) void keepMarking()
      hasTraded = true
      void mark()
    },
    close: async () => {
      if (hasTraded) await mark()
    },
  }
}
