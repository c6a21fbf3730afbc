import {
  computeMaxPayoff,
  computePayoff,
  type PositionCost,
  type ResolutionBps,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { count, duration, exactUsd, gain, resolution, usd } from '@rfqctl/lib/format'
import type { Tone } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { PositionRow } from '../position-view.ts'

export function costText(cost: PositionCost | null): string {
  if (cost === null) return '…'
  if (cost === 'moved') return 'unknown: options were moved by hand'
  return cost === 'earlier' ? 'unknown: bought too long ago' : usd(cost)
}

type Sentence = { tone: Tone; title: string; hint: string | null }

export const NEXT_TEXTS: Readonly<Record<PositionRow['next'], (row: PositionRow) => Sentence | null>> = {
  close: ({ phase }) =>
    phase === 'window'
      ? {
          tone: 'info',
          title: 'The price is being averaged.',
          hint: 'The average of the last half hour settles the options.',
        }
      : null,
  settle: () => ({
    tone: 'info',
    title: 'The options have expired.',
    hint: 'Anyone can settle them: the relay signs the average price, and you bring it to the chain.',
  }),
  wait: ({ series, remainingMs }) => ({
    tone: 'warning',
    title: `The price is ${resolution(series.resolutionBps ?? 0)}, and can still be taken back.`,
    hint: remainingMs === null ? null : `It is final in ${duration(remainingMs)}. Then you can claim.`,
  }),
  claim: (row) => ({
    tone: payoutTone(row.profit),
    title: `Settled at ${resolution(row.series.resolutionBps ?? 0)}: ${exactUsd(payoutOf(row))} is yours.`,
    hint: row.profit === null ? null : `${gain(row.profit)} against what it cost.`,
  }),
  worthless: ({ series }) => ({
    tone: 'neutral',
    title: `Settled at ${resolution(series.resolutionBps ?? 0)}: it pays nothing.`,
    hint: 'There is nothing to claim.',
  }),
}

/** A payout is good news unless it is less than the cost. */
export const payoutTone = (profit: Usd6 | null): Tone => (profit !== null && profit < 0n ? 'neutral' : 'good')

type Held = Pick<PositionRow, 'series' | 'long' | 'short'>

export function payoutOf({ series, long, short }: Held): Usd6 {
  if (series.resolutionBps === null) return usd6(0n)
  const each = computePayoff(series, series.resolutionBps)
  return usd6(long * each + short * (computeMaxPayoff(series) - each))
}

export function positionPoints({ series, long, short, cost }: Held & Pick<PositionRow, 'cost'>) {
  const paid = typeof cost === 'bigint' ? cost : 0n
  return Array.from({ length: 101 }, (_, price) => {
    const each = computePayoff(series, price as ResolutionBps)
    return { price, profit: usd6(long * each + short * (computeMaxPayoff(series) - each) - paid) }
  })
}

type Step = { text: string; run: () => void }

export function nextAct(
  row: PositionRow,
  { act, canWarp }: { act: TradeAct; canWarp: boolean },
): { primary: Step | null; other: Step | null } {
  const { next, series, seriesId, closingId } = row
  switch (next) {
    case 'close': {
      const close =
        closingId === null
          ? { text: closeText(row), run: () => act.close(seriesId) }
          : { text: 'Show the closing quotes', run: () => act.showTrade(closingId) }
      const warp = { text: 'Go to expiry (sandbox)', run: () => act.warpTo(series.expiry) }
      return canWarp ? { primary: warp, other: close } : { primary: close, other: null }
    }
    case 'settle':
      return { primary: { text: 'Settle', run: () => act.settle(seriesId) }, other: null }
    case 'wait': {
      const { finalAt } = series
      const warp = { text: 'Go past the dispute time (sandbox)', run: () => act.warpTo(finalAt) }
      return { primary: canWarp && finalAt !== undefined ? warp : null, other: null }
    }
    case 'claim':
      return { primary: { text: `Claim ${usd(payoutOf(row))}`, run: () => act.claim(seriesId) }, other: null }
    case 'worthless':
      return { primary: null, other: null }
  }
}

function closeText({ long, short, matched }: PositionRow): string {
  if (matched > 0n) return `End ${count(matched)} against each other`
  return long > 0n ? `Ask for quotes to sell ${count(long)}` : `Ask for quotes to buy back ${count(short)}`
}
