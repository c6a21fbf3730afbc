import { beforeEach, describe, expect, it } from 'vitest'
import { backUpStore, restoreStore } from '../../../src/adapters/store/admin/backup.ts'
import { checkStore } from '../../../src/adapters/store/admin/check.ts'
import { migrateStore, storeFormat } from '../../../src/adapters/store/admin/migrate.ts'
import { encodeAcceptance, encodeRequest } from '../../../src/adapters/store/codec.ts'
import { type Contents, createDocument } from '../../../src/adapters/store/file/document.ts'
import { anAcceptance, aRequest } from '../../ports/store.fixtures.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeDisk, type FakeDisk } from '../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const NOW = createFakeClock().now()
const WAITING = aRequest(NOW)
const PENDING = aRequest(NOW)
const ACCEPTANCE = anAcceptance(PENDING, { now: NOW })
const WALLET = ACCEPTANCE.order.maker

/** What version 1 kept in its document. */
const CONTENTS: Contents = {
  tables: {
    requests: [WAITING, PENDING].map((request) => [request.requestId, encodeRequest(request)]),
    acceptances: [[PENDING.requestId, encodeAcceptance(ACCEPTANCE)]],
    allotments: [[PENDING.requestId, { [WALLET.toLowerCase()]: 41 }]],
    nonces: [[WALLET.toLowerCase(), 42]],
    counters: [
      ['storeEpoch', 7],
      ['streamEpoch', 3],
    ],
  },
  segments: [],
}

let disk: FakeDisk

beforeEach(async () => {
  disk = createFakeDisk()
  const nothing = () => {}
  const path = '/data/store.json'
  await createDocument({ disk, path, onSwitch: nothing, onWritten: nothing, version: 1 }).write(CONTENTS)
})

const documentOf = async () => JSON.parse(String(await disk.read('/data/store.json')))

async function expectAll(from: FakeDisk): Promise<void> {
  const store = await openOnFakeDisk(from)
  expect(await store.requests.listOpen()).toEqual([WAITING, PENDING])
  expect(await store.acceptances.pending()).toEqual([ACCEPTANCE])
  expect(await store.allotNonce(PENDING.requestId, WALLET)).toBe(41)
}

describe('a store of version 1, which kept open requests in its document', () => {
  it('is opened with all that it holds, and keeps that in the journal from the first change on', async () => {
    await expectAll(disk)
    expect((await documentOf()).version).toBe(1)
    const store = await openOnFakeDisk(disk)
    await store.requests.close(WAITING.requestId, 'cancelled')
    const { version, contents } = await documentOf()
    expect(version).toBe(3)
    expect(Object.keys(contents.tables)).not.toEqual(expect.arrayContaining(['requests']))
    expect(disk.files()).toContain('/data/store.json.v1.bak')
    const reopened = await openOnFakeDisk(disk.afterCrash('flushed'))
    expect(await reopened.requests.listOpen()).toEqual([PENDING])
    expect(await reopened.acceptances.pending()).toEqual([ACCEPTANCE])
  })

  it('loses nothing when the first change fails or the process dies in it', async () => {
    for (const done of ['nothing', 'half', 'all'] as const) {
      for (let step = 1; step <= 8; step += 1) {
        const left = disk.afterCrash('flushed')
        const store = await openOnFakeDisk(left)
        left.fail({ at: left.operations() + step, done, after: 'dies' })
        await store.requests.insert(aRequest(NOW)).catch(() => {})
        const reopened = await openOnFakeDisk(left.afterCrash('seen'))
        expect((await reopened.requests.listOpen()).slice(0, 2)).toEqual([WAITING, PENDING])
        expect(await reopened.acceptances.pending()).toEqual([ACCEPTANCE])
      }
    }
  })

  it('is checked, backed up and restored as it is', async () => {
    expect((await checkStore({ disk, dir: '/data' }))?.tables).toMatchObject({ requests: 2, acceptances: 1 })
    expect(await backUpStore({ disk, from: '/data', to: '/backup' })).toBe(true)
    const store = await openOnFakeDisk(disk)
    await store.requests.close(WAITING.requestId, 'cancelled')
    await restoreStore({ disk, from: '/backup', dir: '/data', aside: '/aside', storeEpoch: 9 })
    await expectAll(disk)
  })

  it('is migrated without being served', async () => {
    expect(await storeFormat({ disk, dir: '/data' })).toEqual({ from: 1, to: 3 })
    await migrateStore({ disk, dir: '/data' })
    expect(await storeFormat({ disk, dir: '/data' })).toEqual({ from: 3, to: 3 })
    await expectAll(disk)
  })
})

describe('a store of version 2, which knew no ends of orders', () => {
  it('is opened with all that it holds, and watches the orders that can still be filled', async () => {
    await restoreVersion2()
    await expectAll(disk)
    const store = await openOnFakeDisk(disk)
    expect(await store.orders.checkpoint()).toBeNull()
    await store.orders.keep({ block: null, since: 7 })
    expect((await documentOf()).version).toBe(3)
    const reopened = await openOnFakeDisk(disk.afterCrash('flushed'))
    expect(await reopened.orders.checkpoint()).toEqual({ block: null, since: 7 })
  })

  async function restoreVersion2(): Promise<void> {
    const nothing = () => {}
    const path = '/data/store.json'
    const { contents } = await documentOf()
    await createDocument({ disk, path, onSwitch: nothing, onWritten: nothing, version: 2 }).write(contents)
  }
})
