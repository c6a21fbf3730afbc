import { plural } from '../../lib/format.ts'
import { sparkline } from '../charts.ts'
import { clockTime, duration } from '../format.ts'
import { fitLine, type Line, line, lineWidth, type Span, span } from '../line.ts'
import { isConnected, quotesPerSecond } from '../selectors.ts'
import { behind, type DashboardState, shownMarket, shownNow, VIEWS, type ViewName } from '../state.ts'
import type { Glyphs, Theme } from '../theme.ts'

/** What each view is called on its tab. */
const TITLES: Readonly<Record<ViewName, string>> = {
  requests: 'Requests',
  makers: 'Makers',
  confirmations: 'Confirmations',
  settlement: 'Settlement',
  events: 'Events',
  health: 'Health',
}

/** From this width on there is room for the rate of quotes. */
const WIDE = 100

/** The first line: the connection, the chain, what is open, what waits, and the relay's time. */
export function drawHeader(state: DashboardState, theme: Theme, width: number): Line {
  const rate = quotesPerSecond(shownMarket(state), shownNow(state), 12)
  const left = [
    span(' rfqctl ', 'strong'),
    ...figures(state, theme.glyphs).flatMap((figure) => [figure, span('  ')]),
    ...(width < WIDE ? [] : [span(`${rateText(rate)} `), span(sparkline(rate, 12, theme.glyphs, 0), 'good')]),
  ]
  const right = span(`${clockTime(shownNow(state))} UTC `, 'faint')
  return [...fitLine(left, width - lineWidth([right]), theme.glyphs.ellipsis), right]
}

/** The same as a sentence. */
export function describeHeader(state: DashboardState, theme: Theme): Line {
  const parts = figures(state, theme.glyphs).map(({ text }) => text.trim())
  const rate = quotesPerSecond(shownMarket(state), shownNow(state), 2)
  return line(`${parts.join(', ')}, ${rateText(rate)}, ${clockTime(shownNow(state))} UTC.`)
}

function figures(state: DashboardState, glyphs: Glyphs): Span[] {
  const market = shownMarket(state)
  const requests = [...market.requests.values()]
  const open = requests.filter(({ status }) => status === 'open').length + market.hiddenRequests
  const waiting = requests.filter((request) => request.waiting !== null).length
  const makers = [...market.makers.values()].filter(isConnected).length
  return [
    linkText(state, glyphs),
    market.mode === 'simulated' ? span('simulated', 'bad') : span(`chain ${market.chainId ?? '-'}`),
    span(`${open} open`),
    span(`${waiting} waiting`, waiting > 0 ? 'busy' : null),
    span(plural(makers, 'maker')),
  ]
}

/** Quotes of the last whole second. */
const rateText = (rate: readonly number[]): string => `${rate.at(-2) ?? 0} quotes/s`

/** The tabs of the views. */
export const drawTabs = ({ view }: DashboardState): Line =>
  VIEWS.flatMap((name, i) => {
    const label = ` ${i + 1} ${TITLES[name]} `
    return name === view ? [span(label, 'chosen')] : [span(label)]
  })

/** The line under the tabs: what keeps the screen from showing what is now, if anything does. */
export function drawBanner(state: DashboardState, { glyphs }: Theme, width: number): Line {
  const { link, frozen, localNow } = state
  if (link.kind === 'lost') {
    const retry = `trying again in ${duration(Math.max(0, link.retryAt - localNow))}`
    const text = ` ${glyphs.lost} relay lost ${duration(localNow - link.since)} ago, ${retry}; this view is old. ${link.reason}`
    return fitLine(line(span(text, 'bad')), width, glyphs.ellipsis)
  }
  if (link.kind === 'refused') {
    return fitLine(line(span(` ${glyphs.bad} ${link.reason}`, 'bad')), width, glyphs.ellipsis)
  }
  if (frozen !== null) {
    const text = ` ${glyphs.paused} paused at ${clockTime(frozen.now)}, ${plural(behind(state), 'event')} behind; p resumes`
    return line(span(text, 'busy'))
  }
  if (shownMarket(state).mode === 'simulated') {
    const text = ` ${glyphs.warning} SIMULATED MODE: this relay has no chain, so nothing can be filled`
    return fitLine(line(span(text, 'bad')), width, glyphs.ellipsis)
  }
  return line(span(glyphs.rule.repeat(width), 'faint'))
}

function linkText({ link, market }: DashboardState, { live, lost, bad, busy }: Glyphs): Span {
  if (link.kind === 'connecting') return span(`${busy} connecting`, 'busy')
  if (link.kind === 'lost') return span(`${lost} lost`, 'bad')
  if (link.kind === 'refused') return span(`${bad} refused`, 'bad')
  if (market.health?.isReady === false) return span(`${bad} not ready`, 'bad')
  return span(`${live} live`, 'good')
}
