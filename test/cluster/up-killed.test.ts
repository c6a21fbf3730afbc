import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { spawnRfqctl } from '../kit/relay-process.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`up with several nodes, when it is killed${CLUSTER_HINT}`, () => {
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-up-killed-'))
  let up: ReturnType<typeof spawnRfqctl>

  // As /tmp is: where we are root, Postgres runs as somebody else.
  chmodSync(dir, 0o1777)
  beforeAll(buildWhenStale)
  afterAll(() => {
    up?.child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
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
    const ready = await vi.waitFor(
      () => {
        const line = up.output.stdout.split('\n').find((text) => text.startsWith('{"type":"ready"'))
        expect({ line, stderr: up.output.stderr }).toMatchObject({ line: expect.anything() })
        return JSON.parse(line as string) as { nodes: string[]; rpcUrl: string }
      },
      { timeout: 60_000, interval: 100 },
    )
    // Itself, two nodes, Postgres and what that starts, Redis, and their guards.
    expect(left().length).toBeGreaterThan(5)
    expect(readdirSync(dir).some((name) => name.startsWith('rfqctl-postgres-'))).toBe(true)
    up.child.kill('SIGKILL')
    // The folder goes after the last process.
    await vi.waitFor(() => expect([left(), readdirSync(dir)]).toEqual([[], ['data']]), {
      timeout: 60_000,
      interval: 100,
    })
    for (const url of [...ready.nodes, ready.rpcUrl]) await expect(fetch(url)).rejects.toThrow()
  })
})
