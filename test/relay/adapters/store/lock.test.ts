import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireLock, lockHolder } from '../../../../src/relay/adapters/store/file/lock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import type { StoreOpenError } from '../../../../src/relay/adapters/store/open-error.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { aRequest } from '../../../ports/store.fixtures.ts'
import { compileTs } from '../../../support/compile-ts.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

/** Above the largest process number of any system. */
const NO_PID = 2 ** 30
const SINCE = new Date('2026-01-02T03:04:05.000Z')

/** How long a lock of another machine is watched here; in truth it is seconds. */
const SILENCE_MS = 60

let folder: string
let lock: string
let releases: (() => Promise<void>)[]

beforeEach(async () => {
  folder = newFolder()
  lock = join(folder, 'store.lock')
  releases = []
})
afterEach(async () => {
  for (const release of releases) await release()
  removeFolder(folder)
})

async function acquire(options: Parameters<typeof acquireLock>[1] = {}) {
  const held = await acquireLock(lock, { silenceMs: SILENCE_MS, ...options })
  releases.push(held.release)
  return held
}

/** Leaves the lock of a process that is gone, in the state that `changes` say. */
async function leaveLock(changes: Record<string, unknown> = {}): Promise<void> {
  const { release } = await acquireLock(lock, { now: SINCE })
  const holder = JSON.parse(await readFile(lock, 'utf8'))
  await release()
  await writeFile(lock, JSON.stringify({ ...holder, ...changes }))
}

const locksIn = async () => (await readdir(folder)).filter((name) => name.includes('lock'))

