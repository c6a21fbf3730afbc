import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireLock } from '../../../src/adapters/store/file/lock.ts'
import { createFileStore } from '../../../src/adapters/store/file.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Above the largest process number of any system. */
const NO_PID = 2 ** 30
const SINCE = new Date('2026-01-02T03:04:05.000Z')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let lock: string

beforeEach(async () => {
  folder = await temporaryFolder()
  lock = join(folder.path, 'store.lock')
})
afterEach(() => folder.remove())

/** Leaves the lock of a process that is gone, in the state that `changes` say. */
async function leaveLock(changes: Record<string, unknown>): Promise<void> {
  await acquireLock(lock, SINCE)
  const holder = JSON.parse(await readFile(lock, 'utf8'))
  await writeFile(lock, JSON.stringify({ ...holder, ...changes }))
}

describe('the lock of a store', () => {
  it('is for one process, and names it to the next', async () => {
    await acquireLock(lock, SINCE)
    await expect(acquireLock(lock)).rejects.toMatchObject({
      reason: 'in_use',
      path: lock,
      message: `The store is in use by pid ${process.pid} since 2026-01-02T03:04:05.000Z.`,
    })
  })

  it('can be taken again once it was let go', async () => {
    const release = await acquireLock(lock)
    await release()
    await release()
    expect(await readdir(folder.path)).toEqual([])
    await acquireLock(lock)
  })

  it.each([
    { why: 'its process is gone', changes: { pid: NO_PID } },
    { why: 'the machine was started anew', changes: { bootId: 'another boot' } },
    { why: 'another process got its number', changes: { startedAt: '1' } },
  ])('is taken over when $why', async ({ changes }) => {
    await leaveLock(changes)
    const release = await acquireLock(lock)
    await release()
    expect(await readdir(folder.path)).toEqual([])
  })

  it.each(['', '{"pid"', 'null'])('is taken over when a power cut left %j of it', async (left) => {
    await writeFile(lock, left)
    await acquireLock(lock)
  })

  it('is taken over by exactly one of many', async () => {
    for (let round = 0; round < 20; round += 1) {
      await leaveLock({ pid: NO_PID })
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(lock)))
      const holders = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(holders).toHaveLength(1)
      expect(await readdir(folder.path)).toEqual(['store.lock'])
      await holders[0]?.value()
    }
  })

  it('is not removed by a process that lost it', async () => {
    const release = await acquireLock(lock)
    await writeFile(lock, JSON.stringify({ pid: 1, bootId: '', startedAt: '', since: '', token: 'another' }))
    await release()
    expect(await readdir(folder.path)).toEqual(['store.lock'])
  })
})

describe('a file store', () => {
  const open = () => createFileStore({ dir: folder.path, clock: createFakeClock(), log: createFakeLog() })

  it('refuses a second user and leaves the first one undisturbed', async () => {
    const first = await open()
    await expect(open()).rejects.toMatchObject({ name: 'StoreOpenError', reason: 'in_use' })
    expect(
      await first.faucetClaims.claim('0x71C7656EC7ab88b098defB751B7401B5f6d8976F', {
        cooldownMs: 1,
        perHour: 1_000_000,
      }),
    ).toEqual({ kind: 'claimed' })
    await first.close()
    const second = await open()
    expect(second.epoch).toBe(2)
    await second.close()
  })

  it('lets go of its lock when it cannot be opened', async () => {
    await writeFile(join(folder.path, 'store.json'), '[]')
    await expect(open()).rejects.toMatchObject({ reason: 'corrupt' })
    expect(await readdir(folder.path)).toEqual(['store.json'])
  })
})
