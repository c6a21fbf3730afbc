import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backUpStore } from '../../../../src/relay/adapters/store/admin/backup.ts'
import { checkStore } from '../../../../src/relay/adapters/store/admin/check.ts'
import { anAcceptance, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeDisk, type FakeDisk } from '../../../support/fake-disk.ts'
import { openOnFakeDisk } from './fake-disk-store.ts'

const DOCUMENT = '/data/store.json'
const clock = createFakeClock()

/** A folder of some trades and requests, the store closed. */
async function folderOf(trades: readonly boolean[], from: FakeDisk = createFakeDisk()): Promise<FakeDisk> {
  const store = await openOnFakeDisk(from, { clock, fullBytes: 12_000 })
  for (const isTraded of trades) {
    const request = aRequest(clock.now())
    await store.requests.insert(request)
    const acceptance = anAcceptance(request, { now: clock.now() })
    await store.acceptances.insert(acceptance)
    const signed = { executionId: request.requestId, signature: SIGNATURE }
    if (isTraded) await store.acceptances.confirm(acceptance.acceptanceId, signed)
    else await store.acceptances.end(acceptance.acceptanceId, 'declined')
  }
  await store.close()
  return from
}

const lengthOf = async (disk: FakeDisk, path: string) => (await disk.read(path))?.length ?? 0
const segmentsOf = (disk: FakeDisk) => disk.files().filter((path) => path.startsWith('/data/segments/'))
const readAll = async (disk: FakeDisk, path: string) => Buffer.from((await disk.read(path)) as Buffer)

async function linesOf(disk: FakeDisk, path: string): Promise<string[]> {
  return String(await disk.read(path)).split(/(?<=\n)/)
}

/** Every way out says the same: damage, where it is, and what to do. */
async function expectTold(disk: FakeDisk): Promise<void> {
  const before = new Map(
    await Promise.all(disk.files().map(async (path) => [path, await readAll(disk, path)] as const)),
  )
  const told = {
    reason: 'corrupt',
    path: expect.stringMatching(/^\/data\/(store\.json|segments\/\w+-\d+\.ndjson)$/),
    hint: expect.stringContaining('rfqctl db restore'),
  }
  await expect(checkStore({ disk, dir: '/data' })).rejects.toMatchObject(told)
  await expect(openOnFakeDisk(disk, { clock })).rejects.toMatchObject(told)
  for (const [path, bytes] of before) expect((await disk.read(path))?.equals(bytes), path).toBe(true)
}

/** What is done to a folder; false where this one has nothing that it could be done to. */
type Damage = (disk: FakeDisk, pick: (count: number) => number) => Promise<boolean>

const onSegment =
  (change: (lines: string[], pick: (count: number) => number) => string[] | null): Damage =>
  async (disk, pick) => {
    const paths = segmentsOf(disk)
    const path = paths[pick(paths.length)] as string
    const changed = change(await linesOf(disk, path), pick)
    if (changed === null) return false
    await disk.write(path, Buffer.from(changed.join('')))
    return true
  }

/** Two places of lines of one length that are not the same line; null where there are none. */
function twoAlike(lines: readonly string[], pick: (count: number) => number): [number, number] | null {
  const pairs = lines.flatMap((line, a) =>
    lines.flatMap((other, b) => (a < b && line.length === other.length && line !== other ? [[a, b] as const] : [])),
  )
  const [a, b] = pairs[pick(pairs.length)] ?? []
  return a === undefined || b === undefined ? null : [a, b]
}

