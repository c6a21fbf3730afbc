import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import type { RequestView } from '@rfqctl/web/dashboard/request-view'
import type { Glyphs } from '@rfqctl/web/dashboard/theme'
import { candidateParts } from '@rfqctl/web/dashboard/views/status'
import { flow, indented } from '../fit.ts'

/** The outcome of each candidate in order, and the next one; as many lines as needed. */
export function drawLadder(request: RequestView, now: number, glyphs: Glyphs, width: number): Line[] {
  const parts = candidateParts(request, now, glyphs)
  if (parts.length === 0) return []
  return flow([line(span(' ladder', 'faint')), ...parts.map((part) => indented(part))], width)
}
