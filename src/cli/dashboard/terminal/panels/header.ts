import { clockTime } from '@rfqctl/lib/format'
import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import { type DashboardState, shownNow, VIEWS } from '@rfqctl/web/dashboard/state'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { banner, headFigures, headRate, TITLES } from '@rfqctl/web/dashboard/views/link'
import { sparkline } from '../charts.ts'
import { fitLine, indented, lineWidth } from '../fit.ts'

const WIDE = 100

export function drawHeader(state: DashboardState, theme: Theme, width: number): Line {
  const { rate, text } = headRate(state, 12)
  const left = [
    span(' rfqctl ', 'strong'),
    ...headFigures(state, theme.glyphs).flatMap((figure) => [figure, span('  ')]),
    ...(width < WIDE ? [] : [span(`${text} `), span(sparkline(rate, 12, theme.glyphs, 0), 'good')]),
  ]
  const right = span(`${clockTime(shownNow(state))} UTC `, 'faint')
  return [...fitLine(left, width - lineWidth([right]), theme.glyphs.ellipsis), right]
}

export function describeHeader(state: DashboardState, theme: Theme): Line {
  const parts = headFigures(state, theme.glyphs).map(({ text }) => text.trim())
  return line(`${parts.join(', ')}, ${headRate(state, 2).text}, ${clockTime(shownNow(state))} UTC.`)
}

export const drawTabs = ({ view }: DashboardState): Line =>
  VIEWS.flatMap((name, i) => {
    const label = ` ${i + 1} ${TITLES[name]} `
    return name === view ? [span(label, 'chosen')] : [span(label)]
  })

/** The line under the tabs says why the screen is not current, if it is not. */
export function drawBanner(state: DashboardState, theme: Theme, width: number): Line {
  const said = banner(state, theme)
  if (said === null) return line(span(theme.glyphs.rule.repeat(width), 'faint'))
  return fitLine(indented(said), width, theme.glyphs.ellipsis)
}
