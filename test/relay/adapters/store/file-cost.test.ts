import { describe, expect, it } from 'vitest'
import {
  MAX_REFERENCES,
  MAX_WINDOWS,
  type MakerProtections,
  NO_PROTECTIONS,
} from '../../../../src/protocol/domain/maker-protections.ts'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import type { ApiKey, Store } from '../../../../src/relay/core/ports/store.ts'
import {
  anAcceptance,
  aRequest,
  aResolution,
  freshSeriesId,
  freshWallet,
  SIGNATURE,
} from '../../../ports/store.fixtures.ts'
import { createFakeClock, settle } from '../../../support/fake-clock.ts'
import { createFakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const NOW = createFakeClock().now()

async function trade(store: Store, i: number): Promise<void> {
  const request = aRequest(NOW)
  const acceptance = anAcceptance(request, { now: NOW })
  await store.requests.insert(request)
  await store.allotNonce(request.requestId, acceptance.order.maker)
  await store.acceptances.insert(acceptance)
  if (i % 2 === 0) {
    await store.acceptances.confirm(acceptance.acceptanceId, { executionId: request.requestId, signature: SIGNATURE })
  } else {
    await store.acceptances.end(acceptance.acceptanceId, 'declined')
    await store.requests.close(request.requestId, 'cancelled')
  }
}

describe('the cost of a change in the file store', () => {
  it('is two waits for the device: rows and document are flushed side by side, and the switch comes after both', async () => {
    const disk = createFakeDisk()
    let isHeld = false
    const begun: string[] = []
    const ended: (() => void)[] = []
    const flushing = async (name: string) => {
      if (!isHeld) return
      begun.push(name)
      await new Promise<void>((resolve) => ended.push(resolve))
    }
    const store = await openOnFakeDisk({
      ...disk,
      write: (path, bytes) => flushing('document').then(() => disk.write(path, bytes)),
      writeAt: (path, offset, bytes) => flushing('rows').then(() => disk.writeAt(path, offset, bytes)),
      rename: (from, to) => disk.rename(from, to).then(() => void (isHeld && begun.push('switch'))),
    })
    isHeld = true
    void store.requests.insert(aRequest(NOW))
    for (const letGo of ['document', 'rows']) {
      await settle()
      expect(begun).toEqual(['rows', 'document'])
      ended[begun.indexOf(letGo)]?.()
    }
    await settle()
    expect(begun).toEqual(['rows', 'document', 'switch'])
  })

  it('is nothing for a nonce, which is written with the acceptance that carries it', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const request = aRequest(NOW)
    await store.requests.insert(request)
    const before = disk.operations()
    const { order } = anAcceptance(request, { now: NOW })
    const nonce = await store.allotNonce(request.requestId, order.maker)
    expect(disk.operations()).toBe(before)
    await store.acceptances.insert(anAcceptance(request, { now: NOW, nonce }))
    const again = await openOnFakeDisk(disk.afterCrash('flushed'))
    expect(await again.allotNonce(request.requestId, order.maker)).toBe(nonce)
    expect(await again.allotNonce('another', order.maker)).not.toBe(nonce)
  })

  it('does not grow with history', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const costs: number[] = []
    // Until a file of the requests is full: the document has a line for each file.
    for (let i = 0; i < 300; i += 1) {
      const before = disk.bytesWritten()
      await trade(store, i)
      costs.push(disk.bytesWritten() - before)
    }
    const early = Math.max(...costs.slice(0, 20))
    const late = Math.max(...costs.slice(-20))
    expect(late).toBeLessThan(early * 1.05)
  })

  it('does not grow with the requests that are open', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const costOf = async () => {
      const before = disk.bytesWritten()
      await trade(store, 0)
      return disk.bytesWritten() - before
    }
    await costOf()
    const few = await costOf()
    await Promise.all(Array.from({ length: 2_000 }, () => store.requests.insert(aRequest(NOW))))
    expect(await costOf()).toBeLessThan(few * 1.05)
  })

  it('is shared by all that wait at the same time', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const opened = disk.operations()
    await store.requests.insert(aRequest(NOW))
    const one = disk.operations() - opened
    await Promise.all(Array.from({ length: 100 }, () => store.requests.insert(aRequest(NOW))))
    expect(disk.operations() - opened - one).toBeLessThanOrEqual(one)
    expect(await store.requests.listOpen()).toHaveLength(101)
  })

  it('is nothing when nothing changes', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const before = disk.operations()
    expect(await store.requests.close('unknown', 'cancelled')).toBe(false)
    expect(await store.acceptances.end('unknown', 'declined')).toBe(false)
    expect(disk.operations()).toBe(before)
  })

  it('does not grow with what strangers can make more of: accounts, keys, protections, turns at the faucet, resolutions', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const costOf = async () => {
      const before = disk.bytesWritten()
      await trade(store, 0)
      return disk.bytesWritten() - before
    }
    await costOf()
    const few = await costOf()
    const documentBytes = store.documentBytes() as number
    for (let i = 0; i < 60; i += 1) await fullAccount(store, i)
    for (let i = 0; i < 500; i += 1) {
      const seriesId = freshSeriesId()
      await store.resolutions.escalate({ seriesId, reason: '?'.repeat(500), windowStart: 1, windowEnd: 2, at: NOW })
      await store.resolutions.pin(aResolution(seriesId, 50))
      await store.faucetClaims.claim(freshWallet(), { cooldownMs: 1_000, perHour: 1_000 })
    }
    // A file of the journal is one line of the document.
    expect((store.documentBytes() as number) - documentBytes).toBeLessThan(400)
    expect(await costOf()).toBeLessThan(few * 1.15)
  })
})

