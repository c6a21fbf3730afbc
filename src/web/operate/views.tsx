import type { MakerStanding, SeriesProgress } from '@rfqctl/client/index'
import type { ReactNode } from 'react'
import { copyableId, rowIds, selectedIndex, selectedRequest } from '../dashboard/selectors.ts'
import type { DashboardState, ViewName } from '../dashboard/state.ts'
import { CONFIRMATIONS } from '../dashboard/views/confirmations.ts'
import { EVENTS } from '../dashboard/views/events.ts'
import { MAKERS, makerDetail } from '../dashboard/views/makers.ts'
import { REQUESTS } from '../dashboard/views/requests.ts'
import { SETTLEMENT, seriesDetail } from '../dashboard/views/settlement.ts'
import { candidateParts } from '../dashboard/views/status.ts'
import type { Scene } from '../dashboard/views/view.ts'
import { Bar } from '../parts/Countdown.tsx'
import type { OperateAct } from './act.ts'
import { LatencyHistogram, LineChart } from './charts.tsx'
import { HealthView } from './HealthView.tsx'
import { CopyId, Ladder, OpenHistory, RequestSummary } from './RequestDetail.tsx'
import { RowTable } from './RowTable.tsx'
import { Lines } from './Spans.tsx'

export type ViewProps = { state: DashboardState; scene: Scene; act: OperateAct }

const chosenOf = <Row,>({ state }: ViewProps, rows: readonly Row[]): Row | undefined =>
  rows[selectedIndex(rowIds(state), state.selected[state.view])]

export function View(props: ViewProps): ReactNode {
  const { state, scene, act } = props
  if (state.view === 'health') return <HealthView scene={scene} />
  const { rows, detail } = DRAWN[state.view]
  return <Split detail={detail(props)}>{rows({ scene, selected: state.selected[state.view], act })}</Split>
}

type List = { scene: Scene; selected: string | undefined; act: OperateAct }
type Drawn = { rows: (list: List) => ReactNode; detail: (props: ViewProps) => ReactNode }

const DRAWN: Readonly<Record<Exclude<ViewName, 'health'>, Drawn>> = {
  requests: {
    rows: (list) => <RowTable {...list} caption="Open requests, and those that closed lately" table={REQUESTS} />,
    detail: (props) => <ChosenRequest {...props} />,
  },
  makers: {
    rows: (list) => <RowTable {...list} caption="Makers, connected ones first" table={MAKERS} />,
    detail: (props) => <ChosenMaker {...props} maker={chosenOf(props, MAKERS.rowsOf(props.scene))} />,
  },
  confirmations: {
    rows: (list) => <RowTable {...list} caption="Who is asked to sign, the most urgent first" table={CONFIRMATIONS} />,
    detail: (props) => <ChosenConfirmation {...props} />,
  },
  settlement: {
    rows: (list) => <RowTable {...list} caption="Series on their way to settlement" table={SETTLEMENT} />,
    detail: (props) => <ChosenSeries {...props} progress={chosenOf(props, SETTLEMENT.rowsOf(props.scene))} />,
  },
  events: {
    rows: (list) => <RowTable {...list} caption="Everything that happened, newest first" table={EVENTS} />,
    detail: (props) => <ChosenRequest {...props} />,
  },
}

const Split = ({ children, detail }: { children: ReactNode; detail: ReactNode }): ReactNode => (
  <div className="ops-split stack">
    <section className="panel ops-list" aria-label="rows">
      {children}
    </section>
    {detail !== null && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
      <section className="panel ops-chosen" aria-label="the chosen row" tabIndex={0}>
        {detail}
      </section>
    )}
  </div>
)

function ChosenRequest({ state, scene, act }: ViewProps): ReactNode {
  const request = selectedRequest(state)
  if (request === null) return NOTHING_CHOSEN
  return <RequestSummary request={request} scene={scene} act={act} />
}

const NOTHING_CHOSEN = <p className="faint small">What is known of the chosen row appears here.</p>

function ChosenMaker({ maker, scene, act }: ViewProps & { maker: MakerStanding | undefined }): ReactNode {
  if (maker === undefined) return NOTHING_CHOSEN
  const { title, record, refusal } = makerDetail(maker, scene)
  return (
    <div className="stack">
      <div className="stack-tight">
        <Lines lines={[title, record]} />
        {maker.score !== null && <Bar part={maker.score / 100} tone="good" />}
        <Lines lines={[[refusal]]} />
      </div>
      <div className="row">
        <CopyId id={maker.makerId} act={act} />
      </div>
    </div>
  )
}

function ChosenConfirmation({ state, scene, act }: ViewProps): ReactNode {
  const request = selectedRequest(state)
  const id = copyableId(state)
  return (
    <div className="stack">
      {request !== null && (
        <>
          <Ladder ladder={candidateParts(request, scene.now, scene.theme.glyphs)} />
          <div className="row">
            <OpenHistory act={act} />
            {id !== null && <CopyId id={id} act={act} />}
          </div>
        </>
      )}
      <LatencyHistogram waits={scene.market.waits} />
    </div>
  )
}

function ChosenSeries({ progress, scene, act }: ViewProps & { progress: SeriesProgress | undefined }): ReactNode {
  if (progress === undefined) return NOTHING_CHOSEN
  const { title, expires, meaning, worth } = seriesDetail(progress, scene)
  return (
    <div className="stack">
      <div className="stack-tight">
        <Lines lines={[title, expires, ...(worth === null ? [] : [worth]), [meaning]]} />
      </div>
      <div className="ops-window">
        <LineChart values={progress.points.map(({ p }) => p)} />
      </div>
      <div className="row">
        <CopyId id={progress.series.seriesId} act={act} />
      </div>
    </div>
  )
}
