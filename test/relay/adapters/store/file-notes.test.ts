import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiKey, Store } from '../../../../src/relay/core/ports/store.ts'
import { aRequest, auditOf } from '../../../ports/store.fixtures.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk, type FakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let clock: FakeClock
let disk: FakeDisk
let store: Store

beforeEach(async () => {
  clock = createFakeClock()
  disk = createFakeDisk()
  store = await openOnFakeDisk(disk, { clock })
})

const reopen = () => openOnFakeDisk(disk.afterCrash('flushed'), { clock })

const reject = (quoteId: string) =>
  store.history.reject('request-1', [
    { makerId: 'maker-1', requestId: 'request-1', quoteId, reason: 'another_quote_won' },
  ])

async function rejected(from: Store): Promise<string[]> {
  const query = { makerId: 'maker-1', after: null, since: null, status: null, limit: 1_000 }
  return ((await from.history.list(query)) ?? []).map(({ quoteId }) => quoteId)
}

async function aKey(changes: Partial<ApiKey> = {}): Promise<ApiKey> {
  const ids = { keyId: 'key-1', userId: 'user-1', makerId: 'maker-1', name: '', prefix: 'mk_live_abcd' }
  const key = { ...ids, digest: 'd1', createdAt: clock.now(), lastUsedAt: null, revokedAt: null, ...changes }
  await store.apiKeys.insert(key, 20)
  return key
}

describe("the file store's deferred writes", () => {
  it('is written within a second', async () => {
    const before = disk.operations()
    reject('quote-1')
    await clock.advance(999)
    expect(disk.operations()).toBe(before)
    await clock.advance(1)
    expect(await rejected(await reopen())).toEqual(['quote-1'])
  })

  it('costs one write for a thousand notes', async () => {
    for (let i = 0; i < 1_000; i += 1) reject(`quote-${i}`)
    const before = disk.operations()
    await clock.advance(1_000)
    expect(disk.operations() - before).toBeLessThan(10)
    expect(await rejected(store)).toHaveLength(1_000)
  })

  it('goes along with the next change that must be durable', async () => {
    reject('quote-1')
    await store.requests.insert(aRequest(clock.now()))
    expect(await rejected(await reopen())).toEqual(['quote-1'])
    const before = disk.operations()
    await clock.advance(MINUTE)
    expect(disk.operations()).toBe(before)
  })

  it('are not hastened by a reader of the tape, who may be anyone', async () => {
    reject('quote-1')
    const before = disk.operations()
    await store.executions.newest({ until: clock.now(), before: null, limit: 100 })
    expect(disk.operations()).toBe(before)
  })

  it('are repeated after the disk failed, in order, and fail no caller', async () => {
    reject('quote-1')
    disk.fail({ at: 1, done: 'half', after: 'recovers' })
    await clock.advance(1_000)
    reject('quote-2')
    await clock.advance(1_000)
    expect(await rejected(await reopen())).toEqual(['quote-1', 'quote-2'])
  })

  it('is written before the store closes', async () => {
    reject('quote-1')
    await store.close()
    expect(await rejected(await reopen())).toEqual(['quote-1'])
    reject('quote-2')
    expect(clock.pending()).toBe(0)
  })

  it('can be read while the disk is full', async () => {
    reject('quote-1')
    await clock.advance(1_000)
    reject('quote-2')
    disk.fail({ at: disk.operations() + 1, done: 'nothing', after: 'dies' })
    expect(await store.audit.find('request-1')).toEqual([])
  })
})

describe("the file store's history", () => {
  it('includes users, keys, reviews, the history and the audit log', async () => {
    const user = { userId: 'user-1', idpDid: 'did:1', makerId: 'maker-1', createdAt: clock.now() }
    await store.users.findOrCreate(user)
    const key = await aKey()
    const escalation = { seriesId: '7', reason: 'no_price_data', windowStart: 1, windowEnd: 2, at: 3 }
    await store.resolutions.escalate(escalation)
    const request = aRequest(clock.now())
    const entries = auditOf(request, clock.now())
    for (const entry of entries) store.audit.record(entry)
    reject('quote-1')
    await store.close()
    const reopened = await reopen()
    expect(await reopened.users.findOrCreate({ ...user, userId: 'user-2', makerId: 'maker-2' })).toEqual(user)
    expect(await reopened.apiKeys.findByDigest(key.digest)).toEqual(key)
    expect(await reopened.resolutions.listEscalated()).toEqual([escalation])
    expect(await reopened.audit.find(request.requestId)).toEqual(entries)
    expect(await rejected(reopened)).toEqual(['quote-1'])
  })

  it('has one day of rejections', async () => {
    reject('quote-1')
    await clock.advance(DAY - 1)
    expect(await rejected(store)).toEqual(['quote-1'])
    await clock.advance(1)
    expect(await rejected(store)).toEqual([])
  })

  it('has a week of the audit log', async () => {
    const request = aRequest(clock.now())
    for (const entry of auditOf(request, clock.now())) store.audit.record(entry)
    await clock.advance(7 * DAY - 1)
    expect(await store.audit.find(request.requestId)).not.toEqual([])
    await clock.advance(DAY)
    expect(await store.audit.find(request.requestId)).toEqual([])
  })

  it('has at most 16 files of the audit log; an entry of a file that went is no longer there', async () => {
    store = await openOnFakeDisk(disk, { clock, fullBytes: 1_000 })
    for (let i = 0; i < 20; i += 1) {
      for (const entry of auditOf(aRequest(clock.now(), { requestId: `request-${i}` }), clock.now())) {
        store.audit.record(entry)
      }
      await clock.advance(1_000)
    }
    expect(disk.files().filter((path) => path.includes('audit-'))).toHaveLength(16)
    expect(await store.audit.find('request-0')).toEqual([])
    expect(await store.audit.find('request-19')).toHaveLength(8)
  })

  it('has the uses of a key exact to the minute', async () => {
    const key = await aKey()
    const lastUsedAt = async () => (await store.apiKeys.listActive('user-1'))[0]?.lastUsedAt
    const first = clock.now()
    store.apiKeys.recordUse(key)
    await clock.advance(MINUTE - 1)
    store.apiKeys.recordUse(key)
    expect(await lastUsedAt()).toBe(first)
    await clock.advance(1)
    store.apiKeys.recordUse(key)
    expect(await lastUsedAt()).toBe(first + MINUTE)
  })

  it('holds nothing of a revoked key, so that making and revoking them fills no disk', async () => {
    await store.ping()
    await store.users.findOrCreate({ userId: 'user-1', idpDid: 'did', makerId: 'maker-1', createdAt: 1 })
    // Some 15 MB of them.
    for (let i = 0; i < 1_500; i += 1) {
      await aKey({ keyId: `key-${i}`, digest: `d${i}`, name: 'x'.repeat(10_000) })
      await store.apiKeys.revoke({ keyId: `key-${i}`, userId: 'user-1' })
    }
    const held = disk.files().filter((path) => path.includes('tables-'))
    expect(held.length).toBeLessThan(8)
    expect(await (await reopen()).apiKeys.listActive('user-1')).toEqual([])
  })
})
