import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import { inPlace } from './in-place.ts'

/** The words of a notice or a badge say the same. */
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
  title: ReactNode
  hint?: ReactNode
  children?: ReactNode
  /** Removes the notice; absent: it goes once its fact is over. */
  onDismiss?: (() => void) | undefined
}

/** Bad news is read aloud at once, the rest when there is time. */
export const Notice = ({ tone = 'neutral', title, hint, children, onDismiss }: NoticeProps): ReactNode => (
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

export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode => (
  <span className={tone === 'neutral' ? 'badge' : `badge badge-${tone}`}>{children}</span>
)

export const Empty = ({ title, hint, children }: { title: ReactNode; hint?: ReactNode; children?: ReactNode }) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {hint != null && <p>{hint}</p>}
    {children}
  </div>
)

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
