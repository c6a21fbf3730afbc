import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { isRunning } from '../../src/lib/process.ts'
import { buildWhenStale } from '../kit/build.ts'
import { type Child, startChild } from '../kit/child.ts'
import { run, temporaryDir } from './support.ts'

beforeAll(buildWhenStale)

/** The processes that a process started, and theirs, as Linux tells them. */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = parentOf(Number(name))
      return parent === null ? [] : [[Number(name), parent] as const]
    })
  const below = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)])
  return below(pid)
}

/** The fourth field of a process's stat line; its name, in brackets, may itself hold blanks and brackets. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** Presses Ctrl-C when the command says something; resolves with its exit code and what is left of it. */
async function interrupted(child: Child, when: string | null) {
  if (when !== null) await child.says(when)
  const started = descendantsOf(child.pid)
  child.signal('SIGINT')
  const code = await child.ended
  // The guard of a chain ends because we ended, and so a moment after us.
  const left = () => started.filter(isRunning)
  await vi.waitUntil(() => left().length === 0, { timeout: 60_000, interval: 20 }).catch(() => {})
  return { code, started: started.length, left: left() }
}

/** What only a write that was cut short would leave. */
const draftsIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => /\.json\.[\da-f-]{8,}$/.test(path))

describe.skipIf(process.platform !== 'linux')('Ctrl-C', () => {
  test.each([
    ['serve', 'as soon as its chain is there', ['serve', '--port', '0'], null],
    ['serve', 'when it is ready', ['serve', '--port', '0', '--json'], '"ready"'],
    ['up', 'between two steps', ['up', '--port', '0'], '✔ chain'],
    ['up', 'when everything runs', ['up', '--port', '0'], 'is ready'],
    ['demo', 'before its market is there', ['demo'], 'A chain, contracts, a relay'],
    ['demo', 'in the middle of a trade', ['demo'], 'best is'],
    ['chain start', 'when it runs', ['chain', 'start', '--port', '0'], 'is ready'],
  ])('ends %s with 130 and its chain with it, %s', async (_, __, argv, when) => {
    const cwd = temporaryDir()
    const child = startChild(argv, { cwd, environment: { LOG_LEVEL: 'error' } })
    // Without a word to wait for: as soon as there is a process below it.
    if (when === null) await expect.poll(() => descendantsOf(child.pid).length).toBeGreaterThan(0)
    const { code, started, left } = await interrupted(child, when)
    expect({ code, left, drafts: draftsIn(cwd), stderr: /error/.test(child.stderr()) }).toEqual({
      code: 130,
      left: [],
      drafts: [],
      stderr: false,
    })
    if (when !== 'A chain, contracts, a relay') expect(started).toBeGreaterThan(0)
  })

  test.each([
    ['in the middle', 'traded'],
    ['while its makers connect', null],
  ])('ends a soak with 130 and with what it saw so far, %s, and nothing of it is left', async (_, when) => {
    const cwd = temporaryDir()
    const child = startChild(['--for', '3s', '--makers', '5', '--rounds', '10'], {
      script: 'bench/soak/run.mjs',
      cwd,
      environment: { TMPDIR: cwd },
    })
    if (when === null) await expect.poll(() => descendantsOf(child.pid).length).toBeGreaterThan(0)
    const { code, started, left } = await interrupted(child, when)
    expect({ code, left, files: readdirSync(cwd) }).toEqual({ code: 130, left: [], files: [] })
    expect(started).toBeGreaterThan(0)
    if (when !== null)
      expect(child.stdout()).toMatch(/invariant +checks +violations[\s\S]+before it was stopped: no invariant broke/)
  })

  test('ends with 130 what follows a relay', async () => {
    const cwd = temporaryDir()
    const relay = startChild(['serve', '--no-chain', '--port', '0', '--json'], { cwd })
    await relay.says('"ready"')
    expect((await run(['taker', 'request', '@1', '--budget', '100'], { cwd })).code).toBe(0)
    const following: [string[], string][] = [
      [['maker', 'simulate'], 'connected'],
      [['maker', 'stream'], 'connected'],
      [['taker', 'watch'], 'quote'],
      [['events', 'tail'], 'asks'],
      [['maker', 'confirm', '--account', 'maker-4', '--wait', '1m'], 'ready'],
    ]
    for (const [argv, when] of following) {
      const child = startChild(argv, { cwd })
      expect({ argv, code: (await interrupted(child, when)).code, stderr: child.stderr() }).toEqual({
        argv,
        code: 130,
        stderr: expect.not.stringContaining('error'),
      })
    }
  })
})
