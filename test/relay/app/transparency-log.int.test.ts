import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startApp } from '../../../src/relay/app/start-app.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { loadGood } from '../config/load.ts'

let closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  closers = []
})

/** A relay with a file store and default settings, but for those that are named. */
async function start(environment: Record<string, string>) {
  const dataDir = newFolder()
  closers.push(() => removeFolder(dataDir))
  const settings = loadGood({ modes: { noChain: true }, environment: { PORT: '0', DATA_DIR: dataDir, ...environment } })
  const app = await startApp({ settings, stop: new AbortController().signal })
  closers.push(app.close)
  const logFolder = join(dataDir, 'log')
  return { logFolder, statusOf: async (path: string) => (await fetch(`${app.url}${path}`)).status }
}

test('a relay has no transparency log by default, and no file of one', async () => {
  const { logFolder, statusOf } = await start({})
  expect(existsSync(logFolder)).toBe(false)
  expect(await statusOf('/v1/log/checkpoint')).toBe(404)
})

test('the secrets of a log are for its owner alone', async () => {
  const { logFolder } = await start({ TRANSPARENCY_LOG: 'on' })
  expect(readdirSync(logFolder)).toContain('keys.json')
  expect(statSync(join(logFolder, 'keys.json')).mode & 0o777).toBe(0o600)
  expect(statSync(logFolder).mode & 0o777).toBe(0o700)
})
