import { plural } from '../../lib/format.ts'
import { duration } from '../format.ts'
import { type Line, line, span, wrap } from '../line.ts'
import type { DashboardState, Link } from '../state.ts'
import { type Area, fill } from '../table.ts'
import { commandLine, type Theme } from '../theme.ts'

/** What stands in place of a view before the relay has answered, or when it will not. */
export function drawConnecting({ link, localNow }: DashboardState, theme: Theme, area: Area): Line[] {
  const sentences = link.kind === 'refused' ? refusedLines(link) : connectingLines(link, localNow, theme)
  const lines = sentences.flatMap((part) => wrap(part, area.width - 4, 4, theme.glyphs.ellipsis))
  return fill([[], ...lines.map((text) => line('  ', span(text)))], area)
}

function connectingLines(link: Link, localNow: number, theme: Theme): string[] {
  const { glyphs } = theme
  if (link.kind !== 'connecting' || link.reason === null) return [`${glyphs.busy} Connecting to the relay.`]
  const retry = link.retryAt === null ? '' : ` in ${duration(Math.max(0, link.retryAt - localNow))}`
  return [
    `${glyphs.busy} Connecting: no answer after ${plural(link.attempts, 'attempt')}. Trying again${retry}.`,
    link.reason,
    '',
    'Is a relay running here? Start one in another terminal:',
    `  ${commandLine(theme, 'up')}`,
    `If it runs elsewhere, pass its URL: ${commandLine(theme, 'dashboard --url http://HOST:PORT')}`,
  ]
}

function refusedLines({ isUnauthorised, reason }: Extract<Link, { kind: 'refused' }>): string[] {
  if (!isUnauthorised) return [`The relay refused: ${reason}`, '', 'q quits.']
  return [
    'The relay did not accept the operator token.',
    reason,
    '',
    'serve keeps its token in its data directory: pass that with --data-dir PATH.',
    'For a relay elsewhere, set OPERATOR_TOKEN to the token it was started with.',
    '',
    'q quits.',
  ]
}
