import { widthOf, wrapWords } from '@rfqctl/lib/text-width'

/**
 * Wraps between words at `width` columns. A command of ours stays on one line with all that follows it: half of it,
 * pasted into a shell, would be another command.
 */
export function wrapTalk(text: string, { width, program }: { width: number | null; program: string }): string {
  if (width === null) return text
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, { width, program }))
    .join('\n')
}

function wrapLine(line: string, { width, program }: { width: number; program: string }): string[] {
  if (widthOf(line) <= width) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const words = line.slice(indent.length)
  const name = program.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const start = words.search(new RegExp(`(?<=^| )(?:[A-Z_]+=\\S+ )*${name} `))
  const prose = start === -1 ? words : words.slice(0, start).trimEnd()
  const command = start === -1 ? '' : words.slice(start)
  const lines = prose === '' ? [] : wrapWords(prose, width - indent.length)
  const last = lines.at(-1)
  if (command === '') return lines.map((each) => indent + each)
  const isOnLast = last !== undefined && widthOf(`${indent}${last} ${command}`) <= width
  const all = isOnLast ? [...lines.slice(0, -1), `${last} ${command}`] : [...lines, command]
  return all.map((each) => indent + each)
}
