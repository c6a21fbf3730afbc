import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Builds `dist` when the sources make another: the suite runs what a user would run. Files of one run build it once. */
export async function buildWhenStale(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'build.mjs')])
}
