import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What looks like a path: it has a slash. NAME, NOUN and VERB stand for what a reader puts there. */
const PATH = /`((?:[\w.-]+\/)+[\w.*-]*)`/g
const PLACEHOLDER = /\b(?:NAME|NOUN|VERB)\b|^rfqctl\/client$/

/** A README also names modules of its own folder, and links to other pages. */
const MODULE = /`([\w-]+\.(?:tsx?|css))`/g
const LINK = /\]\((?!https?:)([^)#\s]+)/g

/** A README that is longer is not read before a change. */
const MOST_LINES = 40

const folderOf = (page: string): string => page.slice(0, page.lastIndexOf('/') + 1)

/** The README of each workspace, and of the larger folders in them. */
const READMES = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('/README.md'))
  .sort()

/** Pages that lead to files, and the folders that their paths may begin at. */
const PAGES = [
  { page: 'CONTRIBUTING.md', bases: [''] },
  { page: 'AGENTS.md', bases: [''] },
  ...READMES.map((page) => ({ page, bases: [folderOf(page), 'src/', ''] })),
]

const read = (page: string): string => readFileSync(`${ROOT}${page}`, 'utf8')

const namedIn = (page: string, names: RegExp): string[] =>
  [...read(page).matchAll(names)].map(([, name = '']) => name).filter((name) => !PLACEHOLDER.test(name))

const missing = (paths: readonly string[], bases: readonly string[]): string[] =>
  paths.filter((path) => !bases.some((base) => existsSync(`${ROOT}${base}${path}`)))

describe.each(PAGES)('$page', ({ page, bases }) => {
  it('leads to files that there are', () => {
    const paths = namedIn(page, PATH)
    expect(paths.length).toBeGreaterThan(2)
    expect(missing(paths, bases)).toEqual([])
  })
})

describe.each(READMES)('%s', (page) => {
  it('names modules that its folder has, and links to pages that there are', () => {
    expect(missing([...namedIn(page, MODULE), ...namedIn(page, LINK)], [folderOf(page)])).toEqual([])
  })

  it('is short', () => {
    expect(read(page).trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES)
  })
})

it('the map of src leads to a README of each workspace', () => {
  const workspaces = readdirSync(`${ROOT}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const linked = namedIn('src/README.md', LINK)
  expect(workspaces.map(({ name }) => `${name}/README.md`).filter((page) => !linked.includes(page))).toEqual([])
})
