import { age, chainAheadText, clockTime, countdown, duration, plural } from '@rfqctl/lib/format'
import { type Line, line, type Span, span } from '../line.ts'
import { chainTime } from '../market.ts'
import { isConnected, quotesPerSecond } from '../selectors.ts'
import { behind, type DashboardLink, type DashboardState, shownMarket, shownNow, type ViewName } from '../state.ts'
import { commandLine, type Glyphs, type Theme } from '../theme.ts'
import type { Advice } from './view.ts'

export const TITLES: Readonly<Record<ViewName, string>> = {
  requests: 'Requests',
  makers: 'Makers',
  confirmations: 'Confirmations',
  settlement: 'Settlement',
  events: 'Events',
  health: 'Health',
}

export function headFigures(state: DashboardState, glyphs: Glyphs): Span[] {
  const market = shownMarket(state)
  const requests = [...market.requests.values()]
  const open = requests.filter(({ status }) => status === 'open').length + market.hiddenRequests
  const waiting = requests.filter((request) => request.waiting !== null).length
  const makers = [...market.makers.values()].filter(isConnected).length
  const now = shownNow(state)
  const aheadMs = chainTime(market, now) - now
  return [
    linkText(state, glyphs),
    market.mode === 'simulated' ? span('simulated', 'bad') : span(`chain ${market.chainId ?? '-'}`),
    ...(chainAheadText(aheadMs) === null ? [] : [span(`${duration(aheadMs)} ahead`, 'busy')]),
    span(`${open} open`),
    span(`${waiting} waiting`, waiting > 0 ? 'busy' : null),
    span(plural(makers, 'maker')),
  ]
}

export function headRate(state: DashboardState, seconds: number): { rate: readonly number[]; text: string } {
  const rate = quotesPerSecond(shownMarket(state), shownNow(state), seconds)
  return { rate, text: `${rate.at(-2) ?? 0} quotes/s` }
}

export function banner(state: DashboardState, { glyphs }: Theme): Line | null {
  const { link, frozen, localNow } = state
  if (link.kind === 'lost') {
    const retry = `trying again in ${countdown(link.retryAt - localNow)}`
    const text = `${glyphs.lost} relay lost ${age(localNow - link.since)} ago, ${retry}; this view is old. ${link.reason}`
    return line(span(text, 'bad'))
  }
  if (link.kind === 'refused') return line(span(`${glyphs.bad} ${link.reason}`, 'bad'))
  if (frozen !== null) {
    const text = `${glyphs.paused} paused at ${clockTime(frozen.now)}, ${plural(behind(state), 'event')} behind; p resumes`
    return line(span(text, 'busy'))
  }
  if (shownMarket(state).mode === 'simulated') {
    return line(span(`${glyphs.warning} SIMULATED MODE: this relay has no chain, so nothing can be filled`, 'bad'))
  }
  return null
}

export const isWaiting = (state: DashboardState): boolean =>
  (state.link.kind === 'connecting' || state.link.kind === 'refused') && !shownMarket(state).isComplete

/** Stands in for a view meanwhile: the situation, then, after an empty sentence, the remedies. */
export const waitingAdvice = ({ link, localNow }: DashboardState, theme: Theme): readonly Advice[] =>
  link.kind === 'refused' ? refusedAdvice(link, theme) : connectingAdvice(link, localNow, theme)

function connectingAdvice(link: DashboardLink, localNow: number, theme: Theme): readonly Advice[] {
  const { glyphs, medium } = theme
  if (link.kind !== 'connecting' || link.reason === null) return [`${glyphs.busy} Connecting to the relay.`]
  const retry = link.retryAt === null ? '' : ` in ${countdown(link.retryAt - localNow)}`
  return [
    `${glyphs.busy} Connecting: no answer after ${plural(link.attempts, 'attempt')}. Trying again${retry}.`,
    link.reason,
    '',
    'Is a relay running here? Start one in another terminal:',
    { command: commandLine(theme, 'up') },
    // A page comes from the relay that it watches.
    ...(medium === 'page'
      ? []
      : [`If it runs elsewhere, pass its URL: ${commandLine(theme, 'dashboard --url http://HOST:PORT')}`]),
  ]
}

function refusedAdvice(
  { isUnauthorised, reason }: Extract<DashboardLink, { kind: 'refused' }>,
  theme: Theme,
): readonly Advice[] {
  const quit = theme.medium === 'page' ? [] : ['', 'q quits.']
  if (!isUnauthorised) return [`The relay refused: ${reason}`, ...quit]
  const facts = ['The relay did not accept the operator token.', reason, '']
  if (theme.medium === 'page') {
    return [
      ...facts,
      'This command opens the page with the token of a relay that runs here:',
      { command: commandLine(theme, 'dashboard --web') },
    ]
  }
  return [
    ...facts,
    'serve keeps its token in its data directory: pass that with --data-dir PATH.',
    'For a relay elsewhere, set OPERATOR_TOKEN to the token it was started with.',
    ...quit,
  ]
}

function linkText({ link, market }: DashboardState, { live, lost, bad, busy }: Glyphs): Span {
  if (link.kind === 'connecting') return span(`${busy} connecting`, 'busy')
  if (link.kind === 'lost') return span(`${lost} lost`, 'bad')
  if (link.kind === 'refused') return span(`${bad} refused`, 'bad')
  if (market.health?.isReady === false) return span(`${bad} not ready`, 'bad')
  return span(`${live} live`, 'good')
}
