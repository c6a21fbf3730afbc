import { clockTime } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { selectedRequest } from '../dashboard/selectors.ts'
import { type DashboardState, shownNow, VIEWS } from '../dashboard/state.ts'
import { PAGE } from '../dashboard/theme.ts'
import { helpKeys, helpSigns, keysNow } from '../dashboard/views/help.ts'
import { banner, headFigures, headRate, isWaiting, TITLES, waitingAdvice } from '../dashboard/views/link.ts'
import { sceneOf } from '../dashboard/views/view.ts'
import { Button } from '../parts/Button.tsx'
import { Tabs } from '../parts/Choice.tsx'
import { inPlace } from '../parts/in-place.ts'
import { TopBar } from '../parts/TopBar.tsx'
import type { OperateAct } from './act.ts'
import { RateChart } from './charts.tsx'
import { FilterField } from './FilterField.tsx'
import { RequestHistory } from './RequestDetail.tsx'
import { Sentences, Spans } from './Spans.tsx'
import { View } from './views.tsx'

const RATE_SECONDS = 30

export const PANEL_ID = 'view'

type OperateProps = { state: DashboardState; act: OperateAct; retry?: ReactNode }

export const Operate = ({ state, act, retry }: OperateProps): ReactNode => (
  <div className="ops">
    <TopBar here="operate" aside={<Controls state={state} act={act} />} />
    <main id="main" className="ops-main">
      <h1 className="aloud">{`Operate: ${TITLES[state.view]}`}</h1>
      <Head state={state} />
      <div className="ops-bar row spread">
        <Tabs
          label="Views"
          panelId={PANEL_ID}
          tabs={VIEWS.map((view) => ({ id: view, text: TITLES[view] }))}
          selected={state.view}
          onSelect={(view) => act.dispatch({ kind: 'view', view })}
        />
        {state.view !== 'health' && <FilterField state={state} act={act} />}
      </div>
      <Banner state={state} />
      <div
        id={PANEL_ID}
        role="tabpanel"
        aria-labelledby={`${PANEL_ID}-${state.view}`}
        className={state.link.kind === 'lost' ? 'ops-body stale' : 'ops-body'}
      >
        <Body state={state} act={act} retry={retry} />
      </div>
    </main>
    <Foot state={state} />
  </div>
)

function Controls({ state, act }: { state: DashboardState; act: OperateAct }): ReactNode {
  const isHelp = state.overlay === 'help'
  return (
    <>
      <Button size="small" onPress={() => act.dispatch({ kind: 'pause' })}>
        {state.frozen === null ? 'Pause' : 'Resume'}
      </Button>
      <Button size="small" onPress={() => act.dispatch({ kind: 'overlay', overlay: isHelp ? 'none' : 'help' })}>
        {isHelp ? 'Back' : 'Help'}
      </Button>
      <Button size="small" kind="quiet" onPress={act.signOut}>
        Sign out
      </Button>
    </>
  )
}

function Head({ state }: { state: DashboardState }): ReactNode {
  const { rate, text } = headRate(state, RATE_SECONDS)
  const [link, ...figures] = headFigures(state, PAGE.glyphs)
  return (
    <div className="ops-head row small">
      <span role="status">{link !== undefined && <Spans cell={link} />}</span>
      {inPlace(figures, (figure) => (
        <span>
          <Spans cell={figure} />
        </span>
      ))}
      <span className="ops-head-rate">
        <span>{text}</span>
        <RateChart rate={rate} label={`quotes in each of the last ${RATE_SECONDS} seconds`} />
      </span>
      <span className="faint ops-head-time">{`${clockTime(shownNow(state))} UTC`}</span>
    </div>
  )
}

/**
 * The reason that the page does not show the present, unless it replaces the view. Not read aloud, because it counts:
 * the link above it is.
 */
function Banner({ state }: { state: DashboardState }): ReactNode {
  const said = banner(state, PAGE)
  if (said === null || isWaiting(state)) return null
  const tone = said[0]?.style === 'busy' ? 'warning' : 'bad'
  return (
    <p className={`ops-banner notice notice-${tone}`}>
      <Spans cell={said} />
    </p>
  )
}

function Body({ state, act, retry }: OperateProps): ReactNode {
  if (isWaiting(state))
    return (
      <div className="panel empty">
        <Sentences advice={waitingAdvice(state, PAGE)} title />
        {state.link.kind === 'refused' && retry}
      </div>
    )
  if (state.overlay === 'help') return <Help />
  const scene = sceneOf(state, PAGE)
  const request = selectedRequest(state)
  if (state.overlay === 'detail' && request !== null)
    return <RequestHistory request={request} scene={scene} act={act} />
  return <View state={state} scene={scene} act={act} />
}

const Help = (): ReactNode => (
  <div className="ops-health">
    {[
      { title: 'Keys', entries: helpKeys(PAGE) },
      { title: 'Signs', entries: helpSigns(PAGE) },
    ].map(({ title, entries }) => (
      <section key={title} className="panel">
        <div className="panel-head">
          <h2>{title}</h2>
        </div>
        <dl className="panel-body ops-entries">
          {entries.map(([name, text]) => (
            <div key={name}>
              <dt className="accent">{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </div>
)

const Foot = ({ state }: { state: DashboardState }): ReactNode => (
  <footer className="ops-foot small">
    <span className="gain" role="status">
      {state.notice?.text}
    </span>
    {state.notice === null &&
      keysNow(state, PAGE.medium).map(([key, does]) => (
        <span key={key} className="muted ops-key">
          <kbd>{key}</kbd> {does}
        </span>
      ))}
  </footer>
)
