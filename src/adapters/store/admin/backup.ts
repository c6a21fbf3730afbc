import type { Disk } from '../file/disk.ts'
import { decodeDocument } from '../file/document.ts'
import { type Extent, fileName } from '../file/extents.ts'
import { decodeLines } from '../file/lines.ts'
import { corrupt } from '../open-error.ts'
import { atOneMoment } from './at-one-moment.ts'

/**
 * Copies the store of a folder into another, which is empty, also while a relay writes to it. The copy is whole, checked
 * and flushed when this resolves; false when there is no store.
 * Refuses with a `StoreOpenError` `corrupt`.
 */
export const backUpStore = ({ disk, from, to }: { disk: Disk; from: string; to: string }): Promise<boolean> =>
  atOneMoment({ disk, dir: from }, async () => {
    const path = `${from}/store.json`
    const document = await disk.read(path)
    if (document === null) return false
    await copy({ disk, from, to, document, extents: decodeDocument(path, document).segments })
    return true
  })

type Copy = { disk: Disk; from: string; to: string; document: Buffer; extents: readonly Extent[] }

/** The document comes last: a copy without it is no store. */
async function copy({ disk, from, to, document, extents }: Copy): Promise<void> {
  await disk.makeDir(to)
  await disk.makeDir(`${to}/segments`)
  for (const extent of extents) await copySegment({ disk, from, to, extent })
  await disk.flushDir(`${to}/segments`)
  await disk.write(`${to}/store.json`, document)
  await disk.flushDir(to)
}

/** Copies so much of a file of the journal as counts, and makes sure of every line. */
export async function copySegment({
  disk,
  from,
  to,
  extent,
}: {
  disk: Disk
  from: string
  to: string
  extent: Extent
}): Promise<void> {
  const path = `${from}/segments/${fileName(extent)}`
  const bytes = (await disk.read(path))?.subarray(0, extent.bytes)
  if (bytes === undefined) throw corrupt(path, 'is missing')
  if (bytes.length < extent.bytes)
    throw corrupt(path, `is truncated: ${bytes.length} of ${extent.bytes} bytes are left`)
  if (decodeLines(bytes) === null) throw corrupt(path, 'is damaged: a line does not match its checksum')
  await disk.write(`${to}/segments/${fileName(extent)}`, bytes)
}
