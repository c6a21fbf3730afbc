import { expect, it } from 'vitest'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const RULE = {
  windowMs: 86_400_000,
  suspensionMs: 60_000,
  maxSuspensionMs: 3_600_000,
  minOutcomes: 2,
  below: 60,
  cleanPerStrike: 10,
  incidentMs: 0,
}
const missed = (quoteId: string) => ({ kind: 'missed' as const, requestId: 'r', quoteId })

it('a suspension survives a crash right after it began, with the outcomes that it is for', async () => {
  const clock = createFakeClock()
  let disk = createFakeDisk()
  let store = await openOnFakeDisk(disk, { clock })
  await store.makerRecords.note('ada', missed('q1'), RULE)
  const suspension = await store.makerRecords.note('ada', missed('q2'), RULE)
  expect(suspension).toMatchObject({ strikes: 1 })
  disk = disk.afterCrash('flushed')
  store = await openOnFakeDisk(disk, { clock })
  expect(await store.makerRecords.suspended()).toEqual([{ makerId: 'ada', suspension }])
  const { outcomes } = await store.makerRecords.find('ada')
  expect(outcomes.map(({ quoteId }) => quoteId)).toEqual(['q1', 'q2'])
  await clock.advance(60_000)
  expect(await store.makerRecords.suspended()).toEqual([])
})

it('an outcome costs no write of its own, and is written within a second', async () => {
  const clock = createFakeClock()
  let disk = createFakeDisk()
  let store = await openOnFakeDisk(disk, { clock })
  await store.makerRecords.note('ada', { ...missed('q1'), kind: 'confirmed', waitedMs: 5 }, RULE)
  expect((await store.makerRecords.find('ada')).outcomes).toHaveLength(1)
  const crashed = await openOnFakeDisk(disk.afterCrash('flushed'), { clock })
  expect((await crashed.makerRecords.find('ada')).outcomes).toEqual([])
  await clock.advance(1_000)
  disk = disk.afterCrash('flushed')
  store = await openOnFakeDisk(disk, { clock })
  expect((await store.makerRecords.find('ada')).outcomes).toMatchObject([{ kind: 'confirmed', waitedMs: 5 }])
})

it('outcomes are let go after a day, in memory and on disk', async () => {
  const clock = createFakeClock()
  const disk = createFakeDisk()
  const store = await openOnFakeDisk(disk, { clock })
  await store.makerRecords.note('ada', missed('q1'), { ...RULE, suspensionMs: 0 })
  await clock.advance(1_000)
  expect(disk.files().some((name) => name.includes('ended-'))).toBe(true)
  await clock.advance(86_400_000)
  expect((await store.makerRecords.find('ada')).outcomes).toEqual([])
  await store.protections.put('bob', {
    cancelOnDisconnect: null,
    windows: [],
    freezeMs: null,
    maxQuoteSize: null,
    references: [],
  })
  expect(disk.files().some((name) => name.includes('ended-'))).toBe(false)
})

it('a suspension that cannot be written has not begun; the next outcome begins it', async () => {
  const clock = createFakeClock()
  const disk = createFakeDisk()
  const store = await openOnFakeDisk(disk, { clock })
  await store.makerRecords.note('ada', missed('q1'), RULE)
  disk.fail({ at: disk.operations() + 1, done: 'nothing', after: 'recovers' })
  await expect(store.makerRecords.note('ada', missed('q2'), RULE)).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await store.makerRecords.suspended()).toEqual([])
  expect(await store.makerRecords.note('ada', missed('q3'), RULE)).toMatchObject({ strikes: 1 })
})
