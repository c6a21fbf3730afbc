import { type Line, line, span } from '../line.ts'
import { type Area, fill } from '../table.ts'
import type { Theme } from '../theme.ts'

/** All keys, and what the signs mean. */
export function drawHelp({ glyphs, medium }: Theme, area: Area): Line[] {
  const keys: readonly (readonly [string, string])[] = [
    ['1 to 6, tab', 'requests, makers, confirmations, settlement, events, health'],
    ['up down, j k', 'choose a row; page up, page down, g for the first, G for the last'],
    ['enter', 'the whole history of the chosen request; esc goes back'],
    ['/', 'show only the rows that contain a text; esc shows all again'],
    ['p', 'pause the view; the relay keeps running, p catches up'],
    ['y', 'copy the id of the chosen row, if the terminal lets programs copy'],
    ['q, ctrl-c', 'quit; the dashboard is read-only, so nothing is lost'],
  ]
  const signs: readonly (readonly [string, string])[] = [
    [glyphs.busy, 'waits for someone, with a deadline'],
    [glyphs.good, 'went well'],
    [glyphs.bad, 'refused, missed, or down'],
    [glyphs.live, 'alive'],
    [glyphs.lost, 'over, away, or lost'],
    [glyphs.warning, 'needs a person'],
    [glyphs.best, 'the best quote: fewest misses, then best price, then first'],
    [`${glyphs.dot} ${glyphs.path}`, 'a quote, and the best price over time'],
  ]
  const row = ([name, text]: readonly [string, string]): Line => line(span(`  ${name.padEnd(14)}`, 'title'), text)
  return fill(
    [
      line(span(' Keys', 'strong')),
      ...keys.map(row),
      [],
      ...(medium === 'speech' ? [] : [line(span(' Signs', 'strong')), ...signs.map(row)]),
    ],
    area,
  )
}
