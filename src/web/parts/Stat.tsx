import { gain } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { ReactNode } from 'react'

export function Stat({ label, children }: { label: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function Stats({ children }: { children: ReactNode }): ReactNode {
  return <dl className="stats">{children}</dl>
}

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

export function Gain({ amount }: { amount: Usd6 }): ReactNode {
  return <span className={amount > 0n ? 'gain' : amount < 0n ? 'loss' : undefined}>{gain(amount)}</span>
}
