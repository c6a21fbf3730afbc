import type { Health } from '../../client/index.ts'
import { authorityText } from '../../domain/authority.ts'
import { sparkline } from '../charts.ts'
import { ago, duration, megabytes, when } from '../format.ts'
import { type Line, line, type Span, span } from '../line.ts'
import type { Market } from '../market.ts'
import { quotesPerSecond } from '../selectors.ts'
import { fill } from '../table.ts'
import type { Glyphs } from '../theme.ts'
import type { Panel } from './panel.ts'

/** A loop that lags more than this answers late, milliseconds. */
const SLOW_LOOP_MS = 50

/** Seconds of quotes that are drawn. */
const RATE_SECONDS = 60

/** How the relay is doing: its parts, its connections, its process. */
export const drawHealth: Panel = ({ market, now, theme }, area) => {
  const { health } = market
  if (health === null) return fill([line(span(' No report yet: the relay sends one every 2 seconds.', 'faint'))], area)
  const { connections, head, droppedSlow, eventLoopLagMs, memoryBytes, uptimeMs, makersConnected } = health
  const fact: Fact = (name, ...text) => line(span(` ${name.padEnd(16)}`, 'faint'), ...text)
  const rate = quotesPerSecond(market, now, RATE_SECONDS)
  const isSlow = eventLoopLagMs > SLOW_LOOP_MS
  const chart = theme.medium === 'speech' ? '' : sparkline(rate, RATE_SECONDS, theme.glyphs, 0)
  return fill(
    [
      fact('ready', readyText(health, theme.glyphs), span(`  reported ${ago(now - health.at)} ago`, 'faint')),
      fact('store', partText(health.parts.store, theme.glyphs)),
      fact('bus', partText(health.parts.bus, theme.glyphs)),
      fact('chain', partText(health.parts.chain, theme.glyphs)),
      fact('chain head', head === null ? 'none' : `block ${head.block}, ${duration(head.ageMs)} old`),
      ...proposals(market, now, fact),
      [],
      fact('makers', makersConnected === null ? 'unknown' : `${makersConnected} with a stream`),
      fact('maker streams', String(connections.maker_stream)),
      fact('maker sockets', String(connections.maker_socket)),
      fact('taker streams', String(connections.taker_stream)),
      fact('operators', String(connections.operator_stream)),
      fact('dropped slow', span(String(droppedSlow), droppedSlow > 0 ? 'busy' : null), ' streams since the start'),
      [],
      fact(
        'event loop',
        span(`${eventLoopLagMs.toFixed(1)}ms late (p99)`, isSlow ? 'bad' : null),
        isSlow ? ' slow' : '',
      ),
      fact('memory', megabytes(memoryBytes)),
      fact('up for', duration(uptimeMs)),
      fact('quotes a second', `${rate.at(-2) ?? 0} now, ${Math.max(...rate)} at most in the last minute`),
      ...(chart === '' ? [] : [line(span(' '.repeat(17)), span(chart, 'good'))]),
      ...authorityLines(market, fact),
    ],
    area,
  )
}

/** Events that there is room for. */
const EVENTS_SHOWN = 5

type Fact = (name: string, ...text: readonly (string | Span)[]) => Line

const nameOf = (role: string): string => role.replace('_', ' ')

/** Who is to take over a role on chain: someone may have to stop it. */
const proposals = ({ authority }: Market, now: number, fact: Fact): Line[] =>
  (authority?.roles ?? []).flatMap(({ role, proposed }) =>
    proposed === null
      ? []
      : [
          fact(
            `next ${nameOf(role)}`,
            span(` ${proposed.account}, ${when(proposed.acceptableAt * 1_000, now)}`, 'bad'),
          ),
        ],
  )

/** Who holds the roles on chain, and what was done with them lately. */
function authorityLines({ authority }: Market, fact: Fact): Line[] {
  if (authority === null) return []
  const roles = authority.roles.map(({ role, holder }) => fact(nameOf(role), holder ?? 'no one'))
  const events = authority.events
    .slice(-EVENTS_SHOWN)
    .map((event) => fact(`block ${event.blockNumber}`, span(authorityText(event), 'busy')))
  return [[], ...roles, ...events]
}

const readyText = ({ isReady }: Health, { good, bad }: Glyphs): Span =>
  isReady ? span(`${good} ready`, 'good') : span(`${bad} not ready`, 'bad')

function partText({ state, tookMs, detail }: Health['parts']['store'], { live, lost, bad }: Glyphs): Span {
  if (state === 'off') return span(`${lost} off: not configured`, 'faint')
  if (state === 'down') return span(`${bad} down: ${detail ?? 'it does not answer'}`, 'bad')
  return span(`${live} up, answers in ${tookMs}ms`, 'good')
}
