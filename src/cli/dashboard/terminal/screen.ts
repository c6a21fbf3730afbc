import { type Line, line, plainText, restyled, span } from '@rfqctl/web/dashboard/line'
import type { RequestView } from '@rfqctl/web/dashboard/request-view'
import { rowIds, selectedIndex, selectedRequest } from '@rfqctl/web/dashboard/selectors'
import { type DashboardState, shownMarket, type ViewName } from '@rfqctl/web/dashboard/state'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { isWaiting } from '@rfqctl/web/dashboard/views/link'
import { sceneOf } from '@rfqctl/web/dashboard/views/view'
import { fitLine } from './fit.ts'
import { drawConfirmations } from './panels/confirmations.ts'
import { drawConnecting } from './panels/connecting.ts'
import { drawEvents } from './panels/events.ts'
import { drawFooter } from './panels/footer.ts'
import { describeHeader, drawBanner, drawHeader, drawTabs } from './panels/header.ts'
import { drawHealth } from './panels/health.ts'
import { drawHelp } from './panels/help.ts'
import { drawMakers } from './panels/makers.ts'
import type { Panel, Scene } from './panels/panel.ts'
import { drawRequestHistory, drawRequestSummary } from './panels/request-detail.ts'
import { drawRequests } from './panels/requests.ts'
import { drawSettlement } from './panels/settlement.ts'
import { type Area, fill } from './table.ts'

/** SMALLEST fits all views, SMALLEST_LIST the list of requests alone. */
const SMALLEST = { columns: 80, rows: 24 }
const SMALLEST_LIST = { columns: 60, rows: 12 }

/** From this height on, the list of requests takes the larger part. */
const TALL = 30

/** As many as on a tall screen. */
const REPORT_LINES = 40

/** Lines outside the view: header, tabs, banner, footer. */
const FRAME_LINES = 4

const PANELS: Readonly<Record<Exclude<ViewName, 'requests'>, Panel>> = {
  makers: drawMakers,
  confirmations: drawConfirmations,
  settlement: drawSettlement,
  events: drawEvents,
  health: drawHealth,
}

/** One line less than the terminal has rows: Ink clears the whole terminal when its output reaches the height. */
export function drawScreen(
  state: DashboardState,
  theme: Theme,
  { columns, rows }: { columns: number; rows: number },
): Line[] {
  if (columns < SMALLEST_LIST.columns || rows < SMALLEST_LIST.rows) return tooSmall({ columns, rows })
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return drawList(state, theme, { columns, rows })
  const { ellipsis } = theme.glyphs
  const area = { width: columns, height: rows - 1 - FRAME_LINES }
  const body = drawBody(state, theme, area)
  return [
    drawHeader(state, theme, columns),
    drawTabs(state),
    drawBanner(state, theme, columns),
    // Data of a lost relay is stale, so it is faint.
    ...body.map((drawn) => fitLine(state.link.kind === 'lost' ? restyled(drawn, 'faint') : drawn, columns, ellipsis)),
    drawFooter(state, theme, columns),
  ]
}

/** Narrow layout: requests only, without tabs and without the summary of the chosen one. */
function drawList(full: DashboardState, theme: Theme, { columns, rows }: { columns: number; rows: number }): Line[] {
  const { ellipsis } = theme.glyphs
  const state: DashboardState = { ...full, view: 'requests', overlay: 'none' }
  const area = { width: columns, height: rows - 1 - (FRAME_LINES - 1) }
  const body = isWaiting(state) ? drawConnecting(state, theme, area) : drawRequests(panelScene(state, theme), area)
  const footer =
    state.typing !== null
      ? drawFooter(state, theme, columns)
      : line(span(` ${SMALLEST.columns}x${SMALLEST.rows} shows more `, 'faint'), span(' q ', 'title'), 'quit')
  return [drawHeader(state, theme, columns), drawBanner(state, theme, columns), ...body, footer].map((drawn) =>
    fitLine(drawn, columns, ellipsis),
  )
}

/** For a screen reader: the header, the view and the keys, a sentence each. */
export function describeState(state: DashboardState, theme: Theme): Line[] {
  const endless = { width: 10_000, height: Number.POSITIVE_INFINITY }
  const isSilent = state.link.kind === 'live' && state.frozen === null && shownMarket(state).mode === 'onchain'
  const lines = [
    describeHeader(state, theme),
    line(`View ${state.view}.`),
    ...(isSilent ? [] : [drawBanner(state, theme, endless.width)]),
    ...drawBody(state, theme, endless),
    drawFooter(state, theme, endless.width),
  ]
  // Removed signs leave gaps, which would be heard as pauses.
  return lines
    .map((spans) => line(plainText(spans).replace(/ {2,}/g, ' ').trim()))
    .filter((spans) => spans[0]?.text !== '')
}

/** Views below each other, each with its title and more rows than a screen has. */
export function drawReport(state: DashboardState, theme: Theme, columns: number, views: readonly ViewName[]): Line[] {
  if (theme.medium === 'speech') return views.flatMap((view) => describeState({ ...state, view }, theme))
  const area = { width: columns, height: REPORT_LINES }
  const parts = views.flatMap((view) => [
    [],
    line(span(` ${view.toUpperCase()}`, 'strong')),
    ...drawBody({ ...state, view }, theme, area).map((drawn) => fitLine(drawn, columns, theme.glyphs.ellipsis)),
  ])
  return withoutGaps([drawHeader(state, theme, columns), ...parts])
}

/** At most one empty line at a time, and none at the end. */
function withoutGaps(lines: readonly Line[]): Line[] {
  const isBlank = (drawn: Line | undefined) => drawn === undefined || plainText(drawn) === ''
  return lines.filter((drawn, i) => !isBlank(drawn) || !isBlank(lines[i + 1]))
}

function drawBody(state: DashboardState, theme: Theme, area: Area): Line[] {
  if (isWaiting(state)) return drawConnecting(state, theme, area)
  if (state.overlay === 'help') return drawHelp(theme, area)
  const scene = panelScene(state, theme)
  const request = selectedRequest(state)
  if (state.overlay === 'detail' && request !== null) return drawRequestHistory(request, scene, area, state.scroll)
  return state.view === 'requests' ? drawRequestsView(scene, request, area) : PANELS[state.view](scene, area)
}

const panelScene = (state: DashboardState, theme: Theme): Scene => ({
  ...sceneOf(state, theme),
  chosen: selectedIndex(rowIds(state), state.selected[state.view]),
})

function drawRequestsView(scene: Scene, request: RequestView | null, area: Area): Line[] {
  const { glyphs, medium } = scene.theme
  if (request === null) return drawRequests(scene, area)
  if (medium === 'speech') return [...drawRequests(scene, area), ...drawRequestSummary(request, scene, area)]
  const list = { width: area.width, height: Math.floor(area.height * (area.height > TALL ? 0.6 : 0.4)) }
  const summary = { width: area.width, height: area.height - list.height - 1 }
  return [
    ...drawRequests(scene, list),
    line(span(glyphs.rule.repeat(area.width), 'faint')),
    ...drawRequestSummary(request, scene, summary),
  ]
}

const tooSmall = ({ columns, rows }: { columns: number; rows: number }): Line[] =>
  fill(
    [
      line(span('too small', 'bad')),
      line(`needs ${SMALLEST_LIST.columns}x${SMALLEST_LIST.rows}`),
      line(`has ${columns}x${rows}`),
      line('q quits'),
    ],
    { width: columns, height: Math.max(1, Math.min(4, rows - 1)) },
  )
