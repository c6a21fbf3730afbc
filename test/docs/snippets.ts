import { readFileSync } from 'node:fs'
import * as client from '../../src/client/index.ts'

const ROOT = new URL('../../', import.meta.url)

/** A block of code on a page, by its language. */
export type Snippet = { page: string; line: number; language: string; text: string }

/** The blocks of a page in some languages, in their order; from one heading to the next of its level or above, if it is named. */
export function snippetsOf(
  page: string,
  { languages, heading }: { languages: readonly string[]; heading?: string },
): Snippet[] {
  const whole = readFileSync(new URL(page, ROOT), 'utf8')
  const from = heading === undefined ? 0 : whole.indexOf(`\n${heading}\n`)
  if (from === -1) throw new Error(`${page} has no heading "${heading}"`)
  const section = heading === undefined ? whole : sectionOf(whole.slice(from + 1))
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(({ 1: language = '', 2: text = '', index }) => {
    const line = whole.slice(0, (heading === undefined ? 0 : from + 1) + index).split('\n').length + 1
    return languages.includes(language) ? [{ page, line, language, text }] : []
  })
}

/** A section that begins with its heading, with those below it. */
export function sectionOf(text: string): string {
  const [title = '', marks = ''] = /^(#+) .*\n/.exec(text) ?? []
  const end = text.slice(title.length).search(new RegExp(`^#{1,${marks.length}} `, 'm'))
  return end === -1 ? text : text.slice(0, title.length + end)
}

/** The values of `rfqctl/client` that a snippet takes for imported. */
export const importedBy = ({ text }: Snippet): string[] =>
  / from 'rfqctl\/client'/.test(text)
    ? []
    : Object.keys(client).filter((name) => new RegExp(`(?<![\\w.'])${name}\\b(?!')`).test(text))