const DAMAGES: readonly [name: string, damage: Damage][] = [
  [
    'a bit of a file is flipped',
    async (disk, pick) => {
      const paths = [DOCUMENT, ...segmentsOf(disk)]
      const path = paths[pick(paths.length)] as string
      const bytes = await readAll(disk, path)
      const at = pick(bytes.length - 1)
      bytes[at] = (bytes[at] as number) ^ (1 << pick(8))
      await disk.write(path, bytes)
      return true
    },
  ],
  [
    'a file is cut short',
    async (disk, pick) => {
      const paths = [DOCUMENT, ...segmentsOf(disk)]
      const path = paths[pick(paths.length)] as string
      await disk.truncate(path, pick((await lengthOf(disk, path)) - 1))
      return true
    },
  ],
  [
    'a part of a file is zeros',
    async (disk, pick) => {
      const paths = [DOCUMENT, ...segmentsOf(disk)]
      const path = paths[pick(paths.length)] as string
      const bytes = await readAll(disk, path)
      const at = pick(bytes.length - 1)
      await disk.write(path, bytes.fill(0, at, Math.min(at + 4_096, bytes.length)))
      return true
    },
  ],
  ['a line is missing', onSegment((lines, pick) => lines.toSpliced(pick(lines.length), 1))],
  [
    'a line is there twice',
    onSegment((lines, pick) => {
      const at = pick(lines.length - 1)
      return lines.length < 2 ? null : lines.toSpliced(at, 0, lines[at] as string)
    }),
  ],
  [
    'a line is there twice, and the last one, of its length, is beyond what counts',
    onSegment((lines, pick) => {
      const pair = twoAlike(lines, pick)
      return pair === null ? null : lines.toSpliced(pair[0], 0, lines[pair[0]] as string)
    }),
  ],
  [
    'a line stands in place of another of its length',
    onSegment((lines, pick) => {
      const pair = twoAlike(lines, pick)
      return pair === null ? null : lines.with(pair[0], lines[pair[1]] as string)
    }),
  ],
  [
    'two lines have changed places',
    onSegment((lines, pick) => {
      const pair = twoAlike(lines, pick)
      if (pair === null) return null
      const [a, b] = pair
      return lines.with(a, lines[b] as string).with(b, lines[a] as string)
    }),
  ],
  [
    'a segment is gone',
    async (disk, pick) => {
      const paths = segmentsOf(disk)
      await disk.remove(paths[pick(paths.length)] as string)
      return true
    },
  ],
  [
    'two segments have changed places',
    async (disk, pick) => {
      const paths = segmentsOf(disk)
      const a = paths[pick(paths.length)] as string
      const b = paths.filter((path) => path !== a)[pick(paths.length - 1)] as string
      const [ofA, ofB] = [await readAll(disk, a), await readAll(disk, b)]
      await disk.write(a, ofB)
      await disk.write(b, ofA)
      return true
    },
  ],
  [
    'the document is gone',
    async (disk) => {
      await disk.remove(DOCUMENT)
      return true
    },
  ],
  [
    'the document is empty',
    async (disk) => {
      await disk.truncate(DOCUMENT, 0)
      return true
    },
  ],
]

const somewhere = fc.infiniteStream(fc.nat())
const pickFrom = (numbers: Iterator<number>) => (count: number) => numbers.next().value % Math.max(count, 1)

describe('a folder is refused, by start and by check alike, with the file and the way out, and left as it is, when', () => {
  it.each(DAMAGES)('%s', async (_, damage) => {
    let done = 0
    const property = fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 4, maxLength: 10 }),
      somewhere,
      async (trades, numbers) => {
        const disk = await folderOf(trades)
        if (!(await damage(disk, pickFrom(numbers)))) return
        done += 1
        await expectTold(disk)
      },
    )
    await fc.assert(property, { numRuns: 12 })
    expect(done).toBeGreaterThan(3)
  })

  it('its document is one of before, by two saves of rows or more', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      async (first, then) => {
        const disk = await folderOf(first)
        const older = await readAll(disk, DOCUMENT)
        await folderOf(then, disk)
        await disk.write(DOCUMENT, older)
        await expectTold(disk)
      },
    )
    await fc.assert(property, { numRuns: 12 })
  })

  it('a segment is one of before, also of the same length', async () => {
    const disk = await folderOf([true, true])
    const [path] = segmentsOf(disk).filter((name) => name.includes('executions'))
    const other = await folderOf([true, true])
    await disk.write(path as string, await readAll(other, path as string))
    await expectTold(disk)
  })
})

describe('a folder is opened', () => {
  it('when all of it is of before, as from a copy that was made of a store at rest', async () => {
    const disk = await folderOf([true, false])
    const copy = disk.afterCrash('seen')
    await folderOf([true, true], disk)
    await folderOf([false], copy)
    expect((await checkStore({ disk: copy, dir: '/data' }))?.journal.executed).toBe(1)
  })

  it('when the disk failed again and again before the process died: nothing of that is from after its document', async () => {
    const disk = await folderOf([true, true])
    const store = await openOnFakeDisk(disk, { clock })
    const faults = Array.from({ length: 12 }, (_, n) => ({
      at: disk.operations() + 3 + 4 * n,
      done: (['nothing', 'half', 'all'] as const)[n % 3] as 'half',
      after: n === 11 ? ('dies' as const) : ('recovers' as const),
    }))
    disk.fail(...faults)
    for (let n = 0; n < 60; n += 1) await store.requests.insert(aRequest(clock.now())).catch(() => {})
    const left = disk.afterCrash('seen')
    expect((await checkStore({ disk: left, dir: '/data' }))?.journal.executed).toBe(2)
    await folderOf([true], left)
    expect((await checkStore({ disk: left, dir: '/data' }))?.journal.executed).toBe(3)
  })

  it('and looked at while it is written to: what has been saved meanwhile does not make its document an old one', async () => {
    const disk = await folderOf([true])
    const store = await openOnFakeDisk(disk, { clock })
    const writing: FakeDisk = {
      ...disk,
      list: async (dir) => {
        for (let n = 0; n < 3; n += 1) await store.requests.insert(aRequest(clock.now()))
        return disk.list(dir)
      },
    }
    expect((await checkStore({ disk: writing, dir: '/data' }))?.journal.executed).toBe(1)
    expect(await backUpStore({ disk: writing, from: '/data', to: '/backup' })).toBe(true)
    expect((await checkStore({ disk, dir: '/backup' }))?.journal.executed).toBe(1)
  })
})
