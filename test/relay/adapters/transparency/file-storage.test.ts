import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../src/protocol/domain/audit.ts'
import type { Checkpoint } from '../../../../src/protocol/domain/checkpoint.ts'
import { decodeEntries, readRanges, type Tile } from '../../../../src/protocol/domain/log-tiles.ts'
import { consistencyRanges, hashLeaf, verifyConsistency } from '../../../../src/protocol/domain/merkle-tree.ts'
import { verifyTranscript } from '../../../../src/protocol/domain/transcript.ts'
import { openFileStorage, readKeys } from '../../../../src/relay/adapters/transparency/file-storage.ts'
import { openKeys, sha256 } from '../../../../src/relay/adapters/transparency/keys.ts'
import { createMemoryStorage } from '../../../../src/relay/adapters/transparency/memory-storage.ts'
import { checkpointIn, createTransparencyLog } from '../../../../src/relay/adapters/transparency/transparency-log.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk } from '../../../support/fake-disk.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { naive } from '../../../support/oracles/merkle-tree.ts'
import { LOG_KEYS, NO_OPENING } from '../../../support/test-relay.ts'
import { verifyEd25519 } from '../../../support/verify-ed25519.ts'

const DIR = '/data/log'
const entry = (requestId: string, at: number): AuditEntry => ({ at, requestId, kind: 'commit_refused', code: `c${at}` })

async function open(disk = createFakeDisk(), leavesInFile = 300) {
  const keys = openKeys(await readKeys(disk, DIR))
  const storage = await openFileStorage({ disk, dir: DIR, leavesInFile, assertHeld: async () => {} })
  const clock = createFakeClock()
  const log = createTransparencyLog({ openingOf: NO_OPENING, storage, keys, clock, log: createFakeLog() })
  let at = 0
  return {
    disk,
    log,
    storage,
    add: (count: number, requests = 7) => {
      for (let i = 0; i < count; i += 1) {
        at += 1
        log.add(entry(`r${at % requests}`, at))
      }
    },
    newest: async (): Promise<Checkpoint> => checkpointIn((await log.checkpoint()) as string),
  }
}

/** Every commitment of a log, read as a stranger would. */
async function leavesOf({ log, newest }: Pick<Awaited<ReturnType<typeof open>>, 'log' | 'newest'>) {
  const { size } = await newest()
  const leaves: Uint8Array[] = []
  for (let index = 0; index * 256 < size; index += 1) {
    const width = Math.min(256, size - index * 256)
    leaves.push(
      ...(decodeEntries((await log.readTile({ level: 'entries', index, width })) as Uint8Array) as Uint8Array[]),
    )
  }
  return leaves
}

test('publishes what was added once it is on disk, as C2SP has it', async () => {
  const fixture = await open()
  expect(await fixture.log.checkpoint()).toBeNull()
  fixture.add(3)
  await fixture.log.advance()
  expect(await fixture.newest()).toMatchObject({ size: 3 })
  fixture.add(700)
  await fixture.log.advance()
  const { size, root, origin } = await fixture.newest()
  expect(size).toBe(703)
  expect(origin).toBe(fixture.log.keys[0]?.name)
  const leaves = await leavesOf(fixture)
  expect(Buffer.from(root)).toEqual(naive.root(leaves))
  const tile = (await fixture.log.readTile({ level: 0, index: 2, width: 191 })) as Uint8Array
  expect(Buffer.from(tile.slice(0, 32))).toEqual(Buffer.from(hashLeaf(sha256, leaves[512] as Uint8Array)))
  for (const absent of [
    { level: 0, index: 2, width: 192 },
    { level: 0, index: 3, width: 1 },
    { level: 2, index: 0, width: 1 },
  ])
    expect(await fixture.log.readTile(absent)).toBeNull()
})

test('proves each line of a request, and has the same tree after a restart', async () => {
  const first = await open()
  first.add(650)
  await first.log.advance()
  const before = await first.newest()
  const again = await open(first.disk)
  expect(await again.newest()).toEqual(before)
  again.add(10)
  await again.log.advance()
  const after = await again.newest()
  expect(after.size).toBe(660)
  const ranges = consistencyRanges(before.size, after.size)
  const readTile = async (tile: Tile & { level: number }) => (await again.log.readTile(tile)) as Uint8Array
  const path = await readRanges(sha256, readTile, { ranges, size: after.size })
  expect(verifyConsistency(sha256, { first: before, second: after, path })).toBe(true)
  const found = await again.log.linesOf('r3')
  expect(found?.lines.length).toBeGreaterThan(90)
  const { checkpoint, keys, lines } = found as NonNullable<typeof found>
  const transcript = {
    requestId: 'r3',
    checkpoint,
    keys,
    domain: null,
    leaves: lines.map(({ commitment: _, ...line }) => line),
  }
  const { problems } = verifyTranscript(transcript, { sha256, verify: verifyEd25519 })
  expect(problems).toEqual(['The request has no opening, or two that differ.'])
  expect(await again.log.linesOf('unknown')).toBeNull()
})

