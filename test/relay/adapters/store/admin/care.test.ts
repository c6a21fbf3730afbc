import { beforeEach, describe, expect, it } from 'vitest'
import { backUpStore, restoreStore } from '../../../../../src/relay/adapters/store/admin/backup.ts'
import { checkStore } from '../../../../../src/relay/adapters/store/admin/check.ts'
import { migrateStore, storeFormat } from '../../../../../src/relay/adapters/store/admin/migrate.ts'
import type { Disk } from '../../../../../src/relay/adapters/store/file/disk.ts'
import { VERSION } from '../../../../../src/relay/adapters/store/file/document.ts'
import { createDurableDb } from '../../../../../src/relay/adapters/store/file/durable-db.ts'
import { openFiles } from '../../../../../src/relay/adapters/store/file/files.ts'
import { createTableStore } from '../../../../../src/relay/adapters/store/table-store.ts'
import type { Store } from '../../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, freshWallet, SIGNATURE } from '../../../../ports/store.fixtures.ts'
import { createFakeClock, type FakeClock } from '../../../../support/fake-clock.ts'
import { createFakeDisk, type FakeDisk } from '../../../../support/fake-disk.ts'
import { createFakeLog } from '../../../../support/fake-log.ts'

const log = createFakeLog()
let clock: FakeClock

beforeEach(() => {
  clock = createFakeClock()
})

/** Opens the store of a folder as `serve` does, and counts the start. */
async function open(disk: Disk, dir = 'data', fullBytes?: number): Promise<Store> {
  const sizes = fullBytes === undefined ? {} : { fullBytes }
  const files = await openFiles({ disk, dir, log, ...sizes })
  const db = await createDurableDb({ clock, files })
  await db.change((draft) => draft.set('counters', 'streamEpoch', (draft.get('counters', 'streamEpoch') ?? 0) + 1))
  return createTableStore({ clock, db })
}

/** Trades once. */
async function trade(store: Store) {
  const request = aRequest(clock.now())
  const acceptance = anAcceptance(request, { now: clock.now() })
  await store.requests.insert(request)
  await store.acceptances.insert(acceptance)
  await store.acceptances.confirm(acceptance.acceptanceId, {
    executionId: `e-${request.requestId}`,
    signature: SIGNATURE,
  })
  return { requestId: request.requestId }
}

/** Opens a request and stores the order that its maker is asked to sign. */
async function ask(store: Store) {
  const request = aRequest(clock.now())
  const wallet = freshWallet()
  await store.requests.insert(request)
  const nonce = await store.allotNonce(request.requestId, wallet)
  const quote = aQuote(request, { maker: wallet })
  await store.acceptances.insert(anAcceptance(request, { now: clock.now(), quote, nonce }))
  return { requestId: request.requestId, wallet, nonce }
}

const isCommitted = async (store: Store, { requestId }: { requestId: string }) =>
  (await store.executions.findByRequest(requestId)) !== null

/** A disk with a store in `data` that holds one trade and one open request, and a copy of it in `backup`. */
async function backedUp() {
  const disk = createFakeDisk()
  const store = await open(disk)
  const traded = await trade(store)
  const asked = await ask(store)
  await backUpStore({ disk, from: 'data', to: 'backup' })
  return { disk, store, traded, asked }
}

const restore = (disk: Disk) => restoreStore({ disk, from: 'backup', dir: 'data', aside: 'data/aside' })

const contentsOf = async (disk: FakeDisk, dir: string) =>
  Promise.all(
    disk
      .files()
      .filter((path) => path.startsWith(`${dir}/`))
      .toSorted()
      .map(async (path) => [path, (await disk.read(path))?.toString('base64')]),
  )

/** Changes a byte in the middle of a file. */
async function damage(disk: Disk, path: string) {
  const bytes = Buffer.from((await disk.read(path)) as Buffer)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] as number) ^ 1
  await disk.write(path, bytes)
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fine',
    (error: { reason?: string }) => error.reason,
  )

describe('a check', () => {
  it('reads all, counts it and writes nothing', async () => {
    const { disk } = await backedUp()
    const before = await contentsOf(disk, 'data')
    const operations = disk.operations()
    expect(await checkStore({ disk, dir: 'data' })).toMatchObject({
      streamEpoch: 1,
      documentBytes: expect.any(Number),
      tables: { requests: 1, allotments: 1, users: 0 },
      journal: { executed: 1 },
    })
    expect(disk.operations()).toBe(operations)
    expect(await contentsOf(disk, 'data')).toEqual(before)
  })

  it('finds what is damaged, in the document and in the journal', async () => {
    for (const path of ['data/store.json', 'data/segments/executions-000001.ndjson']) {
      const { disk } = await backedUp()
      await damage(disk, path)
      await expect(checkStore({ disk, dir: 'data' })).rejects.toMatchObject({ reason: 'corrupt', path })
    }
  })

  it('finds that the document is gone', async () => {
    const { disk } = await backedUp()
    await disk.remove('data/store.json')
    expect(await reasonOf(checkStore({ disk, dir: 'data' }))).toBe('corrupt')
  })

  it('says when there is no store', async () => {
    expect(await checkStore({ disk: createFakeDisk(), dir: 'data' })).toBeNull()
  })
})

