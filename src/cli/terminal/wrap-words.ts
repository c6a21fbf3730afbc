import { stripVTControlCharacters } from 'node:util'

/** Text as lines of at most `width` columns, broken between words; a word that is longer stands alone. Null is no limit. */
export function wrapWords(text: string, width: number | null): string[] {
  if (width === null) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    const longer = `${line} ${word}`
    if (line === undefined || stripVTControlCharacters(longer).length > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
