import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { DECISIONS } from './decisions.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'docs', 'contracts/src', 'contracts/test', 'contracts/scripts']
const TEXT = /\.(?:tsx?|mjs|js|sol|md|py|sh)$/
const OWN_NAME = 'test/docs/citations.test.ts'

/** What stands between two ids, be it in a comment of several lines. */
const AND = String.raw`(?:, | and | to |,\n[ *\/]*)`
const CODE = '[A-Z]\\d{1,2}'
const FOLDER = 'internals/decisions/'

/** Each kind of citation: the word before the id, what an id looks like, and the page with an anchor for it. */
const KINDS = [
  { word: 'decision', id: `(?:${CODE}|\\d{4}\\b)`, page: FOLDER },
  { word: 'fault', id: CODE, page: 'internals/invariants.md' },
  { word: 'invariant', id: CODE, page: 'internals/invariants.md' },
  { word: 'protocol', id: '[a-z]+-\\d+', page: 'reference/protocol.md' },
  { word: 'benchmark', id: 'P\\d+', page: 'internals/performance.md' },
] as const

/** What nobody can look up, or what could be in either of two pages. */
const UNRESOLVABLE = [
  /\brulings?\b/i,
  /@see (?:spec|ruling)/,
  /\bfindings\//,
  /\breliability [A-Z]\d/,
  /\b(?:scale-out|house-style|reliability|rulings)\.md/,
  /\bhouse style\b/i,
  /\([A-OQ-Z]\d{1,2}(?:, |\))/,
]

type Line = { at: string; text: string }

const texts = new Map<string, string>()

function read(path: string): string {
  const text = texts.get(path) ?? readFileSync(`${ROOT}${path}`, 'utf8')
  texts.set(path, text)
  return text
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => TEXT.test(path) && path !== OWN_NAME && statSync(`${ROOT}${path}`).isFile()),
)

/** The anchors of a page, as they stand; benchmarks are items of a list. */
const anchorsOf = (page: string): string[] =>
  page === FOLDER
    ? DECISIONS.flatMap(({ number, anchors }) => [number, ...anchors])
    : [
        ...read(`docs/${page}`).matchAll(
          page === 'internals/performance.md' ? /^- \*\*(P\d+)\*\* /gm : /<a id="([^"]+)">/g,
        ),
      ].map(([, id = '']) => id)

/** Every id of a kind that a text cites, with where it does. */
function citationsIn(path: string, { word, id }: (typeof KINDS)[number]): { at: string; id: string }[] {
  const text = read(path)
  const cited = new RegExp(`\\b${word}s?[ \\n*/]+(${id}(?:${AND}${id})*)`, 'gi')
  return [...text.matchAll(cited)].flatMap(({ 1: list = '', index }) => {
    const at = `${path}:${text.slice(0, index).split('\n').length}`
    return [...list.matchAll(new RegExp(id, 'g'))].map(([found]) => ({ at: `${at} ${word} ${found}`, id: found }))
  })
}

const linesOf = (path: string): Line[] =>
  read(path)
    .split('\n')
    .map((text, i) => ({ at: `${path}:${i + 1} ${text.trim().slice(0, 100)}`, text }))

it.each(KINDS)('every $word that is cited has an anchor in docs/$page', (kind) => {
  const anchors = new Set(anchorsOf(kind.page))
  const citations = files.flatMap((path) => citationsIn(path, kind))
  expect(citations.length).toBeGreaterThan(0)
  expect(citations.filter(({ id }) => !anchors.has(id)).map(({ at }) => at)).toEqual([])
})

it.each([FOLDER, 'internals/invariants.md', 'reference/protocol.md'])('no anchor of docs/%s is there twice', (page) => {
  const anchors = anchorsOf(page)
  expect(anchors.length).toBeGreaterThan(50)
  expect(anchors.filter((id, i) => anchors.indexOf(id) !== i)).toEqual([])
})

it('nothing is cited that is not in the repository, or that could be either of two things', () => {
  const lines = files.filter((path) => path !== 'docs/internals/invariants.md').flatMap(linesOf)
  expect(lines.filter(({ text }) => UNRESOLVABLE.some((pattern) => pattern.test(text))).map(({ at }) => at)).toEqual([])
})

it('every page of docs that is named is there', () => {
  const named = files.flatMap((path) =>
    [...read(path).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md\b/g)].map(([page]) => ({ path, page })),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(({ page }) => !existsSync(`${ROOT}${page}`))).toEqual([])
})

it('every test that docs/internals/invariants.md names is there, under that title', () => {
  const page = read('docs/internals/invariants.md').replace(/\s+/g, ' ')
  const named = [...page.matchAll(/`([^`]+\.(?:ts|sol))`: (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(
    ([, path = '', titles = '']) => [...titles.matchAll(/“([^”]+?)…?”/g)].map(([, title = '']) => ({ path, title })),
  )
  expect(named.length).toBeGreaterThan(100)
  const isThere = ({ path, title }: { path: string; title: string }) =>
    existsSync(`${ROOT}${path}`) && read(path).replaceAll("\\'", "'").includes(title)
  expect(named.filter((test) => !isThere(test))).toEqual([])
})