describe('a backup', () => {
  it('is a store of its own, with everything that was there', async () => {
    const { disk, store, traded, asked } = await backedUp()
    await trade(store)
    const copy = await open(disk, 'backup')
    expect(await isCommitted(copy, traded)).toBe(true)
    expect(await copy.allotNonce(asked.requestId, asked.wallet)).toBe(asked.nonce)
    expect((await checkStore({ disk, dir: 'backup' }))?.journal.executed).toBe(1)
  })

  it('is of one moment while the relay keeps writing between any two steps of it', async () => {
    const { disk, store, traded } = await backedUp()
    const trades: Awaited<ReturnType<typeof trade>>[] = []
    const busy: Disk = {
      ...disk,
      read: async (path) => {
        const bytes = await disk.read(path)
        if (path.startsWith('data/')) trades.push(await trade(store))
        return bytes
      },
    }
    await backUpStore({ disk: busy, from: 'data', to: 'copy' })
    expect(trades.length).toBeGreaterThan(1)
    const copied = (await checkStore({ disk, dir: 'copy' }))?.journal.executed
    const copy = await open(disk, 'copy')
    const isThere = await Promise.all([traded, ...trades].map((each) => isCommitted(copy, each)))
    expect(isThere).toEqual(isThere.map((_, i) => i < (copied ?? 0)))
    expect(isThere).toContain(true)
  })

  it('can be checked in place while the relay runs', async () => {
    const { disk, store } = await backedUp()
    const busy: Disk = {
      ...disk,
      read: async (path) => {
        const bytes = await disk.read(path)
        await trade(store)
        return bytes
      },
    }
    expect((await checkStore({ disk: busy, dir: 'data' }))?.journal.executed).toBeGreaterThan(0)
  })

  it('begins again when the store lets go of a file meanwhile', async () => {
    const { disk, store } = await backedUp()
    const request = aRequest(clock.now())
    await store.requests.insert(request)
    await store.requests.close(request.requestId, 'cancelled')
    let isLetGo = false
    const busy: Disk = {
      ...disk,
      read: async (path) => {
        if (path.includes('closed') && !isLetGo) {
          isLetGo = true
          await clock.advance(400 * 24 * 3_600_000)
          await trade(store)
        }
        return disk.read(path)
      },
    }
    await backUpStore({ disk: busy, from: 'data', to: 'copy' })
    expect(isLetGo).toBe(true)
    expect(await checkStore({ disk, dir: 'copy' })).toMatchObject({ journal: { executed: 2, closed: 0 } })
  })

  it('is refused of a damaged store, and leaves no store behind', async () => {
    for (const path of ['data/store.json', 'data/segments/executions-000001.ndjson']) {
      const { disk } = await backedUp()
      await damage(disk, path)
      await expect(backUpStore({ disk, from: 'data', to: 'copy' })).rejects.toMatchObject({ reason: 'corrupt', path })
      expect(await disk.read('copy/store.json')).toBeNull()
    }
  })

  it('is refused of a store whose journal is cut short or gone', async () => {
    const path = 'data/segments/executions-000001.ndjson'
    for (const cut of [(disk: Disk) => disk.truncate(path, 10), (disk: Disk) => disk.remove(path)]) {
      const { disk } = await backedUp()
      await cut(disk)
      await expect(backUpStore({ disk, from: 'data', to: 'copy' })).rejects.toMatchObject({ reason: 'corrupt', path })
    }
  })

  it('is impossible without a store', async () => {
    expect(await backUpStore({ disk: createFakeDisk(), from: 'data', to: 'copy' })).toBe(false)
  })
})

