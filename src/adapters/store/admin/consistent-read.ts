import type { Disk } from '../file/disk.ts'
import { StoreOpenError } from '../open-error.ts'

/** How often a store is read again because it let go of a file meanwhile; that happens once in hours. */
const ATTEMPTS = 3

/**
 * Reads a store that may be written to meanwhile. Its document says how far each file of the journal counts, and what
 * counts never changes; but a file that is let go of under a reader looks like damage, so that one reads again whenever
 * the document has changed.
 */
export async function readConsistently<Result>(
  { disk, dir }: { disk: Disk; dir: string },
  read: () => Promise<Result>,
): Promise<Result> {
  const path = `${dir}/store.json`
  for (let attempt = 1; ; attempt += 1) {
    const before = await disk.read(path)
    try {
      return await read()
    } catch (fault) {
      const after = await disk.read(path)
      const hasMoved = before !== null && after !== null && !before.equals(after)
      if (!(fault instanceof StoreOpenError) || !hasMoved || attempt === ATTEMPTS) throw fault
    }
  }
}
