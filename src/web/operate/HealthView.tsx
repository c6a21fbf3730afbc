import type { ReactNode } from 'react'
import { type Fact, healthFacts, NO_HEALTH } from '../dashboard/views/health.ts'
import type { Scene } from '../dashboard/views/view.ts'
import { inPlace } from '../parts/in-place.ts'
import { RateChart } from './charts.tsx'
import { Spans } from './Spans.tsx'

export function HealthView({ scene }: { scene: Scene }): ReactNode {
  const facts = healthFacts(scene)
  if (facts === null)
    return (
      <div className="panel empty">
        <p>{NO_HEALTH}</p>
      </div>
    )
  const { parts, connections, process, authority, rate } = facts
  return (
    <div className="ops-health">
      <Group title="Parts" facts={parts} />
      <Group title="Connections" facts={connections} />
      <Group title="Process" facts={process}>
        <RateChart rate={rate} label="quotes a second in the last minute" />
      </Group>
      {authority.length > 0 && <Group title="Roles on chain" facts={authority} />}
    </div>
  )
}

type GroupProps = { title: string; facts: readonly Fact[]; children?: ReactNode }

const Group = ({ title, facts, children }: GroupProps): ReactNode => (
  <section className="panel">
    <div className="panel-head">
      <h2>{title}</h2>
    </div>
    <div className="panel-body stack">
      <dl className="facts">
        {inPlace(facts, ({ name, text }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <Spans cell={text} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  </section>
)
