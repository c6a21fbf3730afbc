import type { Disk } from '../file/disk.ts'
import { type Contents, createDocument, decodeDocument } from '../file/document.ts'
import { type Extent, fileName, parseFileName } from '../file/extents.ts'
import { readExtent } from '../file/segments.ts'
import { restoreTables } from '../tables.ts'
import { checkStore, readConsistently } from './check.ts'

/**
 * Copies the store of a folder into an empty one, even while a relay writes to it. When this resolves the copy is
 * whole, checked and flushed; false when there is no store. Refuses with a `StoreOpenError` `corrupt`.
 */
export const backUpStore = ({ disk, from, to }: { disk: Disk; from: string; to: string }): Promise<boolean> =>
  readConsistently({ disk, dir: from }, async () => {
    const path = `${from}/store.json`
    const document = await disk.read(path)
    if (document === null) return false
    await copy({ disk, from, to, document, extents: decodeDocument(path, document).segments })
    return true
  })

type Copy = { disk: Disk; from: string; to: string; document: Buffer; extents: readonly Extent[] }

/** The document comes last: a copy without it is not a store. */
async function copy({ disk, from, to, document, extents }: Copy): Promise<void> {
  await disk.makeDir(to)
  await disk.makeDir(`${to}/segments`)
  for (const extent of extents) await copySegment({ disk, from, to, extent })
  await disk.flushDir(`${to}/segments`)
  await disk.write(`${to}/store.json`, document)
  await disk.flushDir(to)
}

/** Copies the part of a journal file that counts, and checks it. */
async function copySegment(parts: { disk: Disk; from: string; to: string; extent: Extent }): Promise<void> {
  const { disk, from, to, extent } = parts
  const { bytes } = await readExtent(disk, `${from}/segments`, extent)
  await disk.write(`${to}/segments/${fileName(extent)}`, bytes)
}

/** More starts than a store has between its last backup and the day on which it is lost. */
const LOST_STARTS = 10_000

/**
 * Replaces a store that no one uses by a backup; the remains of the store are moved to `aside`. A crash on the way
 * leaves a folder that refuses to open until the restore is repeated, never an empty store. False when there is no
 * backup.
 *
 * The relay has continued since the backup. To repeat no id or nonce, its streams start above all ids (decision M1);
 * its nonces have another base with each opening anyway (decision C7).
 * Refuses with a `StoreOpenError` `corrupt` when the backup is.
 */
export async function restoreStore(parts: { disk: Disk; from: string; dir: string; aside: string }): Promise<boolean> {
  const { disk, from, dir, aside } = parts
  if ((await checkStore({ disk, dir: from })) === null) return false
  const path = `${from}/store.json`
  const backup = decodeDocument(path, (await disk.read(path)) as Buffer)
  const contents = { ...backup, tables: renewed(backup, await epochOf(disk, dir)) }
  await setAside({ disk, dir, aside })
  await disk.makeDir(dir)
  await disk.makeDir(`${dir}/segments`)
  for (const extent of contents.segments) await copySegment({ disk, from, to: dir, extent })
  await disk.flushDir(`${dir}/segments`)
  await createDocument({ disk, path: `${dir}/store.json`, onSwitch: () => {}, onWritten: () => {} }).write(contents)
  return true
}

function renewed({ tables: saved }: Contents, former: number): Contents['tables'] {
  const tables = restoreTables(saved)
  const streamEpoch = Math.max(former, (tables.counters.get('streamEpoch') ?? 0) + LOST_STARTS)
  const counters = new Map([...tables.counters, ['streamEpoch', streamEpoch]] as const)
  return { ...saved, counters: [...counters] }
}

/** The number of openings of the replaced store; 0 when that is unreadable. */
async function epochOf(disk: Disk, dir: string): Promise<number> {
  const path = `${dir}/store.json`
  try {
    const bytes = await disk.read(path)
    return bytes === null ? 0 : (restoreTables(decodeDocument(path, bytes).tables).counters.get('streamEpoch') ?? 0)
  } catch {
    return 0
  }
}

/** The document stays in place until it is replaced: without its journal it refuses to open. */
async function setAside({ disk, dir, aside }: { disk: Disk; dir: string; aside: string }): Promise<void> {
  const document = await disk.read(`${dir}/store.json`)
  const names = (await disk.list(`${dir}/segments`)).filter((name) => parseFileName(name) !== null)
  if (document === null && names.length === 0) return
  await disk.makeDir(aside)
  await disk.makeDir(`${aside}/segments`)
  if (document !== null) await disk.write(`${aside}/store.json`, document)
  for (const name of names) await disk.rename(`${dir}/segments/${name}`, `${aside}/segments/${name}`)
  for (const folder of [`${aside}/segments`, aside, `${dir}/segments`]) await disk.flushDir(folder)
}
