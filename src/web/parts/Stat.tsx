import { gain } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { ReactNode } from 'react'

/** A figure with its name above it; several of them are a `Stats`. */
export function Stat({ label, children }: { label: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Figures in a row. */
export function Stats({ children }: { children: ReactNode }): ReactNode {
  return <dl className="stats">{children}</dl>
}

/** Facts, a line each: what it is called on the left, what it is on the right. Those that are null are left out. */
export function Facts({ facts }: { facts: readonly (readonly [term: string, fact: ReactNode] | null)[] }): ReactNode {
  return (
    <dl className="facts">
      {facts
        .filter((fact) => fact !== null)
        .map(([term, fact]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A gain or a loss, with its sign, in its colour. */
export function Gain({ amount }: { amount: Usd6 }): ReactNode {
  return <span className={amount > 0n ? 'gain' : amount < 0n ? 'loss' : undefined}>{gain(amount)}</span>
}
