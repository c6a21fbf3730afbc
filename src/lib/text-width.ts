import { createRequire } from 'node:module'

/** Loaded by the first text that needs it: what it makes of Unicode's tables takes longer than the rest of `--help`. */
let stringWidth: ((text: string) => number) | undefined

/** Characters one column wide: ASCII, Latin letters, and the signs that we draw. Most texts consist of these. */
const NARROW = /^[\x20-\x7e\xa1-\xac\xae-\xff‖•…─━│┤█▁-▇░▲▸●○◐★✓✗]*$/

/** Columns of a text in a terminal; colour codes take none. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length
  stringWidth ??= (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default
  return stringWidth(text)
}

/** The longest start, of a text without colours, that fits `width` columns. */
export function startOf(text: string, width: number): string {
  if (NARROW.test(text)) return text.slice(0, Math.max(0, width))
  let start = ''
  let used = 0
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    start += character
  }
  return start
}

/** Lines of at most `width` columns, broken between words; a longer word gets its own line. Null: no limit. */
export function wrapWords(text: string, width: number | null): string[] {
  if (width === null) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    const longer = `${line} ${word}`
    if (line === undefined || widthOf(longer) > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
