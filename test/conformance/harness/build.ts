import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Is there while somebody builds, outside of what git looks at. */
const LOCK = join(ROOT, 'node_modules', '.rfqctl-building')

/** How soon it is looked at again, and how old one is that a killed run left, in milliseconds. */
const PAUSE_MS = 200
const LEFT_MS = 180_000

/** Builds `dist` when a source is newer than it: the suite runs what a user would run. Files of one run build it once. */
export async function buildWhenStale(): Promise<void> {
  while (isStale()) {
    if (takeLock()) {
      await build().finally(() => rmdirSync(LOCK))
      return
    }
    await wait(PAUSE_MS)
  }
}

function takeLock(): boolean {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    const madeAt = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - madeAt > LEFT_MS) rmdirSync(LOCK)
    return false
  }
}

function isStale(): boolean {
  const builtAt = statSync(join(ROOT, 'dist', 'bundle', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return newestSource() >= builtAt
}

async function build(): Promise<void> {
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
