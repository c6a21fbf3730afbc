import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSigner } from '../../../src/relay/app/open-signer.ts'
import { temporaryDir } from '../../cli/support.ts'
import { tcpServer } from '../../kit/server.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`

/** A socket at which nobody listens, and a relay that opens it; `onPause` is called before each further attempt. */
function setUp(onPause: (pauses: number) => unknown = () => {}) {
  const path = join(temporaryDir(), 'signer.sock')
  const clock = createFakeClock()
  const log = createFakeLog()
  const begun = clock.now()
  let pauses = 0
  const sleep = async (ms: number) => {
    pauses += 1
    await onPause(pauses)
    await clock.advance(ms)
  }
  return { path, log, open: () => openSigner(path, { clock, log, sleep }), waitedMs: () => clock.now() - begun }
}

const answer = JSON.stringify({ address: ADDRESS, signature: null, refusal: null })

/** A process of the signer at `path`. */
const listen = (path: string, text = `${answer}\n`) => tcpServer((socket) => void socket.end(text), { path })

it('a signer that starts after its relay is waited for, which the log says once', async () => {
  const { path, log, open } = setUp((pauses) => (pauses === 5 ? listen(path) : undefined))
  expect((await open()).address).toBe(ADDRESS)
  expect(log.lines).toMatchObject([{ level: 'warn', event: 'signer_awaited', fields: { path } }])
})

it('a signer that never comes ends the start after 30 s', async () => {
  const { open, waitedMs } = setUp()
  await expect(open()).rejects.toMatchObject({ code: 'signer_unavailable' })
  expect(waitedMs()).toBeGreaterThanOrEqual(30_000)
  expect(waitedMs()).toBeLessThanOrEqual(31_000)
})

it('a socket whose server is not a signer is not waited for', async () => {
  const { path, open, waitedMs } = setUp()
  await listen(path, 'hello\n')
  await expect(open()).rejects.toMatchObject({ code: 'signer_unavailable' })
  expect(waitedMs()).toBe(0)
})

it('a start that is stopped waits no longer', async () => {
  const stopped = new DOMException('stopped', 'AbortError')
  const { open } = setUp(() => Promise.reject(stopped))
  await expect(open()).rejects.toBe(stopped)
})