describe('the lock of a store', () => {
  it('is for one process, and names it to the next', async () => {
    await acquire({ now: SINCE })
    await expect(acquire()).rejects.toMatchObject({
      reason: 'in_use',
      path: lock,
      message: expect.stringMatching(
        new RegExp(`^The store is in use by pid ${process.pid} on .+ since 2026-01-02T03:04:05Z.$`),
      ),
    })
    expect(await lockHolder(lock)).toMatchObject({ pid: process.pid, isAlive: true })
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
  })

  it('can be taken again once it was let go', async () => {
    const { release } = await acquire()
    await release()
    await release()
    expect(await readdir(folder)).toEqual([])
    await acquire()
  })

  it('is taken over when its process is gone, whatever has its number now', async () => {
    for (const changes of [{}, { pid: process.pid }, { startedAt: '1' }]) {
      await leaveLock(changes)
      expect(await lockHolder(lock)).toMatchObject({ isAlive: false })
      const { release } = await acquire()
      await release()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it.each(['', '{"pid"', 'null'])('is taken over when a power cut left %j of it', async (left) => {
    await writeFile(lock, left)
    await acquire()
  })

  it('is taken over by exactly one of many', async () => {
    for (let round = 0; round < 5; round += 1) {
      await leaveLock({ pid: NO_PID })
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(lock)))
      const holders = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(holders).toHaveLength(1)
      expect(await locksIn()).toEqual(['store.lock'])
      await holders[0]?.value.release()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('works in a folder whose path is too long for a socket', async () => {
    const deep = join(folder, ...Array.from({ length: 6 }, () => 'a-name-of-thirty-characters-or'))
    await mkdir(deep, { recursive: true })
    lock = join(deep, 'store.lock')
    await acquire()
    expect(JSON.parse(await readFile(lock, 'utf8')).socket).toMatch(/sock$/)
    await expect(acquire()).rejects.toMatchObject({ reason: 'in_use' })
  })

  it.each([
    { what: 'of another machine', changes: { bootId: 'another', host: 'elsewhere' } },
    { what: 'without a socket, from another container', changes: { socket: null, pid: NO_PID } },
  ])('$what is respected while it is touched, and taken over when it is not', async ({ changes }) => {
    await leaveLock(changes)
    const beats = setInterval(() => void utimes(lock, new Date(), new Date()), SILENCE_MS / 4)
    await expect(acquire()).rejects.toMatchObject({ reason: 'in_use' })
    clearInterval(beats)
    await acquire()
  })

  it('by the former version, which named its process only, is respected while that runs', async () => {
    await leaveLock({ socket: undefined })
    await expect(acquire()).rejects.toMatchObject({ reason: 'in_use' })
    await rm(lock)
    await leaveLock({ socket: undefined, startedAt: '1' })
    await acquire()
  })

  it('is touched while it is held, whatever the clocks of other machines say', async () => {
    await acquire({ heartbeatMs: 5 })
    const first = (await stat(lock)).mtimeMs
    await expect.poll(async () => (await stat(lock)).mtimeMs).not.toBe(first)
  })

  it.each([
    { how: 'another took it over', take: () => leaveLockOf('another') },
    { how: 'somebody removed it', take: () => rm(lock) },
  ])('is lost when $how: its holder learns once, may write nothing, and leaves it alone', async ({ take }) => {
    const faults: StoreOpenError[] = []
    const { assertHeld, release } = await acquire({ heartbeatMs: 5, onLost: (fault) => faults.push(fault) })
    await assertHeld()
    await take()
    const left = await locksIn()
    await expect(assertHeld()).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(assertHeld()).rejects.toMatchObject({ code: 'store_unavailable' })
    // Whoever asks hears of it before the holder is told, who is told by whom.
    await expect.poll(() => faults).toMatchObject([{ reason: 'in_use' }])
    await release()
    expect(await locksIn()).toEqual(left)
  })

  it('that is lost is noticed by a holder that writes nothing', async () => {
    const faults: StoreOpenError[] = []
    await acquire({ heartbeatMs: 5, onLost: (fault) => faults.push(fault) })
    await leaveLockOf('another')
    await expect.poll(() => faults).toHaveLength(1)
  })
})

/** What another process would leave that took the lock over. */
async function leaveLockOf(token: string): Promise<void> {
  const holder = JSON.parse(await readFile(lock, 'utf8'))
  await writeFile(lock, JSON.stringify({ ...holder, pid: 1, token }))
}

describe('a file store', () => {
  const open = (options: Partial<Parameters<typeof createFileStore>[0]> = {}) =>
    createFileStore({ dir: folder, clock: createFakeClock(), log: createFakeLog(), ...options })

  it('refuses a second user and leaves the first one undisturbed', async () => {
    const first = await open()
    await expect(open()).rejects.toMatchObject({ name: 'StoreOpenError', reason: 'in_use' })
    await first.requests.insert(aRequest(0))
    await first.close()
    const second = await open()
    expect(second.epoch).toBe(2)
    await second.close()
  })

  it('lets go of its lock when it cannot be opened', async () => {
    await writeFile(join(folder, 'store.json'), '[]')
    await expect(open()).rejects.toMatchObject({ reason: 'corrupt' })
    expect(await readdir(folder)).toEqual(['store.json'])
  })

  it('that another process has taken over writes not one byte more', async () => {
    const faults: StoreOpenError[] = []
    const log = createFakeLog()
    const store = await open({ log, onLost: (fault) => faults.push(fault) })
    await store.requests.insert(aRequest(0))
    const files = () => Promise.all(['store.json', 'segments/requests-000001.ndjson'].map(contentOf))
    const before = await files()
    await leaveLockOf('another')
    const change = store.requests.insert(aRequest(0))
    await expect(change).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await files()).toEqual(before)
    expect(faults).toHaveLength(1)
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'store_lost' }))
    await store.close()
    expect(await locksIn()).toEqual(['store.lock'])
  })

  const contentOf = (name: string) => readFile(join(folder, name), 'utf8')
})

const namespaces = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0
const WHY = namespaces ? '' : ' (skipped: PID namespaces need root and unshare)'

describe.skipIf(!namespaces)(`containers that share a folder${WHY}`, () => {
  /** Opens the store in a PID namespace of its own, where it is process 1 like in any container. */
  async function contain(script: string): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(
      'unshare',
      ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath, script, folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [said] = await once((child.stdout as NodeJS.ReadableStream).setEncoding('utf8'), 'data')
    return { child, said: String(said).trim() }
  }

  it('serve it one at a time, though each finds itself to be process 1', async () => {
    const { script, remove } = await compileTs(fileURLToPath(new URL('./store-holder.ts', import.meta.url)))
    const first = await contain(script)
    expect(first.said).toBe('open')
    const second = await contain(script)
    expect(second.said).toMatch(/^in_use The store is in use by pid 1 on /)
    const outside = createFileStore({ dir: folder, clock: createFakeClock(), log: createFakeLog() })
    await expect(outside).rejects.toMatchObject({ reason: 'in_use' })
    const ended = once(first.child, 'close')
    first.child.kill('SIGKILL')
    await ended
    const third = await contain(script)
    expect(third.said).toBe('open')
    const over = once(third.child, 'close')
    third.child.kill('SIGKILL')
    await over
    await remove()
  })
})
