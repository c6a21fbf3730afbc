import { countdown } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import type { Tone } from './Notice.tsx'

/** A part of a whole, 0..1, as a bar. What it means is said in words beside it. */
export function Bar({ part, tone = 'info' }: { part: number; tone?: Tone }): ReactNode {
  const width = Math.min(1, Math.max(0, part)) * 100
  return (
    <svg className={`bar bar-${tone}`} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={width} height="1" />
    </svg>
  )
}

type CountdownProps = {
  /** What ends, before the time: "Quotes close in". */
  label: string
  /** Milliseconds left, and of how many. */
  leftMs: number
  totalMs: number
}

/** Below this much, time is short. */
const SHORT_MS = 5_000

/** How much time is left, in words and as a bar. It is read aloud only when one asks: every second of it would be noise. */
export function Countdown({ label, leftMs, totalMs }: CountdownProps): ReactNode {
  const left = Math.max(0, leftMs)
  return (
    <div className="countdown" role="timer" aria-live="off">
      <div className="row spread small">
        <span className="muted">{label}</span>
        <span className={left < SHORT_MS ? 'strong warning' : 'strong'}>{countdown(left)}</span>
      </div>
      <Bar part={totalMs <= 0 ? 0 : left / totalMs} tone={left < SHORT_MS ? 'warning' : 'info'} />
    </div>
  )
}
