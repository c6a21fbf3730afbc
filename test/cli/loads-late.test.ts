import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadedBy, sourceOf } from '../support/loaded-by.ts'

const SRC = new URL('../../src/', import.meta.url)

const workspacesOf = (files: readonly string[]): string[] =>
  [...new Set(files.map((file) => file.split('/')[0] ?? ''))].toSorted()

test('help loads nothing heavy, so that it is quick', () => {
  const { files, packages } = loadedBy('cli/main.ts')
  expect(files.length).toBeGreaterThan(20)
  expect([...packages]).toEqual(['commander'])
  expect(workspacesOf(files)).toEqual(['cli', 'client', 'lib', 'protocol', 'relay'])
})

test('serve never loads a terminal interface or bots (fault J3)', () => {
  const { files, packages } = loadedBy('cli/serve/serve.ts')
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'viem']))
  expect([...packages].filter((name) => /^(ink|react|chalk)/.test(name))).toEqual([])
  expect(workspacesOf(files).filter((name) => ['agents', 'client', 'web'].includes(name))).toEqual([])
})

test('serve loads OpenTelemetry only where there is a collector', () => {
  const { packages } = loadedBy('relay/app/start-app.ts')
  expect([...packages].filter((name) => name.startsWith('@opentelemetry'))).toEqual([])
  expect([...loadedBy('relay/adapters/telemetry/tracer.ts').packages]).toContain('@opentelemetry/sdk-trace-base')
})

test('a trade with a plain key loads no ciphers', () => {
  const { packages } = loadedBy('cli/taker/trade.ts')
  expect([...packages]).toContain('viem/accounts')
  expect([...packages].filter((name) => name.startsWith('ox'))).toEqual([])
})

test('every module that a declaration loads exists', () => {
  const { files } = loadedBy('cli/main.ts')
  const declarations = files.filter((file) => /^cli\/[\w-]+\/index\.ts$/.test(file))
  const late = declarations.flatMap((file) => {
    const url = new URL(file, SRC)
    return [...readFileSync(url, 'utf8').matchAll(/import\('([^']+)'\)/g)].map(([, name = '']) => sourceOf(name, url))
  })
  expect(late.length).toBeGreaterThan(20)
  expect(late.filter((url) => url === null || !existsSync(url)).map(String)).toEqual([])
})
