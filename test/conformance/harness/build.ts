import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds `dist` when a source is newer than it: the suite runs what a user would run. */
export async function buildWhenStale(): Promise<void> {
  const builtAt = statSync(join(ROOT, 'dist', 'bundle', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (newestSource() < builtAt) return
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: ROOT }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`the build fails:\n${stdout}${stderr}`)
    },
  )
}

const newestSource = (): number =>
  readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)
