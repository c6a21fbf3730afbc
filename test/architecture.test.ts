import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { FOLDERS } from './support/architecture/boundaries.ts'
import { violationsOf } from './support/architecture/check.ts'
import { latePromises } from './support/architecture/late-promises.ts'
import { linterWalls } from './support/architecture/linter.ts'

const SRC = new URL('../src/', import.meta.url)

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll('\\', '/'))
  .sort()

describe('the source tree', () => {
  test('is not empty, or nothing would have been looked at', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter((file) => file.startsWith('domain/')).length).toBeGreaterThan(10)
  })

  test.each(FOLDERS.map((folder) => [folder]))('keeps its import boundaries in %s', (folder) => {
    const inFolder = files.filter((file) => file.startsWith(`${folder}/`))
    expect(inFolder.flatMap((file) => violationsOf(file, readFileSync(new URL(file, SRC), 'utf8')))).toEqual([])
  })

  test('has no file outside its folders', () => {
    expect(files.filter((file) => !FOLDERS.some((folder) => file.startsWith(`${folder}/`)))).toEqual([])
  })

  test('has a test beside every rule of the domain and of the contracts', () => {
    const rules = files.filter((file) => /^(domain|contracts)\//.test(file) && file !== 'contracts/abi.ts')
    const testOf = (file: string) => new URL(file.replace(/\.ts$/, '.test.ts'), import.meta.url)
    expect(rules.filter((file) => !existsSync(testOf(file)))).toEqual([])
  })

  test('has the same boundaries in the linter', async () => {
    const file = fileURLToPath(new URL('./support/architecture/boundaries.biome.json', import.meta.url))
    await expect(`${JSON.stringify(linterWalls(), null, 2)}\n`).toMatchFileSnapshot(file)
  })
})

/** Tests that wait for deadlines of a real relay, or measure: they are not part of `npm test`. */
const TIMED_SUITES = /^(bench|browser|clients|cluster|conformance|e2e|hostile)\//

/** A time that an assertion bounds, a sleep, and a limit of less than a minute for what must come. */
const TRUE_TIME = /expect\((Date|performance)\.now\(\) - |timers\/promises|\btimeout: ([1-5]?\d_)\d{3}\b/

test('no test bounds a time that a busy machine stretches, or sleeps', () => {
  const folder = new URL('./', import.meta.url)
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.test\.tsx?$/.test(path) && !TIMED_SUITES.test(path))
  expect(tests.length).toBeGreaterThan(300)
  const timed = tests.flatMap((path) => {
    const lines = readFileSync(new URL(path, folder), 'utf8').split('\n')
    return lines.flatMap((line, at) => (TRUE_TIME.test(line) ? [`test/${path}:${at + 1}`] : []))
  })
  expect(timed).toEqual([])
})

