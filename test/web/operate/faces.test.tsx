import { describe, expect, it } from 'vitest'
import { describeState, drawScreen } from '../../../src/cli/dashboard/terminal/screen.ts'
import { clockTime } from '../../../src/lib/format.ts'
import {
  latencyClasses,
  latencySentence,
  NO_PRICES,
  NO_WAITS,
  priceRange,
  priceSentence,
} from '../../../src/web/dashboard/charts.ts'
import { plainText } from '../../../src/web/dashboard/line.ts'
import type { RequestView } from '../../../src/web/dashboard/request-view.ts'
import { rowIds, selectedIndex, selectedRequest } from '../../../src/web/dashboard/selectors.ts'
import { type DashboardState, shownNow, VIEWS, type ViewName } from '../../../src/web/dashboard/state.ts'
import { PAGE, type Theme, UNICODE, WORDS_ONLY } from '../../../src/web/dashboard/theme.ts'
import { CONFIRMATIONS, waitsTitle } from '../../../src/web/dashboard/views/confirmations.ts'
import { EVENTS } from '../../../src/web/dashboard/views/events.ts'
import { healthFacts, NO_HEALTH } from '../../../src/web/dashboard/views/health.ts'
import { filterText, helpKeys, keysNow, TYPING_HINT } from '../../../src/web/dashboard/views/help.ts'
import {
  banner,
  headFigures,
  headRate,
  isWaiting,
  TITLES,
  waitingAdvice,
} from '../../../src/web/dashboard/views/link.ts'
import { MAKERS, makerDetail } from '../../../src/web/dashboard/views/makers.ts'
import { BOOK, requestDetail } from '../../../src/web/dashboard/views/request-detail.ts'
import { REQUESTS } from '../../../src/web/dashboard/views/requests.ts'
import { SETTLEMENT, seriesDetail } from '../../../src/web/dashboard/views/settlement.ts'
import { candidateParts } from '../../../src/web/dashboard/views/status.ts'
import {
  type Advice,
  type Cell,
  type Column,
  cellLine,
  type Scene,
  sceneOf,
  type TableView,
} from '../../../src/web/dashboard/views/view.ts'
import { PAGE_ROWS } from '../../../src/web/operate/RowTable.tsx'
import { OPERATE_STATES } from '../operate-states.ts'
import { markupOf, spaced, textOf } from './face.tsx'

const SPEECH: Theme = { glyphs: WORDS_ONLY, medium: 'speech' }

const TABLES = {
  requests: REQUESTS,
  makers: MAKERS,
  confirmations: CONFIRMATIONS,
  settlement: SETTLEMENT,
  events: EVENTS,
} satisfies Record<Exclude<ViewName, 'health'>, unknown>

const textOfCell = (cell: Cell): string => plainText(cellLine(cell))
const textsOfAdvice = (advice: readonly Advice[]): string[] =>
  advice.map((part) => (typeof part === 'string' ? part : part.command))

/** Everything that the core has to say of a state, cell by cell and sentence by sentence. */
function textsOf(state: DashboardState, theme: Theme): string[] {
  return [...frameTexts(state, theme), ...bodyTexts(state, theme)].map(spaced).filter((text) => text !== '')
}

function frameTexts(state: DashboardState, theme: Theme): string[] {
  const said = banner(state, theme)
  const isQuiet = state.typing === null && state.notice === null
  return [
    ...headFigures(state, theme.glyphs).map(({ text }) => text),
    headRate(state, 2).text,
    `${clockTime(shownNow(state))} UTC`,
    // Before there is anything to see, it is told in place of the view.
    ...(said === null || isWaiting(state) ? [] : [plainText(said)]),
    ...(state.typing === null ? [] : [state.typing, TYPING_HINT]),
    ...(state.notice === null ? [] : [state.notice.text]),
    ...(isQuiet ? [filterText(state) ?? '', ...keysNow(state, theme.medium).map((entry) => entry.join(' '))] : []),
  ]
}

function bodyTexts(state: DashboardState, theme: Theme): string[] {
  if (isWaiting(state)) return textsOfAdvice(waitingAdvice(state, theme))
  if (state.overlay === 'help') return helpKeys(theme).flatMap((entry) => [...entry])
  const scene = sceneOf(state, theme)
  const request = selectedRequest(state)
  if (state.overlay === 'detail' && request !== null) return historyTexts(request, scene)
  if (state.view === 'health') return healthTexts(scene)
  return [...tableTexts(state, scene), ...chosenTexts(state, scene)]
}

function tableTexts(state: DashboardState, scene: Scene): string[] {
  switch (state.view) {
    case 'requests':
      return rowTexts(state, REQUESTS, scene)
    case 'makers':
      return rowTexts(state, MAKERS, scene)
    case 'confirmations':
      return rowTexts(state, CONFIRMATIONS, scene)
    case 'settlement':
      return rowTexts(state, SETTLEMENT, scene)
    case 'events':
      return rowTexts(state, EVENTS, scene)
    case 'health':
      return []
  }
}

/** The headings of every view of rows. */
const HEADINGS = Object.entries(TABLES).map(([view, { columns }]) => ({
  view,
  headings: Object.values(columns).map(({ heading }) => heading),
}))

