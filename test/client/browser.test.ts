import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** The packages that a file imports at run time, and those of all files that it imports. */
function packagesOf(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return new Set()
  seen.add(file.href)
  const source = readFileSync(file, 'utf8')
  const packages = new Set<string>()
  for (const [, clause = '', name = ''] of source.matchAll(/^(?:import|export)\b([^'"]*?)from '([^']+)'/gm)) {
    if (/^\s*type\b/.test(clause)) continue
    if (!name.startsWith('.')) packages.add(name)
    else for (const inner of packagesOf(new URL(name, file), seen)) packages.add(inner)
  }
  return packages
}

describe('the taker’s part of the client library', () => {
  test('runs in a browser: it needs nothing of Node', () => {
    const packages = packagesOf(new URL('../../src/client/taker.ts', import.meta.url))
    expect(packages).toContain('viem')
    expect([...packages].filter((name) => name === 'ws' || name.startsWith('node:'))).toEqual([])
  })

  test('differs in that from the maker’s, whose socket needs it', () => {
    expect(packagesOf(new URL('../../src/client/maker.ts', import.meta.url))).toContain('ws')
  })
})