describe('a restore', () => {
  it('brings back what the backup has, and puts aside what was there', async () => {
    const { disk, store, traded } = await backedUp()
    const later = await trade(store)
    const replaced = await contentsOf(disk, 'data')
    expect(await restore(disk)).toBe(true)
    const restored = await open(disk)
    expect(await isCommitted(restored, traded)).toBe(true)
    expect(await isCommitted(restored, later)).toBe(false)
    const aside = await contentsOf(disk, 'data/aside')
    expect(aside.map(([path, bytes]) => [path?.replace('/aside', ''), bytes])).toEqual(replaced)
    expect(await isCommitted(await open(disk, 'data/aside'), later)).toBe(true)
  })

  it.each(['data/store.json', 'data/segments/executions-000001.ndjson'])(
    'mends a store whose %s is damaged',
    async (path) => {
      const { disk, traded } = await backedUp()
      await damage(disk, path)
      expect(await reasonOf(open(disk))).toBe('corrupt')
      await restore(disk)
      expect(await isCommitted(await open(disk), traded)).toBe(true)
    },
  )

  it('fills a folder that is empty', async () => {
    const { disk, traded } = await backedUp()
    for (const path of disk.files()) if (path.startsWith('data/')) await disk.remove(path)
    await restore(disk)
    expect(disk.files().filter((path) => path.includes('aside'))).toEqual([])
    expect(await isCommitted(await open(disk), traded)).toBe(true)
  })

  it('starts its streams above all that were ever given out (decision M1)', async () => {
    const { disk } = await backedUp()
    for (let start = 0; start < 5; start += 1) await open(disk)
    const last = (await open(disk)).epoch
    await restore(disk)
    expect((await open(disk)).epoch).toBeGreaterThan(last)
    await damage(disk, 'data/store.json')
    await restore(disk)
    expect((await open(disk)).epoch).toBeGreaterThan(last)
  })

  it('gives out no nonce again, but the same one to a request that had it (decision C7)', async () => {
    const { disk, store, asked } = await backedUp()
    const lost = await store.allotNonce('lost', asked.wallet)
    await restore(disk)
    const given: number[] = []
    for (const requestId of ['fresh', 'fresher']) {
      const restored = await open(disk)
      const request = aRequest(clock.now(), { requestId })
      await restored.requests.insert(request)
      expect(await restored.allotNonce(asked.requestId, asked.wallet)).toBe(asked.nonce)
      given.push(await restored.allotNonce(requestId, asked.wallet, true))
    }
    expect(new Set([lost, asked.nonce, ...given]).size).toBe(4)
  })

  it('is refused of a damaged backup, and touches nothing', async () => {
    for (const path of ['backup/store.json', 'backup/segments/executions-000001.ndjson']) {
      const { disk } = await backedUp()
      await damage(disk, path)
      const before = await contentsOf(disk, 'data')
      await expect(restore(disk)).rejects.toMatchObject({ reason: 'corrupt', path })
      expect(await contentsOf(disk, 'data')).toEqual(before)
    }
  })

  it('is impossible without a backup', async () => {
    expect(await restore(createFakeDisk())).toBe(false)
  })

  it('that is cut off at any step leaves the old store, the new one, or a folder that refuses; repeated, it succeeds', async () => {
    const { disk, store, traded } = await backedUp()
    const later = await trade(store)
    const whole = disk.afterCrash('seen')
    await restore(whole)
    const seen = new Set<string>()
    for (const names of ['seen', 'flushed'] as const) {
      for (let at = 1; at <= whole.operations(); at += 1) {
        const crashing = disk.afterCrash('seen')
        crashing.fail({ at, done: 'half', after: 'dies' })
        await restore(crashing).catch(() => {})
        const left = crashing.afterCrash(names)
        const opened = await open(left).catch((error: { reason?: string }) => error.reason as string)
        if (typeof opened === 'string') seen.add(opened)
        else seen.add((await isCommitted(opened, later)) ? 'old' : 'new')
        if (typeof opened !== 'string') expect(await isCommitted(opened, traded)).toBe(true)
        const repeated = crashing.afterCrash(names)
        await restore(repeated)
        expect(await isCommitted(await open(repeated), traded)).toBe(true)
      }
    }
    expect(seen).toEqual(new Set(['old', 'corrupt', 'new']))
  })
})

describe('a migration', () => {
  const next = VERSION + 1
  const migrations = { [VERSION]: (contents: unknown) => ({ ...(contents as object), migrated: true }) }

  it('writes the format of today, with the former beside it', async () => {
    const { disk } = await backedUp()
    const former = await disk.read('data/store.json')
    expect(await storeFormat({ disk, dir: 'data', version: next })).toEqual({ from: VERSION, to: next })
    await migrateStore({ disk, dir: 'data', version: next, migrations })
    const written = JSON.parse(String(await disk.read('data/store.json')))
    expect(written).toMatchObject({ version: next, contents: { migrated: true } })
    expect(await disk.read(`data/store.json.v${VERSION}.bak`)).toEqual(former)
    expect(await storeFormat({ disk, dir: 'data', version: next })).toEqual({ from: next, to: next })
  })

  it('is refused of a newer store, which stays as it is', async () => {
    const { disk } = await backedUp()
    await migrateStore({ disk, dir: 'data', version: next, migrations })
    const newer = await contentsOf(disk, 'data')
    expect(await reasonOf(storeFormat({ disk, dir: 'data' }))).toBe('corrupt')
    expect(await reasonOf(migrateStore({ disk, dir: 'data' }))).toBe('corrupt')
    expect(await contentsOf(disk, 'data')).toEqual(newer)
  })

  it('is impossible without a store', async () => {
    const disk = createFakeDisk()
    expect(await storeFormat({ disk, dir: 'data' })).toBeNull()
    await migrateStore({ disk, dir: 'data' })
    expect(disk.files()).toEqual([])
  })
})
