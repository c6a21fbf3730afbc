import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { temporaryDir } from './support.ts'

/** A file that takes nothing that is written to it, as a terminal that was closed. */
const FULL = '/dev/full'

test.skipIf(!existsSync(FULL))(
  'a relay whose standard error takes nothing any more serves, and ends when it is stopped',
  async () => {
    await buildWhenStale()
    const full = openSync(FULL, 'w')
    onTestFinished(() => closeSync(full))
    const bin = new URL('../../bin/rfqctl.js', import.meta.url).pathname
    const relay = spawn(process.execPath, [bin, 'serve', '--memory', '--no-chain', '--port', '0', '--json'], {
      cwd: temporaryDir(),
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', full],
    })
    onTestFinished(() => void relay.kill('SIGKILL'))
    const ended = once(relay, 'exit')
    const [line] = (await once((relay.stdout as Readable).setEncoding('utf8'), 'data')) as [string]
    const { url } = JSON.parse(line.split('\n')[0] ?? '')
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    relay.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)