const ROUND = 1_000_000n

/** A user with as many keys and protections as there may be. */
async function fullAccount(store: Store, i: number): Promise<void> {
  const ids = { userId: `user-${i}`, makerId: `holder-${i}`, createdAt: NOW }
  await store.users.findOrCreate({ ...ids, idpDid: `did:${i}` })
  const key = { ...ids, name: '😀'.repeat(50), prefix: 'mk_live_abcd', lastUsedAt: null, revokedAt: null }
  for (let k = 0; k < 20; k += 1)
    await store.apiKeys.insert({ ...key, keyId: `key-${i}-${k}`, digest: `${i} ${k}` }, 20)
  await store.protections.put(ids.makerId, FULL_PROTECTIONS)
}

const FULL_PROTECTIONS: MakerProtections = {
  ...NO_PROTECTIONS,
  windows: Array.from({ length: MAX_WINDOWS }, () => ({
    ms: 60_000,
    maxAccepted: 1_000,
    maxContracts: contracts(ROUND),
    maxNotional: usd6(ROUND),
    maxCollateral: usd6(ROUND),
  })),
  references: Array.from({ length: MAX_REFERENCES }, (_, i) => ({
    scope: 'market',
    id: `0x${String(i).padStart(64, 'f')}`,
    price: usd6(ROUND),
    maxDeviation: usd6(ROUND),
    expiresAt: NOW,
  })),
}

