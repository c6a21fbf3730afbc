import { countdown } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import type { Tone } from './Notice.tsx'

/** `part` is 0..1. The words beside the bar say the same. */
export function Bar({ part, tone = 'info' }: { part: number; tone?: Tone }): ReactNode {
  const width = Math.min(1, Math.max(0, part)) * 100
  return (
    <svg className={`bar bar-${tone}`} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={width} height="1" />
    </svg>
  )
}

type CountdownProps = { label: string; leftMs: number; totalMs: number }

const SHORT_MS = 5_000

/** Read aloud only on request: every second of it would be noise. */
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
