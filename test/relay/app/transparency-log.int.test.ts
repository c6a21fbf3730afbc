import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createCleanupStack } from '../../../src/lib/cleanup-stack.ts'
import { openedEntry } from '../../../src/protocol/domain/audit.ts'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'
import { disk } from '../../../src/relay/adapters/store/file/disk.ts'
import { createFileStore } from '../../../src/relay/adapters/store/file.ts'
import { openFileStorage } from '../../../src/relay/adapters/transparency/file-storage.ts'
import { openKeys } from '../../../src/relay/adapters/transparency/keys.ts'
import { createTransparencyLog } from '../../../src/relay/adapters/transparency/transparency-log.ts'
import { openStore } from '../../../src/relay/app/open-store.ts'
import { openTransparencyLog } from '../../../src/relay/app/open-transparency-log.ts'
import { startApp } from '../../../src/relay/app/start-app.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { aRequest } from '../../ports/store.fixtures.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { LOG_KEYS, NO_OPENING } from '../../support/test-relay.ts'
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

test('a relay whose folder another one has taken writes no further leaf', async () => {
  const dataDir = newFolder()
  const tools = { clock: createSystemClock(), log: createFakeLog() }
  const store = await createFileStore({ dir: dataDir, ...tools })
  const { assertHeld } = store
  const storage = await openFileStorage({ disk, dir: join(dataDir, 'log'), assertHeld })
  const log = createTransparencyLog({ openingOf: NO_OPENING, storage, keys: openKeys(LOG_KEYS), ...tools })
  closers.push(() => removeFolder(dataDir), store.close, log.close)
  const add = (requestId: string) => log.add({ at: 1, requestId, kind: 'commit_refused', code: 'x' })
  add('r1')
  await log.advance()
  const shown = await log.checkpoint()
  const lock = join(dataDir, 'store.lock')
  writeFileSync(lock, readFileSync(lock, 'utf8').replaceAll(/"token":"[^"]*"/g, '"token":"of another"'))
  add('r2')
  await expect(log.advance()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await log.checkpoint()).toBe(shown)
})

test('a request that was open over a restart has its opening in the log, whatever the audit log has lost', async () => {
  const dataDir = newFolder()
  closers.push(() => removeFolder(dataDir))
  const tools = { clock: createSystemClock(), log: createFakeLog() }
  const settings = { store: { kind: 'file', dataDir }, bus: { kind: 'local' } } as Parameters<typeof openStore>[0]
  const requests = [aRequest(tools.clock.now()), aRequest(tools.clock.now())] as const
  const opening = openedEntry(requests[0], { makersConnected: 7 })
  {
    const opened = await openStore(settings, tools)
    const cleanup = createCleanupStack()
    cleanup.defer(opened.store.close)
    const log = await openTransparencyLog({ opened, tools, cleanup })
    for (const request of requests) await opened.store.requests.insert(request)
    opened.store.audit.record(opening)
    log.add(opening)
    await cleanup.run()
  }
  const opened = await openStore(settings, tools)
  const cleanup = createCleanupStack()
  closers.push(cleanup.run)
  cleanup.defer(opened.store.close)
  const log = await openTransparencyLog({ opened, tools, cleanup })
  for (const { requestId } of requests) {
    log.add({ at: 2, requestId, kind: 'reopened' })
    log.add({ at: 3, requestId, kind: 'commit_refused', code: 'no_valid_quotes' })
  }
  await log.advance()
  const entriesOf = async ({ requestId }: (typeof requests)[0]) =>
    (await log.linesOf(requestId))?.lines.map(({ record }) => record.entry) ?? []
  expect((await entriesOf(requests[0])).find((entry) => entry?.kind === 'opened')).toEqual(opening)
  expect((await entriesOf(requests[1])).map((entry) => entry?.kind).sort()).toEqual([
    'commit_refused',
    'opened',
    'reopened',
  ])
})
