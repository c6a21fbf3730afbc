import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { assertPackages, checkPackages } from '../../../src/relay/config/packages.ts'
import { deployFile } from '../../support/deploy-files.ts'

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

const NOTHING = { DATABASE_URL: null, REDIS_URL: null, OTEL_EXPORTER_OTLP_ENDPOINT: null }
const ALL = { DATABASE_URL: 'postgres://db', REDIS_URL: 'redis://r', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }

const missing: string[] = []
checkPackages(ALL, (name) => {
  missing.push(name)
  return false
})

test('a setting names the package that it needs, and the command that installs it', () => {
  expect(checkPackages(ALL, () => false)).toEqual([
    'DATABASE_URL needs the package pg, which is not installed: npm install pg@8',
    'REDIS_URL needs the package @redis/client, which is not installed: npm install @redis/client@6',
    'OTEL_EXPORTER_OTLP_ENDPOINT needs the packages @opentelemetry/api, @opentelemetry/exporter-trace-otlp-http, ' +
      '@opentelemetry/resources, @opentelemetry/sdk-trace-base, which are not installed: npm install ' +
      '@opentelemetry/api@1 @opentelemetry/exporter-trace-otlp-http@0.223 @opentelemetry/resources@2 ' +
      '@opentelemetry/sdk-trace-base@2',
  ])
})

test('a package that is installed is not asked for', () => {
  expect(checkPackages(ALL)).toEqual([])
  expect(checkPackages(ALL, (name) => name !== 'pg')).toHaveLength(1)
})

test('a setting that is not set asks for nothing', () => {
  expect(checkPackages(NOTHING, () => false)).toEqual([])
})

test('a command that needs Postgres refuses with the package and the remedy', () => {
  expect(() => assertPackages('DATABASE_URL')).not.toThrow()
  expect(() => assertPackages('DATABASE_URL', () => false)).toThrow(
    expect.objectContaining({
      message: 'DATABASE_URL needs the package pg, which is not installed',
      code: 'package_missing',
      hint: 'npm install pg@8',
      exitCode: 2,
    }),
  )
})

test('package.json leaves them out of an install, and pins what a clone and the image use', () => {
  expect(missing).toHaveLength(6)
  for (const name of missing) {
    expect(dependencies).not.toHaveProperty(name)
    expect(peerDependenciesMeta[name]).toEqual({ optional: true })
    expect(peerDependencies[name]).toBe(`^${devDependencies[name]}`)
    expect(deployFile('Dockerfile')).toContain(` ${name}@${devDependencies[name]}`)
  }
})
