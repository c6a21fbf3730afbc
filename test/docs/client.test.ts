import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clientExports } from './client/extract.ts'
import { docFaults, unknownTypes } from './client/faults.ts'
import { PAGES, pageOf, renderIndex, renderPage } from './client/pages.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const exported = clientExports()
const anchors = new Set(
  [...readFileSync(new URL('reference/errors.md', DOCS), 'utf8').matchAll(/<a id="([^"]+)">/g)].map(
    ([, id = '']) => id,
  ),
)

describe('the exports of the client library', () => {
  it('is found', () => {
    expect(exported.length).toBeGreaterThan(100)
    const taker = exported.find(({ name }) => name === 'TakerClient')
    expect(taker?.shapes[0]?.properties.map(({ name }) => name)).toContain('commitToBestQuote')
  })

  it.each(exported.map((entry) => [entry.name, entry] as const))('%s says what a stranger must know', (_, entry) => {
    expect(docFaults(entry, (code) => anchors.has(code))).toEqual([])
  })

  it('shows no type that could not be imported', () => {
    const names = new Set(exported.map(({ name }) => name))
    expect(exported.flatMap((entry) => unknownTypes(entry, names))).toEqual([])
  })
})

describe('the reference of the client library', () => {
  it.each(PAGES)('in docs/client/$file says what the docblocks say', async (page) => {
    await expect(renderPage(page, exported)).toMatchFileSnapshot(`../../docs/reference/client/${page.file}`)
  })

  it('leads to the pages of every export', async () => {
    await expect(renderIndex(exported)).toMatchFileSnapshot('../../docs/reference/client/README.md')
    expect(exported.filter((entry) => pageOf(entry) === undefined)).toEqual([])
  })

  it('has no page that nothing makes', () => {
    const made = ['README.md', ...PAGES.map(({ file }) => file)]
    expect(readdirSync(new URL('reference/client/', DOCS)).filter((name) => !made.includes(name))).toEqual([])
  })
})
