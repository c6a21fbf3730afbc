import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type MakerProtections, NO_PROTECTIONS } from '../../../../src/protocol/domain/maker-protections.ts'
import { createDocument } from '../../../../src/relay/adapters/store/file/document.ts'
import { admit } from '../../../../src/relay/core/admit.ts'
import type { Acceptance, Store } from '../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, freshWallet, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const MINUTE = { ms: 60_000, maxContracts: null, maxNotional: null, maxCollateral: null }
const guarded = (maxAccepted: number): MakerProtections => ({
  ...NO_PROTECTIONS,
  windows: [{ ...MINUTE, maxAccepted }],
})

/** An acceptance of ada on a request of its own. */
async function offer(store: Store, now: number): Promise<{ acceptance: Acceptance; result: unknown }> {
  const request = aRequest(now)
  await store.requests.insert(request)
  const acceptance = anAcceptance(request, {
    proven: true,
    now,
    quote: aQuote(request, { makerId: 'ada', maker: freshWallet() }),
  })
  return { acceptance, result: await admit(store, acceptance) }
}

it('a window keeps its count after a crash, in every case (invariant V11)', async () => {
  const clock = createFakeClock()
  let disk = createFakeDisk()
  let store = await openOnFakeDisk(disk, { clock })
  await store.protections.put('ada', guarded(3))
  const [confirmed, declined, pending] = [
    await offer(store, clock.now()),
    await offer(store, clock.now()),
    await offer(store, clock.now()),
  ]
  const signed = { executionId: randomUUID(), signature: SIGNATURE }
  await store.acceptances.confirm(confirmed.acceptance.acceptanceId, signed)
  await store.acceptances.end(declined.acceptance.acceptanceId, 'declined')
  await clock.advance(1_000)
  disk = disk.afterCrash('flushed')
  store = await openOnFakeDisk(disk, { clock })
  expect(await store.acceptances.pending()).toEqual([pending.acceptance])
  const next = await offer(store, clock.now())
  expect(next.result).toBe('protected')
  disk = disk.afterCrash('flushed')
  store = await openOnFakeDisk(disk, { clock })
  expect((await store.protections.find('ada'))?.trip).toMatchObject({ used: { accepted: 3 } })
  await store.protections.reset('ada')
  disk = disk.afterCrash('flushed')
  store = await openOnFakeDisk(disk, { clock })
  expect((await offer(store, clock.now())).result).toBe(true)
})

it('an acceptance that could not be written does not count', async () => {
  const clock = createFakeClock()
  const disk = createFakeDisk()
  const store = await openOnFakeDisk(disk, { clock })
  await store.protections.put('ada', guarded(1))
  const request = aRequest(clock.now())
  await store.requests.insert(request)
  const quote = aQuote(request, { makerId: 'ada' })
  const acceptance = anAcceptance(request, { now: clock.now(), quote, proven: true })
  disk.fail({ at: disk.operations() + 1, done: 'nothing', after: 'recovers' })
  await expect(admit(store, acceptance)).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await admit(store, acceptance)).toBe(true)
})

it('a store of version 2, which had no protections, is opened as it is and takes them', async () => {
  const disk = createFakeDisk()
  const nothing = () => {}
  const old = createDocument({ disk, path: '/data/store.json', onSwitch: nothing, onWritten: nothing, version: 2 })
  const counters: [string, number][] = [
    ['storeEpoch', 7],
    ['streamEpoch', 3],
  ]
  await old.write({ tables: { counters }, segments: [], saves: 0 })
  const store = await openOnFakeDisk(disk)
  expect(await store.protections.list()).toEqual([])
  await store.protections.put('ada', guarded(1))
  expect(disk.files()).toContain('/data/store.json.v2.bak')
  const reopened = await openOnFakeDisk(disk.afterCrash('flushed'))
  expect(await reopened.protections.find('ada')).toMatchObject({ protections: guarded(1) })
})
