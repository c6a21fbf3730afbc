import type { Health } from '../../client/index.ts'
import { sparkline } from '../charts.ts'
import { ago, duration, megabytes } from '../format.ts'
import { type Line, line, type Span, span } from '../line.ts'
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
  const fact = (name: string, ...text: readonly (string | Span)[]): Line =>
    line(span(` ${name.padEnd(16)}`, 'faint'), ...text)
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
    ],
    area,
  )
}

const readyText = ({ isReady }: Health, { good, bad }: Glyphs): Span =>
  isReady ? span(`${good} ready`, 'good') : span(`${bad} not ready`, 'bad')

function partText({ state, tookMs, detail }: Health['parts']['store'], { live, lost, bad }: Glyphs): Span {
  if (state === 'off') return span(`${lost} off: not configured`, 'faint')
  if (state === 'down') return span(`${bad} down: ${detail ?? 'it does not answer'}`, 'bad')
  return span(`${live} up, answers in ${tookMs}ms`, 'good')
}
