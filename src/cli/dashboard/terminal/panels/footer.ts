import { type Line, line, type Span, span } from '@rfqctl/web/dashboard/line'
import type { DashboardState } from '@rfqctl/web/dashboard/state'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { filterText, keysNow, TYPING_HINT } from '@rfqctl/web/dashboard/views/help'
import { fitLine } from '../fit.ts'

/** The last line: only keys that do something now; while a filter is typed, the filter; else a notice. */
export function drawFooter(state: DashboardState, { glyphs, medium }: Theme, width: number): Line {
  if (state.typing !== null) {
    const keys = span(`   ${TYPING_HINT}`, 'faint')
    return fitLine(
      line(span(' / ', 'title'), span(state.typing, 'strong'), span('_', 'busy'), keys),
      width,
      glyphs.ellipsis,
    )
  }
  if (state.notice !== null) return fitLine(line(span(` ${state.notice.text}`, 'good')), width, glyphs.ellipsis)
  const keys = keysNow(state, medium).flatMap(([key, does]): Span[] => [span(` ${key} `, 'title'), span(`${does} `)])
  const filter = filterText(state)
  return fitLine([...(filter === null ? [] : [span(` ${filter} `, 'busy')]), ...keys], width, glyphs.ellipsis)
}
