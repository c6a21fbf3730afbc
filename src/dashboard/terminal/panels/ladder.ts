import { type Line, line, span } from '../../line.ts'
import type { RequestView } from '../../request-view.ts'
import type { Glyphs } from '../../theme.ts'
import { candidateParts } from '../../views/status.ts'
import { flow, indented } from '../fit.ts'

/** What came of each candidate, in order, and who would be next: as many lines as it takes. */
export function drawLadder(request: RequestView, now: number, glyphs: Glyphs, width: number): Line[] {
  const parts = candidateParts(request, now, glyphs)
  if (parts.length === 0) return []
  return flow([line(span(' ladder', 'faint')), ...parts.map((part) => indented(part))], width)
}