/** The cells of the rows that a page draws. */
function rowTexts<Row>(state: DashboardState, table: TableView<Row>, scene: Scene): string[] {
  const rows = table.rowsOf(scene)
  if (rows.length === 0) return textsOfAdvice(table.empty(scene))
  const chosen = selectedIndex(rowIds(state), state.selected[state.view])
  const start = chosen - (chosen % PAGE_ROWS)
  return cellTexts(table.columns, rows.slice(start, start + PAGE_ROWS), scene)
}

const cellTexts = <Row,>(
  columns: Readonly<Record<string, Column<Row>>>,
  rows: readonly Row[],
  scene: Scene,
): string[] => rows.flatMap((row) => Object.values(columns).map(({ cell }) => textOfCell(cell(row, scene))))

function chosenTexts(state: DashboardState, scene: Scene): string[] {
  const { market } = scene
  const chosen = selectedIndex(rowIds(state), state.selected[state.view])
  const request = selectedRequest(state)
  switch (state.view) {
    case 'requests':
      return request === null ? [] : summaryTexts(request, scene)
    case 'makers': {
      const maker = MAKERS.rowsOf(scene)[chosen]
      return maker === undefined ? [] : Object.values(makerDetail(maker, scene)).map(textOfCell)
    }
    case 'confirmations':
      return [
        ...(request === null ? [] : candidateParts(request, scene.now, scene.theme.glyphs).map(textOfCell)),
        waitsTitle(market.waits),
        market.waits.length === 0 ? NO_WAITS : latencySentence(latencyClasses(market.waits)),
      ]
    case 'settlement': {
      const progress = SETTLEMENT.rowsOf(scene)[chosen]
      return progress === undefined
        ? []
        : Object.values(seriesDetail(progress, scene)).map((part) => textOfCell(part ?? ''))
    }
    default:
      return []
  }
}

/** A request as it stands below its list: with the newest refusals, and a chart where there are prices. */
function summaryTexts(request: RequestView, scene: Scene): string[] {
  const { refusals, moreRefusals, prices } = requestDetail(request, scene)
  return [
    ...standingTexts(request, scene),
    ...[...refusals, moreRefusals ?? ''].map(textOfCell),
    ...(priceRange(prices) === null ? [] : [priceSentence(prices)]),
  ]
}

/** A request on its own: with all that happened, of which refusals are a part. */
function historyTexts(request: RequestView, scene: Scene): string[] {
  const { prices, history } = requestDetail(request, scene)
  return [
    ...standingTexts(request, scene),
    priceRange(prices) === null ? NO_PRICES : priceSentence(prices),
    ...history.flatMap(({ time, text }) => [time, textOfCell(text)]),
  ]
}

function standingTexts(request: RequestView, scene: Scene): string[] {
  const { title, status, worth, ladder, book, noQuote } = requestDetail(request, scene)
  return [
    ...[title, status, worth ?? '', ...ladder].map(textOfCell),
    ...(book.length === 0 ? [noQuote] : cellTexts(BOOK, book, scene)),
  ]
}

function healthTexts(scene: Scene): string[] {
  const facts = healthFacts(scene)
  if (facts === null) return [NO_HEALTH]
  const { parts, connections, process, authority } = facts
  return [...parts, ...connections, ...process, ...authority].flatMap(({ name, text }) => [name, textOfCell(text)])
}

describe('the two faces of the dashboard', () => {
  const states = Object.entries(OPERATE_STATES)

  it.each(states)('both tell all that there is to tell: %s', (_, state) => {
    const page = textOf(markupOf(state))
    expect(textsOf(state, PAGE).filter((text) => !page.includes(text))).toEqual([])
    const told = spaced(describeState(state, SPEECH).map(plainText).join(' '))
    expect(textsOf(state, SPEECH).filter((text) => !told.includes(text))).toEqual([])
  })

  it.each(HEADINGS)('both have every column of $view', ({ view, headings }) => {
    const state = OPERATE_STATES[view] as DashboardState
    const drawn = drawScreen(state, { glyphs: UNICODE, medium: 'screen' }, { columns: 200, rows: 60 }).map(plainText)
    const head = drawn.find((text) => text.includes(headings[1] as string)) ?? ''
    expect(headings.filter((heading) => !head.includes(heading))).toEqual([])
    const table = /<table class="[^"]*ops-table">.*?<\/thead>/s.exec(markupOf(state))?.[0] ?? ''
    const cells = [...table.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, text]) => text)
    expect(cells).toEqual(headings)
  })

  it('both have a tab for every view', () => {
    const state = OPERATE_STATES.requests as DashboardState
    const drawn = drawScreen(state, { glyphs: UNICODE, medium: 'screen' }, { columns: 120, rows: 40 }).map(plainText)
    const tabs = [...markupOf(state).matchAll(/role="tab"[^>]*>([^<]*)</g)].map(([, text]) => text)
    expect(tabs).toEqual(VIEWS.map((view) => TITLES[view]))
    expect(drawn[1]?.trim().split(/ *\d /).slice(1)).toEqual(tabs)
  })

  it('are seen in every way that a relay can be connected, and in every view', () => {
    const seen = states.map(([, state]) => state)
    expect(new Set(seen.map(({ link }) => link.kind))).toEqual(new Set(['connecting', 'live', 'lost', 'refused']))
    expect(new Set(seen.map(({ view }) => view))).toEqual(new Set(VIEWS))
    expect(new Set(seen.map(({ market }) => market.mode))).toEqual(new Set(['onchain', 'simulated']))
    expect(new Set(seen.map(({ overlay }) => overlay))).toEqual(new Set(['none', 'detail', 'help']))
  })
})
