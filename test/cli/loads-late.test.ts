import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const SRC = new URL('../../src/', import.meta.url)

/** Names, braces and commas up to the module's name: nothing else can stand there. */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[\w*{}\s,$]+from\s)?'([^']+)'/gm

/** Everything that a module loads when it is imported: `import()` loads later and does not count. */
function loadedBy(module: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (url: URL) => {
    if (files.has(url.href)) return
    files.add(url.href)
    const source = readFileSync(url, 'utf8')
    for (const [, name = ''] of source.matchAll(STATIC_IMPORT)) {
      if (name.startsWith('.')) visit(new URL(name, url))
      else if (!name.startsWith('node:')) packages.add(name)
    }
  }
  visit(new URL(module, SRC))
  return { files, packages }
}

const foldersOf = (files: Set<string>): Set<string> =>
  new Set([...files].map((file) => file.slice(SRC.href.length).split('/')[0] ?? ''))

test('help loads nothing heavy, so that it is quick', () => {
  const { files, packages } = loadedBy('cli/main.ts')
  expect(files.size).toBeGreaterThan(20)
  // What wraps a note at the width of the terminal is a few kilobytes.
  expect([...packages]).toEqual(['commander', 'string-width'])
  expect([...foldersOf(files)].toSorted()).toEqual([
    'adapters',
    'cli',
    'client',
    'config',
    'contracts',
    'domain',
    'lib',
  ])
})

test('serve never loads a terminal interface or bots (fault J3)', () => {
  const { files, packages } = loadedBy('cli/serve/serve.ts')
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'viem']))
  expect([...packages].filter((name) => /^(ink|react|chalk)/.test(name))).toEqual([])
  expect([...foldersOf(files)].filter((folder) => ['bots', 'client', 'dashboard'].includes(folder))).toEqual([])
})

test('serve loads OpenTelemetry only where there is a collector', () => {
  const { packages } = loadedBy('app/start-app.ts')
  expect([...packages].filter((name) => name.startsWith('@opentelemetry'))).toEqual([])
  expect([...loadedBy('adapters/telemetry/tracer.ts').packages]).toContain('@opentelemetry/sdk-trace-base')
})

test('who trades with a plain key loads no ciphers', () => {
  const { packages } = loadedBy('cli/taker/trade.ts')
  expect([...packages]).toContain('viem/accounts')
  expect([...packages].filter((name) => name.startsWith('ox'))).toEqual([])
})

test('every module that a declaration loads exists', () => {
  const { files } = loadedBy('cli/main.ts')
  const declarations = [...files].filter((file) => /\/cli\/[\w-]+\/index\.ts$/.test(file))
  const late = declarations.flatMap((file) =>
    [...readFileSync(new URL(file), 'utf8').matchAll(/import\('([^']+)'\)/g)].map(
      ([, name = '']) => new URL(name, file),
    ),
  )
  expect(late.length).toBeGreaterThan(20)
  expect(late.filter((url) => !existsSync(url)).map(String)).toEqual([])
})
