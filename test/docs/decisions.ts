import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../docs/internals/decisions/', import.meta.url)

/** A page of docs/internals/decisions, and the letters by which it is cited besides its number. */
export type Decision = { number: string; file: string; title: string; anchors: readonly string[]; text: string }

export const DECISIONS: readonly Decision[] = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .sort()
  .map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
    return { number: file.slice(0, 4), file, title: /^# \d{4}\. (.+)/.exec(text)?.[1] ?? '', anchors, text }
  })

/** Where `decision C7` is, below docs/internals/decisions. */
export function decisionAddress(id: string): string {
  const page = DECISIONS.find(({ number, anchors }) => number === id || anchors.includes(id))
  if (page === undefined) throw new Error(`there is no decision ${id}`)
  return page.number === id ? page.file : `${page.file}#${id}`
}