describe('a boundary', () => {
  test.each([
    ['another folder', 'domain/a.ts', "import { x } from '../relay/x.ts'", 'imports ../relay/x.ts'],
    ['a type of another folder', 'wire/a.ts', "import type { X } from '../relay/x.ts'", 'imports ../relay/x.ts'],
    ['a type by expression', 'wire/a.ts', "export type X = import('../relay/x.ts').X", 'imports ../relay/x.ts'],
    ['a re-export', 'wire/a.ts', "export * from '../relay/x.ts'", 'imports ../relay/x.ts'],
    ['a named re-export', 'wire/a.ts', "export { x } from '../relay/x.ts'", 'imports ../relay/x.ts'],
    ['a late import', 'bots/a.ts', "export const x = () => import('../relay/x.ts')", 'imports ../relay/x.ts'],
    ['an import by computed name', 'cli/a.ts', 'export const x = (n: string) => import(n)', 'imports a computed name'],
    ['a detour', 'relay/a.ts', "import { x } from '../domain/../server/x.ts'", 'imports ../domain/../server/x.ts'],
    [
      'the relay behind its ports',
      'adapters/a.ts',
      "import { x } from '../relay/commit.ts'",
      'imports ../relay/commit.ts',
    ],
    ['a package', 'domain/a.ts', "import { z } from 'zod'", 'imports zod'],
    ['a part of a package beyond the allowed one', 'domain/a.ts', "import { x } from 'viem'", 'imports viem'],
    ['a node module', 'relay/a.ts', "import { x } from 'node:fs'", 'imports node:fs'],
    ['viem clients', 'adapters/store/a.ts', "import { createPublicClient } from 'viem'", 'imports viem'],
    ['the process by module', 'config/a.ts', "import { stdout } from 'node:process'", 'imports node:process'],
    ['the command line', 'server/a.ts', "import { x } from '../cli/x.ts'", 'imports ../cli/x.ts'],
  ])('stops %s', (_, file, source, message) => {
    expect(violationsOf(file, source)).toEqual([expect.stringContaining(`src/${file}:1 ${message}`)])
  })

  test.each([
    ['the environment', 'server/a.ts', 'export const x = process.env.HOME', 'process.env'],
    ['the environment taken apart', 'server/a.ts', 'const { env } = process\nexport const x = env', 'process.env'],
    ['the environment by its long name', 'server/a.ts', 'export const x = globalThis.process.env', 'process.env'],
    ['the environment by text', 'server/a.ts', "export const x = process['env']", 'process.env'],
    ['printing', 'client/a.ts', "console.log('x')", 'console'],
    ['writing to the terminal', 'dashboard/a.tsx', "process.stdout.write('x')", 'process.stdout'],
    ['ending the process', 'server/a.ts', 'process.exit(1)', 'process.exit'],
    ['the clock', 'domain/a.ts', 'export const x = () => Date.now()', 'Date.now'],
    ['the date of today', 'relay/a.ts', 'export const x = () => new Date()', 'new Date()'],
    ['a timer', 'relay/a.ts', 'setTimeout(() => 1, 2)', 'setTimeout'],
    ['chance', 'wire/a.ts', 'export const x = Math.random()', 'Math.random'],
    ['the network', 'relay/a.ts', "export const x = fetch('/')", 'fetch'],
    ['a deadline', 'relay/a.ts', 'export const x = AbortSignal.timeout(5)', 'AbortSignal.timeout'],
    ['the process', 'relay/a.ts', 'export const x = process.pid', 'process'],
  ])('stops %s', (_, file, source, name) => {
    expect(violationsOf(file, source)).toContainEqual(expect.stringContaining(`src/${file}:1 uses ${name}, but `))
  })

  test.each([
    ['a file of its own folder', 'domain/a.ts', "import { x } from './b.ts'"],
    ['a deeper file of its own folder', 'adapters/live/memory/a.ts', "import { x } from '../../store/b.ts'"],
    ['an inner folder', 'relay/a.ts', "import { x } from '../domain/b.ts'"],
    ['the ports of the relay', 'adapters/live/a.ts', "import type { Bus } from '../../relay/ports/live.ts'"],
    ['an allowed package and its parts', 'wire/a.ts', "import 'typebox'\nimport { x } from 'typebox/compile'"],
    ['viem clients where the chain is', 'adapters/chain/viem.ts', "import { createPublicClient } from 'viem'"],
    ['signing with viem', 'adapters/signing.ts', "import { privateKeyToAccount } from 'viem/accounts'"],
    ['a date of a given time', 'wire/a.ts', 'export const x = (ms: number) => new Date(ms).toISOString()'],
    [
      'a field that is called like a global',
      'relay/a.ts',
      'export const x = (port: { fetch: () => 1 }) => port.fetch()',
    ],
    ['a type of a global', 'relay/a.ts', 'export type X = typeof setTimeout'],
    ['the environment in config', 'config/a.ts', 'export const x = process.env'],
    ['printing in cli', 'cli/a.ts', "console.log('x')"],
  ])('lets pass %s', (_, file, source) => {
    expect(violationsOf(file, source)).toEqual([])
  })

  test('stands around every file', () => {
    expect(violationsOf('main.ts', '')).toEqual(['src/main.ts is in no folder of architecture.md'])
    expect(violationsOf('tools/a.ts', '')).toEqual(['src/tools/a.ts is in no folder of architecture.md'])
  })
})

describe('a promise', () => {
  test('is listened to before anything else is awaited, in every file', () => {
    expect(files.flatMap((file) => latePromises(file, readFileSync(new URL(file, SRC), 'utf8')))).toEqual([])
  })

  test.each([
    ['awaited late', 'const a = f()\n  await g()\n  return await a'],
    ['awaited late in a condition', 'const a = f()\n  if (await g()) h()\n  if ((await a) === 1) h()'],
    ['that is finished late', 'const a = f()\n  await g()\n  await a.finally(h)'],
    ['gathered late', 'const a = f()\n  for (const x of [1]) await g(x)\n  await Promise.all([a, g()])'],
    ['made in an inner block', 'if (h()) {\n    const a = f()\n    await g()\n    await a\n  }'],
  ])('%s is found', (_, body) => {
    const found = latePromises('relay/a.ts', `async function x() {\n  ${body}\n}`)
    expect(found).toEqual([expect.stringMatching(/^src\/relay\/a\.ts:[23] makes a and awaits something else first$/)])
  })

  test.each([
    ['that is awaited first', 'const a = f()\n  await a\n  await g()'],
    ['that is gathered with the other', 'const a = f()\n  await Promise.all([a, g()])'],
    ['that is listened to at once', 'const a = f()\n  a.catch(h)\n  await g()\n  await a'],
    ['that is none', 'const now = f()\n  await g()\n  await h(now)'],
    ['that is an object with a method', 'const a = f()\n  await g()\n  await a.close()'],
    ['of a function of its own', 'const a = f()\n  const b = async () => { await g() }\n  await a'],
  ])('%s is let pass', (_, body) => {
    expect(latePromises('relay/a.ts', `async function x() {\n  ${body}\n}`)).toEqual([])
  })
})
