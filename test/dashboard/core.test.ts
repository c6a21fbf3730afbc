import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadedBy } from '../support/loaded-by.ts'

const DASHBOARD = new URL('../../src/web/dashboard/', import.meta.url)

it('loads no terminal and no page in what terminal and page share', () => {
  const core = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  expect(core.length).toBeGreaterThan(15)
  const { files, packages } = loadedBy(...core.map((path) => `web/dashboard/${path}`))
  const shared = /^web\/(dashboard\/|(store|link)\.ts$)/
  expect(files.filter((file) => /^(cli|web)\//.test(file) && !shared.test(file))).toEqual([])
  expect([...packages].filter((name) => !name.startsWith('viem'))).toEqual([])
})