test('has the same log as one in memory', async () => {
  const disk = createFakeDisk()
  await disk.makeDir(DIR)
  await disk.write(`${DIR}/keys.json`, Buffer.from(JSON.stringify(LOG_KEYS)))
  const file = await open(disk)
  const memory = createTransparencyLog({
    openingOf: NO_OPENING,
    storage: createMemoryStorage(),
    keys: openKeys(LOG_KEYS),
    clock: createFakeClock(),
    log: createFakeLog(),
  })
  for (let i = 0; i < 600; i += 1) for (const log of [file.log, memory]) log.add(entry(`r${i % 5}`, i))
  await Promise.all([file.log.advance(), memory.advance()])
  expect(await file.log.checkpoint()).toBe(await memory.checkpoint())
  const plain = async (log: typeof memory) =>
    JSON.stringify(await log.linesOf('r2'), (_, value) =>
      value?.type === 'Buffer' ? value.data : value instanceof Uint8Array ? [...value] : value,
    )
  expect((await plain(memory)).length).toBeGreaterThan(10_000)
  expect(await plain(file.log as typeof memory)).toBe(await plain(memory))
  for (const tile of [
    { level: 0, index: 1, width: 256 },
    { level: 1, index: 0, width: 2 },
    { level: 'entries', index: 2, width: 88 },
  ] as const)
    expect(Buffer.from((await file.log.readTile(tile)) as Uint8Array)).toEqual(
      Buffer.from((await memory.readTile(tile)) as Uint8Array),
    )
})

test('a request has one signature in the log', async () => {
  const { log, newest } = await open()
  const confirmed: AuditEntry = {
    at: 1,
    requestId: 'r1',
    kind: 'confirmed',
    makerId: 'ada',
    quoteId: 'q1',
    executionId: 'e1',
    waitedMs: 0,
  }
  log.add(confirmed)
  log.add(confirmed)
  await log.advance()
  log.add(confirmed)
  log.add({ ...confirmed, requestId: 'r2' })
  await log.advance()
  expect(await newest()).toMatchObject({ size: 2 })
})

test('an entry with half of a character has the place of any other', async () => {
  const { log } = await open()
  log.add({ at: 1, requestId: 'r1', kind: 'declined', makerId: 'ada', quoteId: 'q1', waitedMs: 1, reason: 'no\ud800' })
  await log.advance()
  expect((await log.linesOf('r1'))?.lines[0]?.record.text).toContain('no\ufffd')
})

test('refuses files that are not those of its checkpoint', async () => {
  for (const name of ['level-0', 'entries', 'records/000000000000000.ndjson']) {
    const { disk, add, log } = await open()
    add(10)
    await log.advance()
    const bytes = (await disk.read(`${DIR}/${name}`)) as Buffer
    await disk.truncate(`${DIR}/${name}`, bytes.length - 40)
    await expect(open(disk), name).rejects.toMatchObject({ reason: 'corrupt' })
  }
  const { disk, add, log } = await open()
  add(10)
  await log.advance()
  await disk.writeAt(`${DIR}/level-0`, 5, Buffer.from('x'))
  await expect(open(disk)).rejects.toMatchObject({ reason: 'corrupt' })
})

test.each([
  ['nothing', ''],
  ['half of it', '{"origin":"rfqctl.log/1","saltSecret":"5a5a5a'],
  ['no seed', JSON.stringify({ ...LOG_KEYS, seeds: [] })],
  ['a short seed', JSON.stringify({ ...LOG_KEYS, seeds: ['5b5b'] })],
  ['another type', JSON.stringify({ ...LOG_KEYS, saltSecret: 5 })],
  ['a name of two lines', JSON.stringify({ ...LOG_KEYS, origin: 'a\nb' })],
  ['null', 'null'],
])('refuses a file of keys that has %s, with no word of it', async (_, text) => {
  const { disk } = await open()
  await disk.write(`${DIR}/keys.json`, Buffer.from(text))
  const fault = await open(disk).catch((thrown: unknown) => thrown)
  expect(fault).toMatchObject({ reason: 'corrupt', path: `${DIR}/keys.json` })
  expect(inspect(fault, { depth: 9 })).not.toMatch(/5[ab]5[ab]/)
})

test('refuses a log whose keys are gone: others would begin a second history', async () => {
  const { disk, add, log } = await open()
  add(10)
  await log.advance()
  await disk.remove(`${DIR}/keys.json`)
  await expect(open(disk)).rejects.toMatchObject({ reason: 'corrupt' })
  expect(await disk.read(`${DIR}/keys.json`)).toBeNull()
})

