import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { latePromises } from './support/architecture/late-promises.ts'

const SRC = new URL('../src/', import.meta.url)

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll('\\', '/'))
  .sort()

/** Rules of trades, which time, chance and the world reach through ports only. */
const PURE = /^(protocol\/(domain|wire)|relay\/(core|relayer)|agents\/lister)\/[^/]+\.ts$/

/** What the linter cannot name: it knows globals, not their members. */
const IMPURE = /\bDate\.now\b|\bDate\(\)|AbortSignal\.timeout|Math\.random/
const OF_PROGRAMS = /\bprocess\.(?:stdout|stderr|exit)\b/

/** Without its docblocks, which show callers what they may do. */
const codeOf = (file: string) => readFileSync(new URL(file, SRC), 'utf8').replaceAll(/^ *\/?\*.*$/gm, '')

describe('the source tree', () => {
  test('is not empty, or nothing would have been looked at', () => {
    expect(files.filter((file) => PURE.test(file)).length).toBeGreaterThan(100)
  })

  test('reads no clock and no chance in the rules', () => {
    const impure = files.filter((file) => PURE.test(file) && IMPURE.test(codeOf(file)))
    expect(impure).toEqual([])
  })

  test('prints and ends the process in the command line only', () => {
    const loud = files.filter((file) => !file.startsWith('cli/') && OF_PROGRAMS.test(codeOf(file)))
    expect(loud).toEqual([])
  })

  test('has a test beside every rule of the domain and of the contracts', () => {
    const rules = files.filter((file) => /^protocol\/(domain|contracts)\//.test(file) && !file.endsWith('/abi.ts'))
    expect(rules.length).toBeGreaterThan(20)
    const testOf = (file: string) => new URL(file.replace(/\.ts$/, '.test.ts'), import.meta.url)
    expect(rules.filter((file) => !existsSync(testOf(file)))).toEqual([])
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

describe('the conformance suite', () => {
  const TEST = new URL('./', import.meta.url)
  const sources = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
  const importsOf = (file: URL) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import) '(\.[^']+)'/g)].map(
      ([, path = '']) => new URL(path, file),
    )

  test('is imported by no file outside of it', () => {
    const importing = sources.filter(
      (path) =>
        !path.startsWith('conformance/') &&
        importsOf(new URL(path, TEST)).some(({ href }) => href.startsWith(`${TEST}conformance/`)),
    )
    expect(importing).toEqual([])
  })

  test('shares no code with src but its judge, the documents of the API', () => {
    const judges = /^conformance\/(coverage\.test|harness\/file-setup)\.ts$/
    const reached = new Map<string, URL[]>()
    const visit = (file: URL) => {
      if (reached.has(file.href)) return
      const imports = importsOf(file)
      reached.set(file.href, imports)
      for (const next of imports) if (next.href.startsWith(TEST.href)) visit(next)
    }
    for (const path of sources) if (/^conformance\//.test(path) && !judges.test(path)) visit(new URL(path, TEST))
    expect(reached.size).toBeGreaterThan(50)
    const sharing = [...reached].filter(([, imports]) => imports.some(({ href }) => href.startsWith(SRC.href)))
    expect(sharing.map(([href]) => href.slice(TEST.href.length))).toEqual([])
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
