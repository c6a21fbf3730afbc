import type { Clock } from '@rfqctl/client/index'
import { pause } from '@rfqctl/lib/clock'
import type { OnMakerEvent } from './maker-events.ts'
import type { Portfolio } from './portfolio.ts'

const MARK_INTERVAL_MS = 5_000

/** Emits an event per hedge, and per mark that differs from the last. */
export function createHedger(parts: {
  portfolio: Pick<Portfolio, 'mark'>
  clock: Clock
  /** Valuation time, Unix milliseconds. */
  marketTime: () => Promise<number>
  signal: AbortSignal
  onEvent: OnMakerEvent
}) {
  const { portfolio, clock, marketTime, signal, onEvent } = parts
  let hasTraded = false
  let lastTotals = ''

  async function mark(): Promise<void> {
    try {
      const { hedges, statement } = await portfolio.mark(await marketTime())
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
      await pause(MARK_INTERVAL_MS, { clock, signal }).catch(() => {})
      if (!signal.aborted) await mark()
    }
  }

  return {
    /** Hedges and marks at once, and from the first trade on every few seconds until the signal aborts. */
    onTrade: () => {
      if (!hasTraded) void keepMarking()
      hasTraded = true
      void mark()
    },
    close: async (): Promise<void> => {
      if (hasTraded) await mark()
    },
  }
}