test('refuses readers once its files are gone', async () => {
  const { disk, add, log } = await open()
  add(10)
  await log.advance()
  for (const name of ['level-0', 'entries', 'records/000000000000000.ndjson']) await disk.remove(`${DIR}/${name}`)
  for (const level of [0, 'entries'] as const)
    await expect(log.readTile({ level, index: 0, width: 10 })).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect(log.linesOf('r1')).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('keeps the records of the newest leaves, and every hash', async () => {
  const fixture = await open(createFakeDisk(), 10)
  for (let i = 0; i < 40; i += 1) {
    fixture.add(10, 1_000)
    await fixture.log.advance()
  }
  expect((await fixture.disk.list(`${DIR}/records`)).length).toBe(16)
  expect(await fixture.log.linesOf('r1')).toBeNull()
  expect((await fixture.log.linesOf('r399'))?.lines.length).toBe(1)
  const again = await open(fixture.disk, 10)
  expect(await again.log.linesOf('r399')).toEqual(await fixture.log.linesOf('r399'))
  expect((await leavesOf(again)).length).toBe(400)
})

test('whatever a crash leaves of it, the next start extends each checkpoint that was shown', async () => {
  const plain = await open(createFakeDisk(), 10)
  const begin = plain.disk.operations()
  for (let i = 0; i < 3; i += 1) {
    plain.add(7)
    await plain.log.advance()
  }
  const operations = plain.disk.operations()
  expect(operations - begin).toBeGreaterThan(20)
  for (let at = begin + 1; at <= operations; at += 1)
    for (const done of ['nothing', 'half', 'all'] as const)
      for (const names of ['seen', 'flushed'] as const) {
        const dying = await open(createFakeDisk(), 10)
        dying.disk.fail({ at, done, after: 'dies' })
        let shown: Checkpoint | null = null
        for (let i = 0; i < 3; i += 1) {
          dying.add(7)
          const isDone = await dying.log.advance().then(
            () => true,
            () => false,
          )
          if (!isDone) break
          shown = await dying.newest()
        }
        const next = await open(dying.disk.afterCrash(names), 10)
        next.add(5)
        await next.log.advance()
        const after = await next.newest()
        const leaves = await leavesOf(next)
        expect(Buffer.from(after.root)).toEqual(naive.root(leaves))
        if (shown !== null) {
          expect(after.size).toBeGreaterThanOrEqual(shown.size + 5)
          expect(Buffer.from(shown.root)).toEqual(naive.root(leaves.slice(0, shown.size)))
        }
        for (let r = 0; r < 7; r += 1) {
          const found = await next.log.linesOf(`r${r}`)
          const numbers = found?.lines.map(({ record: { number } }) => number) ?? []
          expect(numbers).toEqual(numbers.map((_, i) => i))
        }
      }
})

test('holds a bounded number of entries while its disk fails, and counts the others', async () => {
  const fixture = await open()
  fixture.disk.fail({ at: fixture.disk.operations() + 1, done: 'nothing', after: 'dies' })
  fixture.add(100_003)
  await expect(fixture.log.advance()).rejects.toThrow()
  expect(fixture.log.lost()).toBe(3)
  fixture.add(1)
  expect(fixture.log.lost()).toBe(4)
})

test('takes up its work after a disk that was full', async () => {
  const fixture = await open(createFakeDisk(), 10)
  fixture.add(7)
  await fixture.log.advance()
  fixture.disk.fail({ at: fixture.disk.operations() + 2, done: 'half', after: 'recovers' })
  fixture.add(7)
  await expect(fixture.log.advance()).rejects.toThrow('ENOSPC')
  expect(await fixture.newest()).toMatchObject({ size: 7 })
  fixture.add(7)
  await fixture.log.advance()
  expect(await fixture.newest()).toMatchObject({ size: 21 })
  const again = await open(fixture.disk, 10)
  expect(await leavesOf(again)).toEqual(await leavesOf(fixture))
})

test('gives the leaves in order, across files, in memory as on disk', async () => {
  const { log, storage, add } = await open(createFakeDisk(), 10)
  const memory = createMemoryStorage()
  const other = createTransparencyLog({
    openingOf: NO_OPENING,
    storage: memory,
    keys: openKeys(LOG_KEYS),
    clock: createFakeClock(),
    log: createFakeLog(),
  })
  add(35)
  for (let at = 1; at <= 35; at += 1) other.add(entry(`r${at % 7}`, at))
  await Promise.all([log.advance(), other.advance()])
  for (const one of [storage, memory]) {
    const leaves = await one.leavesFrom(8, 15)
    expect(leaves.map(({ index }) => index)).toEqual(Array.from({ length: 15 }, (_, i) => 8 + i))
    for (const { index, text } of leaves) expect(text).toContain(`"code":"c${index + 1}"`)
    expect(await one.leavesFrom(33, 15)).toHaveLength(2)
    expect(await one.leavesFrom(35, 15)).toEqual([])
  }
})

test('begins with the oldest leaf that is kept', async () => {
  const { log, storage, add } = await open(createFakeDisk(), 2)
  for (let turn = 0; turn < 20; turn += 1) {
    add(2)
    await log.advance()
  }
  const [first] = await storage.leavesFrom(0, 1)
  expect(first?.index).toBe(40 - 16 * 2)
})
