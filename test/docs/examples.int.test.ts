import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { NOWHERE, temporaryDirOfFile } from '../cli/support.ts'
import { buildWhenStale, ROOT } from '../kit/build.ts'

const EXAMPLES = join(ROOT, 'examples')
const PROGRAMS = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:mjs|py|sh)$/.test(name),
)
/** Python has no client library of ours: its maker does what is behind the others. */
const mostLines = (name: string) => (name.endsWith('.py') ? 112 : 62)

const dir = temporaryDirOfFile()
const dataDir = join(dir, '.rfqctl')
const stop = new AbortController()
let up: Promise<number>

beforeAll(async () => {
  await buildWhenStale()
  const sink = { write: () => {} }
  await new Promise<void>((resolve, reject) => {
    up = runCli(['up', '--port', '0'], {
      stdout: { write: (text) => text.includes('is ready') && resolve() },
      stderr: sink,
      environment: {},
      cwd: dir,
      stop: stop.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    up.then((code) => reject(new Error(`up ended with ${code}`)), reject)
  })
})

afterAll(async () => {
  stop.abort({ kind: 'signal', signal: 'SIGTERM' })
  expect(await up).toBe(0)
})

/** A program that runs beside the sandbox, and is gone when its test ends. */
function start(command: string, args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(command, args, { cwd: dir, env: { PATH: process.env.PATH, ...environment } })
  const written = { stdout: '', stderr: '' }
  let look = () => {}
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      look()
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      look = () => written.stdout.includes(text) && resolve()
      look()
      ended.then(({ stderr }) => reject(new Error(`it ended and never said ${text}: ${stderr}`)))
    })
  return { says, ended, interrupt: () => child.kill('SIGINT') }
}

const example = (name: string) => start(process.execPath, [join(EXAMPLES, 'javascript', name), dataDir])

describe('an example', () => {
  test.each(PROGRAMS)('%s is short enough to be read at a glance, and in the table', (name) => {
    expect(readFileSync(join(EXAMPLES, name), 'utf8').trimEnd().split('\n').length).toBeLessThan(mostLines(name))
    if (!name.endsWith('signing.py')) {
      expect(readFileSync(join(EXAMPLES, 'README.md'), 'utf8')).toContain(`examples/${name}`)
    }
  })

  test('for a maker wins beside the makers of the sandbox, and ends at Ctrl-C; one for a taker buys', async () => {
    const maker = example('maker.mjs')
    await maker.says('quoting as maker-5')
    const taker = await example('taker.mjs').ended
    expect(taker).toMatchObject({ code: 0, stderr: '' })
    expect(taker.stdout).toMatch(/bought \d+ for \$[\d.]+ in transaction 0x[0-9a-f]{64}/)
    await maker.says('won')
    maker.interrupt()
    expect(await maker.ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('for a taker registers a call spread and buys it', async () => {
    const spread = await example('spread.mjs').ended
    expect(spread).toMatchObject({ code: 0, stderr: '' })
    expect(spread.stdout).toMatch(
      /the spread pays at most \$0\.1\nbought \d+ for \$[\d.]+ in transaction 0x[0-9a-f]{64}/,
    )
  })

  test('as a script trades both sides by nothing but --json', async () => {
    const bin = join(dir, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(
      join(bin, 'rfqctl'),
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin', 'rfqctl.js')}" "$@"\n`,
    )
    chmodSync(join(bin, 'rfqctl'), 0o755)
    const path = [bin, process.env.PATH].join(delimiter)
    const ran = await start('sh', [join(EXAMPLES, 'shell', 'trade-both-sides.sh')], { PATH: path }).ended
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(
      /bought \d+ calls for [\d.]+ dollars\nwrote 20 calls for [\d.]+ dollars\nholds \d+\nowes 20\n/,
    )
  })
})
