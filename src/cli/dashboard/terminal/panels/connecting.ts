import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import type { DashboardState } from '@rfqctl/web/dashboard/state'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { waitingAdvice } from '@rfqctl/web/dashboard/views/link'
import { wrap } from '../fit.ts'
import { type Area, fill } from '../table.ts'
import { adviceTexts } from './panel.ts'

/** Shown until the relay has answered, or when it will not. */
export function drawConnecting(state: DashboardState, theme: Theme, area: Area): Line[] {
  const sentences = adviceTexts(waitingAdvice(state, theme))
  const lines = sentences.flatMap((part) => wrap(part, area.width - 4, 4, theme.glyphs.ellipsis))
  return fill([[], ...lines.map((text) => line('  ', span(text)))], area)
}
