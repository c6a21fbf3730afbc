import { type Line, line, span } from '../../line.ts'
import type { Theme } from '../../theme.ts'
import { type Entry, helpKeys, helpSigns } from '../../views/help.ts'
import { type Area, fill } from '../table.ts'

/** All keys, and what the signs mean. */
export function drawHelp(theme: Theme, area: Area): Line[] {
  const signs = theme.medium === 'speech' ? [] : [line(span(' Signs', 'strong')), ...helpSigns(theme).map(drawEntry)]
  return fill([line(span(' Keys', 'strong')), ...helpKeys(theme).map(drawEntry), [], ...signs], area)
}

const drawEntry = ([name, text]: Entry): Line => line(span(`  ${name.padEnd(14)}`, 'title'), text)
