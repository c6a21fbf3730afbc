import type { ReactNode } from 'react'
import { Badge } from '../../parts/Notice.tsx'
import { PositionBody, type PositionProps } from './PositionBody.tsx'
import { PanelHead, Stranger } from './parts.tsx'
import { legsText, optionName, PHASE_TEXTS } from './words.ts'

export function PositionPanel({ onBack, ...props }: PositionProps & { onBack: () => void }): ReactNode {
  const { series, question, phase } = props.row
  const { text, tone } = PHASE_TEXTS[phase]
  const legs = legsText(series)
  return (
    <section className="panel" aria-label="Position">
      <PanelHead
        title={optionName(series)}
        onBack={onBack}
        back="Back to the ticket"
        aside={<Badge tone={tone}>{text}</Badge>}
      />
      <div className="panel-body stack">
        <div className="about small muted">
          <Stranger text={question} lines={2} />
          {legs !== null && <p>{legs}</p>}
        </div>
        <PositionBody {...props} />
      </div>
    </section>
  )
}
