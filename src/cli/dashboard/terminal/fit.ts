import { startOf, widthOf, wrapWords } from '@rfqctl/lib/text-width'
import { type Line, line, plainText, type Span, type Style } from '@rfqctl/web/dashboard/line'

/** In columns. */
export const lineWidth = (spans: Line): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0)

/** Exactly `width` columns: cut with an ellipsis, or padded. */
export function fitLine(spans: Line, width: number, ellipsis: string, align: 'left' | 'right' = 'left'): Line {
  const free = width - lineWidth(spans)
  if (free === 0) return spans
  const padding = { text: ' '.repeat(Math.max(0, free)), style: null }
  if (free > 0) return align === 'right' ? [padding, ...spans] : [...spans, padding]
  return cut(spans, width, ellipsis)
}

function cut(spans: Line, width: number, ellipsis: string): Line {
  if (width <= 0) return []
  const kept: Span[] = []
  let left = width - widthOf(ellipsis)
  for (const { text, style } of spans) {
    const part = startOf(text, left)
    if (part !== '') kept.push({ text: part, style })
    left -= widthOf(part)
    if (part !== text) break
  }
  return [...kept, { text: ellipsis + ' '.repeat(Math.max(0, left)), style: kept.at(-1)?.style ?? null }]
}

/**
 * Lines of at most `width` columns and at most `height` lines, broken between words where possible, each indented like
 * the first.
 */
export function wrap(text: string, width: number, height: number, ellipsis: string): string[] {
  const indent = /^ */.exec(text)?.[0] ?? ''
  const lines = wrapWords(text.slice(indent.length), width - indent.length).map((part) => indent + part)
  const isCut = lines.length > height
  return lines
    .slice(0, height)
    .map((part, i) =>
      plainText(fitLine(line(isCut && i === height - 1 ? `${part} ${ellipsis}` : part), width, ellipsis)),
    )
}

/** Joins pieces into lines of at most `width` columns. */
export function flow(pieces: readonly Line[], width: number): Line[] {
  const lines: Line[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    if (last === undefined || lineWidth(last) + lineWidth(piece) > width) lines.push(piece)
    else lines[lines.length - 1] = [...last, ...piece]
  }
  return lines
}

/** SGR codes of each style: the 16 colours that every terminal has, in its own theme. */
const SGR: Readonly<Record<Style, readonly [on: string, off: string]>> = {
  strong: ['1', '22'],
  faint: ['2', '22'],
  good: ['32', '39'],
  busy: ['33', '39'],
  bad: ['31', '39'],
  title: ['36', '39'],
  chosen: ['7', '27'],
}

export const ansiText = (spans: Line): string =>
  spans
    .map(({ text, style }) => {
      if (style === null) return text
      const [on, off] = SGR[style]
      return `\u001b[${on}m${text}\u001b[${off}m`
    })
    .join('')

/** Shifts a line right by so many columns. */
export const indented = ([first, ...rest]: Line, columns = 1): Line =>
  first === undefined ? [] : [{ ...first, text: ' '.repeat(columns) + first.text }, ...rest]
