import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { serveSigner } from '../../../src/relay/adapters/signer/server.ts'
import { createResolutionSigner } from '../../../src/relay/adapters/signing.ts'
import { openSigners } from '../../../src/relay/app/open-signer.ts'
import type { ResolutionSigner } from '../../../src/relay/core/ports/chain.ts'
import { temporaryDir } from '../../cli/support.ts'
import { tcpServer } from '../../kit/server.ts'
import { REQUEST } from '../../ports/resolution-signer.suite.ts'
import { createFakeChain } from '../../support/fake-chain.ts'
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
  const open = async () => (await openSigners([path], { chain: createFakeChain({ clock }), clock, log, sleep })).signer
  return { path, log, open, waitedMs: () => clock.now() - begun }
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

describe('several signers', () => {
  const CONTRACT: Address = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9'
  const keys = ['01', '02', '03'].map((byte) => createResolutionSigner(`0x${byte.repeat(32)}`))

  /** Sockets of three keys, of which two sign; `onPause` starts those that a test wants. */
  async function setUpThree(onPause: (start: (index: number) => Promise<unknown>, pauses: number) => unknown) {
    const folder = temporaryDir()
    const clock = createFakeClock()
    const log = createFakeLog()
    const chain = createFakeChain({ clock })
    chain.signer = CONTRACT
    chain.quorums.set(CONTRACT, { keys: keys.map(({ address }) => address), threshold: 2 })
    const paths = keys.map((_, index) => join(folder, `${index}.sock`))
    const start = async (index: number) => {
      const signer = keys[index] as ResolutionSigner
      const { close } = await serveSigner({ signer, path: paths[index] as string, log })
      onTestFinished(close)
    }
    let pauses = 0
    const begun = clock.now()
    const sleep = async (ms: number) => {
      pauses += 1
      await onPause(start, pauses)
      await clock.advance(ms)
    }
    const open = () => openSigners(paths, { chain, clock, log, sleep })
    return { chain, open, waitedMs: () => clock.now() - begun }
  }

  it('a relay starts as soon as enough are there, and without the others', async () => {
    const { open } = await setUpThree((start, pauses) => (pauses <= 2 ? start(pauses) : undefined))
    const { signer, stats } = await open()
    expect(signer).toMatchObject({ address: CONTRACT, isQuorum: true })
    expect((await signer.sign(REQUEST)).length).toBe(2 + 2 * 130)
    expect(stats?.()).toContainEqual({ path: expect.stringMatching(/0\.sock$/), outcome: 'unreachable', count: 4 })
  })

  it('too few end the start after 30 s', async () => {
    const { open, waitedMs } = await setUpThree((start, pauses) => (pauses === 1 ? start(0) : undefined))
    await expect(open()).rejects.toMatchObject({ code: 'signer_unavailable' })
    expect(waitedMs()).toBeGreaterThanOrEqual(30_000)
  })

  it('a signer that is none of them is not waited for: what is done about it depends on the start', async () => {
    const { chain, open, waitedMs } = await setUpThree(() => {})
    chain.signer = keys[0]?.address ?? null
    expect((await open()).signer.address).toBe(keys[0]?.address)
    expect(waitedMs()).toBe(0)
  })
})
