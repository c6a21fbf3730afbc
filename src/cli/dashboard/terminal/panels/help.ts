import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { type Entry, helpKeys, helpSigns } from '@rfqctl/web/dashboard/views/help'
import { type Area, fill } from '../table.ts'

export function drawHelp(theme: Theme, area: Area): Line[] {
  const signs = theme.medium === 'speech' ? [] : [line(span(' Signs', 'strong')), ...helpSigns(theme).map(drawEntry)]
  return fill([line(span(' Keys', 'strong')), ...helpKeys(theme).map(drawEntry), [], ...signs], area)
}

const drawEntry = ([name, text]: Entry): Line => line(span(`  ${name.padEnd(14)}`, 'title'), text)
