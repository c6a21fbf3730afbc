import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { DOC_PAGES } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What docs/internals/style.md asks to say otherwise, with the plain words. */
const DENIED: readonly { words: RegExp; instead: string }[] = [
  { words: /(?<!there )\b(?:is|are|was|were) no\b(?! longer\b)/i, instead: 'is not a' },
  { words: /(?<!there )\b(?:is|are|was|were) none\b/i, instead: 'is not one of, there is none' },
  { words: /\bnobody\b/i, instead: 'no one, or who exactly' },
  { words: /\b(?:any|every|some)body\b/i, instead: 'anyone, everyone, someone' },
  { words: /\bwhoever\b/i, instead: 'who, the one that' },
  { words: /\banew\b/i, instead: 'again' },
  { words: /\bfor ever\b/i, instead: 'forever, final' },
  { words: /\bin vain\b|\bto no avail\b/i, instead: 'timed out, failed' },
  { words: /\bany more\b/i, instead: 'no longer' },
  { words: /\b(?:stands?|stood)\b/i, instead: 'is' },
  { words: /\b(?:goes|go|went|going) on\b/i, instead: 'continues, resumes' },
  { words: /\b(?:told|tells)\b/i, instead: 'shows, says, reports' },
  { words: /\bnot said\b/i, instead: 'not given' },
  { words: /\bin office\b/i, instead: 'active' },
  { words: /\b(?:house|doors?|guests?|desks?|rooms|toys?|villains?|walls?|customs)\b/i, instead: "the field's word" },
]

/** Of these, what a comment does not need either. */
const DENIED_IN_COMMENTS = /\b(?:nobody|(?:any|every|some)body|anew|for ever)\b/i
/** A sentence begins with its subject. */
const DENIED_OPENINGS = /^\**\s*(?:What|Who|Whose|Whom|Whoever|How|Where|Those|Of)\b/

/** Words that a title does without; like a comment, it begins with its subject. */
const DENIED_IN_TITLES =
  /^(?:what|who|whose|whom|whoever|how|where|those|of)\b|\b(?:nobody|(?:any|every|some)body|whoever|anew|for ever|told|stands|hears|heard|goes on|in vain)\b/i

type Sentence = { at: string; text: string }

type Node = { type?: string; value?: unknown; start?: number }

/** SQL is not a sentence. */
const isSql = (text: string): boolean =>
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|set)\s[\s\S]*\b(?:from|into|set|as|table|true)\b/.test(
    text,
  )

/** The texts between quotes and backticks that are more than a word. */
function sentencesOf(path: string): Sentence[] {
  const source = readFileSync(`${ROOT}${path}`, 'utf8')
  const found: Sentence[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value, start = 0 } = node as Node
    const text = type === 'TemplateElement' ? (value as { cooked: string }).cooked : value
    if ((type === 'Literal' || type === 'TemplateElement' || type === 'JSXText') && typeof text === 'string') {
      const line = source.slice(0, start).split('\n').length
      if (/\S\s+\S/.test(text) && !isSql(text)) found.push({ at: `${path}:${line}`, text })
      return
    }
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseSync(path, source).program)
  return found
}

/** The lines of a page without its code, screens, addresses and what a benchmark or a test writes between marks. */
function proseOf(path: string): Sentence[] {
  const text = readFileSync(`${ROOT}${path}`, 'utf8')
  const blank = (match: string): string => match.replace(/[^\n]/g, ' ')
  return text
    .replace(/^<!-- ([\w-]+) -->$[\s\S]*?^<!-- \/\1 -->$/gm, blank)
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/"[^"\n]*"|“[^”]*”/g, blank)
    .split('\n')
    .map((line, i) => ({ at: `${path}:${i + 1}`, text: line }))
}

const deniedIn = (sentences: readonly Sentence[]): string[] =>
  sentences.flatMap(({ at, text }) =>
    DENIED.filter(({ words }) => words.test(text)).map(
      ({ words, instead }) => `${at} "${words.exec(text)?.[0]}" (${instead}): ${text.trim().slice(0, 80)}`,
    ),
  )

/** The titles of tests and groups: a call with a text of several words first and a function last, by whatever helper. */
function titlesOf(path: string): Sentence[] {
  const source = readFileSync(`${ROOT}${path}`, 'utf8')
  const found: Sentence[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, arguments: given = [] } = node as Node & { arguments?: (Node & { start: number; end: number })[] }
    const [title, last] = [given[0], given.at(-1)]
    if (
      type === 'CallExpression' &&
      /^(?:Template)?Literal$/.test(title?.type ?? '') &&
      /Function/.test(last?.type ?? '')
    ) {
      const { start = 0, end = 0 } = title ?? {}
      const text = source.slice(start + 1, end - 1)
      if (/\s/.test(text)) found.push({ at: `${path}:${source.slice(0, start).split('\n').length}`, text })
    }
    Object.values(node).forEach(visit)
  }
  visit(parseSync(path, source).program)
  return found
}

const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path))

const pages = ['README.md', ...DOC_PAGES]

it("the program's sentences are plain English, in the words of the field", () => {
  const sentences = sources.flatMap(sentencesOf)
  expect(sentences.length).toBeGreaterThan(1_500)
  expect(deniedIn(sentences)).toEqual([])
})

it('so is the prose of the pages', () => {
  expect(deniedIn(pages.flatMap(proseOf))).toEqual([])
})

it('comments, too, do without the words that no one speaks, and begin with their subject', () => {
  const found = sources.flatMap((path) =>
    parseSync(path, readFileSync(`${ROOT}${path}`, 'utf8')).comments.map(({ value }) => ({ path, value })),
  )
  expect(found.length).toBeGreaterThan(1_000)
  expect(
    found
      .filter(({ value }) => DENIED_IN_COMMENTS.test(value) || DENIED_OPENINGS.test(value))
      .map(({ path, value }) => `${path}: ${value}`),
  ).toEqual([])
})

it('titles of tests do without them as well', () => {
  const tests = readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
  const titles = tests.flatMap(titlesOf)
  expect(titles.length).toBeGreaterThan(4_000)
  expect(titles.filter(({ text }) => DENIED_IN_TITLES.test(text)).map(({ at, text }) => `${at}: ${text}`)).toEqual([])
})
