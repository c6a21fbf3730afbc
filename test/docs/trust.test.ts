import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const contracts = join(import.meta.dirname, '../../contracts')
const TEST_NAME = /\b(?:test|testFuzz|invariant)_\w+/g

const [, trust = ''] = /^## Trust.*\n([\s\S]*?)(?=^### What is assumed)/m.exec(readPage()) ?? []

/** What the trust page says, a row of a table or a point of the list at a time. */
const sayings = [
  ...trust.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:-|who\b)/.test(line)),
  ...(trust.match(/^- [\s\S]*?(?=\n- |\n*$(?![\s\S]))/gm) ?? []),
]

it('the trust page names a test for everything that it says', () => {
  expect(sayings.length).toBeGreaterThan(30)
  expect(sayings.filter((saying) => saying.match(TEST_NAME) === null)).toEqual([])
})

it('every test that the trust page names is there', () => {
  const files = readdirSync(join(contracts, 'test'), { recursive: true, encoding: 'utf8' })
  const sources = files
    .filter((name) => name.endsWith('.t.sol'))
    .map((name) => readFileSync(join(contracts, 'test', name), 'utf8'))
  const tests = new Set(
    sources.flatMap((source) => source.match(/(?<=function )(?:test|testFuzz|invariant)_\w+/g) ?? []),
  )
  const named = new Set(trust.match(TEST_NAME))
  expect(named.size).toBeGreaterThan(50)
  expect([...named].filter((name) => !tests.has(name))).toEqual([])
})

function readPage(): string {
  return readFileSync(join(contracts, 'README.md'), 'utf8')
}
