import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const DASHBOARD = new URL('../../src/dashboard/', import.meta.url)

/** What a module loads when it is imported; types are gone by then. */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[\w*{}\s,$]+from\s)?'([^']+)'/gm

/** Every module that these load, and the packages among them. */
function loadedBy(urls: readonly URL[], seen = new Set<string>(), packages = new Set<string>()) {
  for (const url of urls) {
    if (seen.has(url.href)) continue
    seen.add(url.href)
    for (const [, name = ''] of readFileSync(url, 'utf8').matchAll(STATIC_IMPORT)) {
      if (name.startsWith('.')) loadedBy([new URL(name, url)], seen, packages)
      else packages.add(name)
    }
  }
  return { files: [...seen], packages }
}

it('what the faces share loads neither of them, no terminal and no page', () => {
  const core = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.startsWith('terminal'),
  )
  expect(core.length).toBeGreaterThan(15)
  const { files, packages } = loadedBy(core.map((path) => new URL(path, DASHBOARD)))
  expect(files.filter((file) => /\/(dashboard\/terminal|web)\//.test(file))).toEqual([])
  expect([...packages].filter((name) => !name.startsWith('viem'))).toEqual([])
})
