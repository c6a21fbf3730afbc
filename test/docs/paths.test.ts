import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Pages that lead to files, and the folder that their paths begin at. */
const PAGES = [
  { page: 'CONTRIBUTING.md', base: '' },
  { page: 'AGENTS.md', base: '' },
  { page: 'src/README.md', base: 'src/' },
] as const

/** What looks like a path: it has a slash. NAME, NOUN and VERB stand for what a reader puts there. */
const PATH = /`((?:[\w.-]+\/)+[\w.*-]*)`/g
const PLACEHOLDER = /\b(?:NAME|NOUN|VERB)\b|^rfqctl\/client$/

const pathsIn = (page: string): string[] =>
  [...readFileSync(`${ROOT}${page}`, 'utf8').matchAll(PATH)]
    .map(([, path = '']) => path)
    .filter((path) => !PLACEHOLDER.test(path))

describe.each(PAGES)('$page', ({ page, base }) => {
  it('leads to files that there are', () => {
    const paths = pathsIn(page)
    expect(paths.length).toBeGreaterThan(3)
    expect(paths.filter((path) => ![base, ''].some((start) => existsSync(`${ROOT}${start}${path}`)))).toEqual([])
  })
})