describe('the journal of the file store', () => {
  it('lets go of what was open once that is most of it, and keeps what is open still', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    const held = () => disk.files().filter((path) => path.includes('requests-'))
    const waiting = aRequest(NOW)
    const pending = aRequest(NOW)
    const acceptance = anAcceptance(pending, { now: NOW })
    for (const request of [waiting, pending]) await store.requests.insert(request)
    const nonce = await store.allotNonce(pending.requestId, acceptance.order.maker)
    await store.acceptances.insert(acceptance)
    store.quoters.record(waiting.requestId, { makerId: 'ada', quoteId: 'quote', misses: 1 })
    for (let i = 0; i < 12; i += 1) {
      const requests = Array.from({ length: 500 }, () => aRequest(NOW))
      await Promise.all(requests.map((request) => store.requests.insert(request)))
      await Promise.all(requests.map(({ requestId }) => store.requests.close(requestId, 'cancelled')))
    }
    expect(held().length).toBeLessThan(8)
    expect(held()).not.toContain('/data/segments/requests-000001.ndjson')
    for (const again of [store, await openOnFakeDisk(disk.afterCrash('flushed'))]) {
      expect(await again.requests.listOpen()).toEqual(expect.arrayContaining([waiting, pending]))
      expect(await again.requests.listOpen()).toHaveLength(2)
      expect(await again.acceptances.pending()).toEqual([acceptance])
      expect(await again.allotNonce(pending.requestId, acceptance.order.maker)).toBe(nonce)
      expect(await again.quoters.list()).toEqual(
        new Map([[waiting.requestId, [{ makerId: 'ada', quoteId: 'quote', misses: 1 }]]]),
      )
    }
  })

  it('is bounded however often one maker puts its protections, and keeps all that others have', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    for (let i = 0; i < 3; i += 1) await fullAccount(store, i)
    const series = freshSeriesId()
    await store.resolutions.pin(aResolution(series, 50))
    await store.blocks.decide({ makerId: 'maker-9', isBlocked: true, by: 'ann', reason: 'spam', at: NOW })
    const [key] = await store.apiKeys.listActive('user-1')
    await store.apiKeys.revoke({ keyId: key?.keyId as string, userId: 'user-1' })
    for (let i = 0; i < 4_000; i += 1) await store.protections.put('holder-0', FULL_PROTECTIONS)
    const held = disk.files().filter((path) => path.includes('tables-'))
    expect(held.length).toBeLessThan(8)
    expect(held).not.toContain('/data/segments/tables-000001.ndjson')
    for (const again of [store, await openOnFakeDisk(disk.afterCrash('flushed'))]) {
      expect(await again.protections.find('holder-0')).toMatchObject({ protections: FULL_PROTECTIONS })
      expect(await again.protections.find('holder-2')).toMatchObject({ protections: FULL_PROTECTIONS })
      expect(await again.apiKeys.listActive('user-1')).toHaveLength(19)
      expect(await again.apiKeys.findByDigest('2 19')).toMatchObject({ userId: 'user-2' })
      expect(await again.resolutions.find(series)).toEqual(aResolution(series, 50))
      expect(await again.blocks.list()).toHaveLength(1)
      expect(
        await again.users.findOrCreate({ userId: 'other', makerId: 'other', idpDid: 'did:1', createdAt: 1 }),
      ).toMatchObject({
        userId: 'user-1',
      })
    }
  })

  it('is bounded however often one account makes a key and revokes it, and keeps those that it has', async () => {
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk)
    await fullAccount(store, 0)
    const [kept] = await store.apiKeys.listActive('user-0')
    const { keyId, digest } = kept as ApiKey
    await store.apiKeys.revoke({ keyId, userId: 'user-0' })
    const name = '\u{1f511}'.repeat(1_000)
    for (let i = 0; i < 1_500; i += 1) {
      const key = { ...(kept as ApiKey), keyId: `${keyId} ${i}`, digest: `${digest} ${i}`, name }
      expect(await store.apiKeys.insert(key, 20)).toBe(true)
      expect(await store.apiKeys.revoke({ keyId: key.keyId, userId: 'user-0' })).not.toBeNull()
    }
    expect(disk.files()).not.toContain('/data/segments/tables-000001.ndjson')
    const again = await openOnFakeDisk(disk.afterCrash('flushed'))
    expect(await again.apiKeys.listActive('user-0')).toHaveLength(19)
  })

  it('starts another file when one is full, and drops files of ended requests that can no longer be asked for', async () => {
    const clock = createFakeClock()
    const disk = createFakeDisk()
    const store = await openOnFakeDisk(disk, { clock, fullBytes: 4_000 })
    for (let i = 0; i < 20; i += 1) await trade(store, i)
    const names = (family: string) => disk.files().filter((path) => path.includes(family))
    expect(names('executions').length).toBeGreaterThan(3)
    expect(names('closed').length).toBeGreaterThan(1)
    await clock.advance(25 * 3_600_000)
    await trade(store, 1)
    expect(names('closed').length).toBeLessThan(2)
    expect(names('ended').length).toBeLessThan(2)
    expect(names('executions').length).toBeGreaterThan(3)
    const reopened = await openOnFakeDisk(disk.afterCrash('flushed'), { clock })
    expect(await reopened.requests.listOpen()).toEqual([])
  })
})
