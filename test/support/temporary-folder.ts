import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for a test, and how to remove it with all that is in it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'rfqctl-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
