import { beforeEach, describe, expect, it } from 'vitest'
import { NO_PROTECTIONS } from '../../../../src/protocol/domain/maker-protections.ts'
import { backUpStore, restoreStore } from '../../../../src/relay/adapters/store/admin/backup.ts'
import { checkStore } from '../../../../src/relay/adapters/store/admin/check.ts'
import { migrateStore, storeFormat } from '../../../../src/relay/adapters/store/admin/migrate.ts'
import { encode } from '../../../../src/relay/adapters/store/codec.ts'
import { type Contents, createDocument, VERSION } from '../../../../src/relay/adapters/store/file/document.ts'
import type { ApiKey, BlockDecision, Store, User } from '../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aRequest, aResolution } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk, type FakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const NOW = createFakeClock().now()
const WAITING = aRequest(NOW)
const PENDING = aRequest(NOW)
const ACCEPTANCE = anAcceptance(PENDING, { now: NOW })
const WALLET = ACCEPTANCE.order.maker

/** What version 1 kept in its document. */
const CONTENTS: Contents = {
  tables: {
    requests: [WAITING, PENDING].map((request) => [request.requestId, encode(request)]),
    acceptances: [[PENDING.requestId, encode(ACCEPTANCE)]],
    allotments: [[PENDING.requestId, { [WALLET.toLowerCase()]: 41 }]],
    nonces: [[WALLET.toLowerCase(), 42]],
    counters: [
      ['storeEpoch', 7],
      ['streamEpoch', 3],
    ],
  },
  segments: [],
  saves: 0,
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
    expect(version).toBe(VERSION)
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
    await restoreStore({ disk, from: '/backup', dir: '/data', aside: '/aside' })
    await expectAll(disk)
  })

  it('is migrated without being served', async () => {
    expect(await storeFormat({ disk, dir: '/data' })).toEqual({ from: 1, to: VERSION })
    await migrateStore({ disk, dir: '/data' })
    expect(await storeFormat({ disk, dir: '/data' })).toEqual({ from: VERSION, to: VERSION })
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
    expect((await documentOf()).version).toBe(VERSION)
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

describe('a store of version 3, which kept accounts, protections and resolutions in its document', () => {
  const user: User = { userId: 'user-1', idpDid: 'did:1', makerId: 'maker-1', createdAt: NOW }
  const ids = { keyId: 'key-1', userId: 'user-1', makerId: 'maker-1', name: 'desk', prefix: 'mk_live_abcd' }
  const key: ApiKey = { ...ids, digest: 'd1', createdAt: NOW, lastUsedAt: null, revokedAt: null }
  const block: BlockDecision = { makerId: 'maker-9', isBlocked: true, by: 'ann', reason: 'spam', at: NOW }
  const state = {
    makerId: 'maker-1',
    version: 5,
    protections: encode(NO_PROTECTIONS),
    trip: null,
    countedFrom: NOW,
  }
  const pinned = aResolution('7', 45)

  beforeEach(async () => {
    const tables: Contents['tables'] = {
      ...CONTENTS.tables,
      nonces: [[WALLET.toLowerCase(), 7 * 2 ** 32 + 5]],
      users: [[user.idpDid, user]],
      apiKeys: [[key.digest, key]],
      blocks: [[block.makerId, block]],
      protections: [[state.makerId, state]],
      resolutions: [[pinned.seriesId, pinned]],
      faucetClaims: [[WALLET.toLowerCase(), NOW]],
    }
    const path = '/data/store.json'
    const nothing = () => {}
    disk = createFakeDisk()
    await createDocument({ disk, path, onSwitch: nothing, onWritten: nothing, version: 3 }).write({
      tables,
      segments: [],
      saves: 0,
    })
  })

  async function expectAllOf(store: Store): Promise<void> {
    expect(await store.users.findOrCreate({ ...user, userId: 'another' })).toEqual(user)
    // What keys it has had is not known.
    expect(await store.users.settleMakerId({ idpDid: user.idpDid, chosen: 'ada' })).toBe('settled')
    expect(await store.apiKeys.findByDigest('d1')).toEqual(key)
    expect(await store.blocks.list()).toEqual([block])
    expect(await store.protections.find('maker-1')).toMatchObject({ version: 5, protections: NO_PROTECTIONS })
    expect(await store.resolutions.find('7')).toEqual(pinned)
    const turn = await store.faucetClaims.claim(WALLET, { cooldownMs: 1_000, perHour: 10 })
    expect(turn).toEqual({ kind: 'cooldown', until: NOW + 1_000 })
  }

  it('keeps them in the journal from the first change on, with a copy of the document beside it', async () => {
    await expectAllOf(await openOnFakeDisk(disk))
    const store = await openOnFakeDisk(disk)
    await store.requests.insert(aRequest(NOW))
    const { version, contents } = await documentOf()
    expect(version).toBe(VERSION)
    expect(Object.keys(contents.tables)).toEqual(['watch', 'counters'])
    expect(disk.files()).toContain('/data/store.json.v3.bak')
    await expectAllOf(await openOnFakeDisk(disk.afterCrash('flushed')))
  })

  it('loses nothing when the first change fails or the process dies in it', async () => {
    for (const done of ['nothing', 'half', 'all'] as const) {
      for (let step = 1; step <= 10; step += 1) {
        const left = disk.afterCrash('flushed')
        const store = await openOnFakeDisk(left)
        left.fail({ at: left.operations() + step, done, after: 'dies' })
        await store.apiKeys.revoke({ keyId: 'unknown', userId: 'user-1' }).catch(() => {})
        await store.requests.insert(aRequest(NOW)).catch(() => {})
        await expectAllOf(await openOnFakeDisk(left.afterCrash('seen')))
      }
    }
  })

  it('is checked, backed up, restored and migrated as it is', async () => {
    const counts = { users: 1, apiKeys: 1, protections: 1, resolutions: 1, blocks: 1, faucetClaims: 1, nonces: 1 }
    expect((await checkStore({ disk, dir: '/data' }))?.tables).toMatchObject(counts)
    await backUpStore({ disk, from: '/data', to: '/backup' })
    await migrateStore({ disk, dir: '/data' })
    await expectAllOf(await openOnFakeDisk(disk.afterCrash('flushed')))
    await restoreStore({ disk, from: '/backup', dir: '/data', aside: '/aside' })
    await expectAllOf(await openOnFakeDisk(disk))
    expect((await checkStore({ disk, dir: '/data' }))?.tables).toMatchObject(counts)
  })
})
