import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDir } from '../cli/support.ts'
import { buildWhenStale } from '../kit/build.ts'
import { type Child, startChild } from '../kit/child.ts'
import { closeAll } from '../kit/keep.ts'
import { createMaker, type Maker } from '../kit/maker.ts'
import { createService, pendingCommit, walletOf } from '../kit/service.ts'
import type { SseStream } from '../kit/sse.ts'
import { watchWire } from '../support/api/watch-wire.ts'

/** Two faults that nobody catches, each on a signal of its own. */
const FAULTS = `
  process.on('SIGUSR2', () => { throw new Error('boom 0x' + 'ab'.repeat(32)) })
  process.on('SIGWINCH', () => void Promise.reject(new Error('boom 0x' + 'ab'.repeat(32))))
`

const MAKERS = Array.from({ length: 10 }, (_, index) => ({
  makerId: `maker-${index}`,
  apiKey: `key-of-maker-${index}`,
}))

/** Long enough for a maker on a busy machine, short enough to wait for one that does not sign. */
const SIGN_WITHIN_MS = 4_000

watchWire()
beforeAll(buildWhenStale)
afterAll(closeAll)

/** A relay without a chain in a process of its own, and its makers by their index. */
async function startRelay(makerConfirmationMs: number) {
  const child = startChild(['serve', '--memory', '--no-chain', '--port', '0', '--json'], {
    cwd: temporaryDir(),
    environment: { MAKER_API_KEYS: JSON.stringify(MAKERS), MAKER_CONFIRMATION_MS: String(makerConfirmationMs) },
    nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(FAULTS)}`],
  })
  const service = createService(await child.ready(), MAKERS)
  const makers = MAKERS.map((key) => createMaker(service.ready, key, walletOf(5)))
  const maker = (index: number) => makers[index % makers.length] as Maker
  return { child, service, maker, pending: (index: number) => pendingCommit(service, maker(index)) }
}

/** Confirms a pending commit; resolves with the answers to the maker and to the taker. */
async function confirm({ maker, quoteId, accepted, committing }: Awaited<ReturnType<typeof pendingCommit>>) {
  const confirmed = await maker.confirm(quoteId, await maker.sign(accepted))
  return [confirmed.status, (await committing).status]
}

/** All that a stream said, once it has ended. */
async function textOf({ ended, text }: SseStream): Promise<string> {
  await ended
  return text()
}

const RETRY_AT_THE_END = /\n\nretry: [123]\d{3}\n$/

describe('a relay that is stopped (fault H1)', () => {
  test('drains 100 streams, 50 sockets and 3 commits', async () => {
    const { child, service, maker, pending } = await startRelay(SIGN_WITHIN_MS)
    const { requestId } = await service.open()
    const streams = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? maker(index / 2).stream() : service.stream(`/quote-requests/${requestId}/stream`),
      ),
    )
    const sockets = await Promise.all(Array.from({ length: 50 }, (_, index) => maker(index).connect()))
    const signing = await pending(0)
    const declining = await pending(1)
    const silent = await pending(2)
    const askedAt = performance.now()
    child.signal('SIGTERM')
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(sockets.map(() => 1001))
    const late = await service.call('POST', '/quote-requests', { body: {} })
    expect(late).toMatchObject({ status: 503, body: { code: 'shutting_down' } })
    expect(late.headers.get('connection')).toBe('close')
    expect(await confirm(signing)).toEqual([200, 200])
    expect((await declining.maker.decline(declining.quoteId)).status).toBe(200)
    expect(await declining.committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    expect(await silent.committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    for (const stream of streams) expect(await textOf(stream)).toMatch(RETRY_AT_THE_END)
    expect(await child.ended).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(20_000)
    expect(faultsIn(child)).toEqual([])
  })

  test.runIf(process.env.CI)('waits for a silent maker at most 15 s, however long it has to sign', async () => {
    const { child, pending } = await startRelay(60_000)
    const { committing } = await pending(0)
    const askedAt = performance.now()
    child.signal('SIGTERM')
    expect(await committing).toMatchObject({ status: 503, body: { code: 'shutting_down', retryable: true } })
    expect(await child.ended).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(20_000)
  })

  test('is not ready from the first moment on', async () => {
    const { child, service, maker, pending } = await startRelay(SIGN_WITHIN_MS)
    const { committing, quoteId } = await pending(0)
    const { ended } = await maker(1).stream()
    child.signal('SIGTERM')
    await ended
    expect(await service.call('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'shutting_down' } })
    await maker(0).decline(quoteId)
    await committing
    expect(await child.ended).toBe(0)
  })

  test('drains alike when its terminal hangs up', async () => {
    const { child, maker, pending } = await startRelay(SIGN_WITHIN_MS)
    const stream = await maker(1).stream()
    const commit = await pending(0)
    child.process.stdout?.destroy()
    child.process.stderr?.destroy()
    child.signal('SIGHUP')
    expect(await textOf(stream)).toMatch(RETRY_AT_THE_END)
    expect(await confirm(commit)).toEqual([200, 200])
    expect(await child.ended).toBe(0)
  })
})

describe('a relay with an uncaught fault (fault H5)', () => {
  test.each([
    ['an exception', 'SIGUSR2'],
    ['a rejection', 'SIGWINCH'],
  ] as const)('drains after %s, tells it without its secrets, and fails', async (_, signal) => {
    const { child, maker, pending } = await startRelay(SIGN_WITHIN_MS)
    const stream = await maker(1).stream()
    const { closed } = await maker(2).connect()
    const commit = await pending(0)
    child.signal(signal)
    expect(await textOf(stream)).toMatch(RETRY_AT_THE_END)
    expect(await closed).toBe(1001)
    expect(await confirm(commit)).toEqual([200, 200])
    expect(await child.ended).toBe(1)
    expect(child.stderr()).toContain('boom [hex]')
    expect(child.stderr()).not.toContain('abab')
  })
})

/** What a relay logged as its own fault. */
const faultsIn = (child: Child): string[] =>
  child
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))

test('a relay whose store is taken over by another ends with exit code 10', async () => {
  const cwd = temporaryDir()
  const child = startChild(['serve', '--no-chain', '--port', '0', '--json', '--data-dir', 'data'], { cwd })
  await child.ready()
  const lock = join(cwd, 'data', 'store.lock')
  const holder = JSON.parse(readFileSync(lock, 'utf8'))
  writeFileSync(lock, JSON.stringify({ ...holder, host: 'elsewhere', token: 'another' }))
  expect(await child.ended).toBe(10)
  expect(child.stderr()).toContain('on elsewhere')
  expect(JSON.parse(readFileSync(lock, 'utf8')).token).toBe('another')
})
