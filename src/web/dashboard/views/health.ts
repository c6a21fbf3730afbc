import type { Health } from '@rfqctl/client/index'
import { age, duration, when } from '@rfqctl/lib/format'
import { authorityText } from '@rfqctl/protocol/domain/authority'
import { type Line, line, type Span, span } from '../line.ts'
import type { Market } from '../market.ts'
import { quotesPerSecond } from '../selectors.ts'
import type { Glyphs } from '../theme.ts'
import type { Scene } from './view.ts'

export type Fact = { name: string; text: Line }

/** A loop with a longer lag answers late, milliseconds. */
const SLOW_LOOP_MS = 50

export const RATE_SECONDS = 60

const EVENTS_SHOWN = 5

export const NO_HEALTH = 'No report yet: the relay sends one every 2 seconds.'

export function healthFacts({ market, now, theme: { glyphs } }: Scene) {
  const { health } = market
  if (health === null) return null
  const { connections, head, droppedSlow, eventLoopLagMs, memoryBytes, uptimeMs, makersConnected } = health
  const rate = quotesPerSecond(market, now, RATE_SECONDS)
  const isSlow = eventLoopLagMs > SLOW_LOOP_MS
  return {
    parts: [
      fact('ready', readyText(health, glyphs), span(`  reported ${age(now - health.at)} ago`, 'faint')),
      fact('store', partText(health.parts.store, glyphs)),
      fact('bus', partText(health.parts.bus, glyphs)),
      fact('chain', partText(health.parts.chain, glyphs)),
      fact('chain head', head === null ? 'none' : `block ${head.block}, ${age(head.ageMs)} old`),
      ...proposals(market, now),
    ],
    connections: [
      fact('makers', makersConnected === null ? 'unknown' : `${makersConnected} with a stream`),
      fact('maker streams', String(connections.maker_stream)),
      fact('maker sockets', String(connections.maker_socket)),
      fact('taker streams', String(connections.taker_stream)),
      fact('operators', String(connections.operator_stream)),
      fact('dropped slow', span(String(droppedSlow), droppedSlow > 0 ? 'busy' : null), ' streams since the start'),
    ],
    /** The last fact is the rate of quotes. */
    process: [
      fact(
        'event loop',
        span(`${eventLoopLagMs.toFixed(1)}ms late (p99)`, isSlow ? 'bad' : null),
        isSlow ? ' slow' : '',
      ),
      fact('memory', `${Math.round(memoryBytes / 1_000_000)} MB`),
      fact('up for', duration(uptimeMs)),
      fact('quotes a second', `${rate.at(-2) ?? 0} now, ${Math.max(...rate)} at most in the last minute`),
    ],
    authority: authorityFacts(market),
    /** Quotes per second, oldest first. */
    rate,
  }
}

const fact = (name: string, ...text: readonly (string | Span)[]): Fact => ({ name, text: line(...text) })

const nameOf = (role: string): string => role.replace('_', ' ')

/** Pending takeovers of roles on chain: someone may have to stop one. */
const proposals = ({ authority }: Market, now: number): Fact[] =>
  (authority?.roles ?? []).flatMap(({ role, proposed }) =>
    proposed === null
      ? []
      : [fact(`next ${nameOf(role)}`, span(`${proposed.account}, ${when(proposed.acceptableAt * 1_000, now)}`, 'bad'))],
  )

function authorityFacts({ authority }: Market): Fact[] {
  if (authority === null) return []
  const roles = authority.roles.map(({ role, holder }) => fact(nameOf(role), holder ?? 'no one'))
  const events = authority.events
    .slice(-EVENTS_SHOWN)
    .map((event) => fact(`block ${event.blockNumber}`, span(authorityText(event), 'busy')))
  return [...roles, ...events]
}

const readyText = ({ isReady }: Health, { good, bad }: Glyphs): Span =>
  isReady ? span(`${good} ready`, 'good') : span(`${bad} not ready`, 'bad')

function partText({ state, tookMs, detail }: Health['parts']['store'], { live, lost, bad }: Glyphs): Span {
  if (state === 'off') return span(`${lost} off: not configured`, 'faint')
  if (state === 'down') return span(`${bad} down: ${detail ?? 'it does not answer'}`, 'bad')
  return span(`${live} up, answers in ${tookMs}ms`, 'good')
}
