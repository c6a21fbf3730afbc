import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import { inPlace } from './in-place.ts'

/** What a notice or a badge is about; its words say the same. */
export type Tone = 'neutral' | 'info' | 'good' | 'warning' | 'bad'

const ICONS: Readonly<Record<Tone, IconName>> = {
  neutral: 'info',
  info: 'info',
  good: 'good',
  warning: 'warning',
  bad: 'warning',
}

type NoticeProps = {
  tone?: Tone
  /** The fact, a sentence. */
  title: ReactNode
  /** What one can do about it. */
  hint?: ReactNode
  /** A button. */
  children?: ReactNode
  /** Takes it from the page; absent: it goes when what it says is over. */
  onDismiss?: (() => void) | undefined
}

/** A fact in a box, with what one can do about it. What is bad is read aloud at once, the rest when there is time. */
export function Notice({ tone = 'neutral', title, hint, children, onDismiss }: NoticeProps): ReactNode {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[tone]} />
      <div className="notice-body">
        <p>{title}</p>
        {hint != null && <p className="notice-hint">{hint}</p>}
        {children}
      </div>
      {onDismiss !== undefined && (
        <button type="button" className="notice-close" aria-label="Dismiss" onClick={onDismiss}>
          <Icon name="close" />
        </button>
      )}
    </div>
  )
}

/** A word about how something is. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return <span className={tone === 'neutral' ? 'badge' : `badge badge-${tone}`}>{children}</span>
}

/** What there is to see where there is nothing yet, and what one does about it. */
export function Empty({ title, hint, children }: { title: ReactNode; hint?: ReactNode; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {hint != null && <p>{hint}</p>}
      {children}
    </div>
  )
}

/** Lines that hold the place of what is being loaded. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }): ReactNode {
  const widths = ['92%', '64%', '80%', '48%', '72%']
  return (
    <div className="stack-tight" role="status">
      <span className="aloud">{label}</span>
      {inPlace(Array(lines).fill(null), (_, place) => (
        <span className="skeleton" style={{ width: widths[place % widths.length] }} />
      ))}
    </div>
  )
}
