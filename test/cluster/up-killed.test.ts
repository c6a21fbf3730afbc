import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import type { Child } from '../kit/child.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { spawnRfqctl } from '../kit/relay-process.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`up with several nodes, when it is killed${CLUSTER_HINT}`, () => {
  const dir = newFolder()
  let up: Child

  // As /tmp is: where we are root, Postgres runs as somebody else.
  chmodSync(dir, 0o1777)
  beforeAll(buildWhenStale)
  afterAll(() => {
    up?.signal('SIGKILL')
    removeFolder(dir)
  })

  /** The processes that have the folder of this test for their temporary files: all that `up` started, save Anvil. */
  const left = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(dir))
  const environmentOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8')
    } catch {
      return ''
    }
  }

  it('leaves no node, no Postgres with its folder, no Redis and no Anvil behind', async () => {
    const args = ['up', '--nodes', '3', '--port', '0', '--json', '--data-dir', join(dir, 'data')]
    up = spawnRfqctl(args, { TMPDIR: dir })
    const ready = await up.ready<{ nodes: string[]; rpcUrl: string }>()
    // Itself, two nodes, Postgres and what that starts, Redis, and their guards.
    expect(left().length).toBeGreaterThan(5)
    expect(readdirSync(dir).some((name) => name.startsWith('rfqctl-postgres-'))).toBe(true)
    up.signal('SIGKILL')
    // The folder goes after the last process.
    await vi.waitFor(() => expect([left(), readdirSync(dir)]).toEqual([[], ['data']]), {
      timeout: 60_000,
      interval: 100,
    })
    for (const url of [...ready.nodes, ready.rpcUrl]) await expect(fetch(url)).rejects.toThrow()
  })
})
