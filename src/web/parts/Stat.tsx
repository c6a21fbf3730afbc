import { gain } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import { Children, type ReactNode } from 'react'

export const Stat = ({ label, children }: { label: ReactNode; children: ReactNode }): ReactNode => (
  <div className="stat">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** Nothing without a figure. */
export const Stats = ({ children }: { children: ReactNode }): ReactNode =>
  Children.toArray(children).length === 0 ? null : <dl className="stats">{children}</dl>

export type Fact = readonly [term: string, fact: ReactNode]

type FactsProps = { facts: readonly (Fact | null)[] }

export const Facts = ({ facts }: FactsProps): ReactNode => (
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

export const Gain = ({ amount }: { amount: Usd6 }): ReactNode => (
  <span className={amount > 0n ? 'gain' : amount < 0n ? 'loss' : undefined}>{gain(amount)}</span>
)
