import { once } from 'node:events'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Child, startChild } from '../cli/child.ts'
import { temporaryDir } from '../cli/support.ts'
import { buildWhenStale } from '../conformance/harness/build.ts'
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
const ACCOUNT = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
const TAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

watchWire()
beforeAll(buildWhenStale, 60_000)

type Message = { type: string; quoteId: string; order: object; domain: object; types: object }

/** A relay without a chain in a process of its own. */
async function startRelay(makerConfirmationMs: number) {
  const child = startChild(['serve', '--memory', '--no-chain', '--port', '0', '--json'], {
    cwd: temporaryDir(),
    environment: { MAKER_API_KEYS: JSON.stringify(MAKERS), MAKER_CONFIRMATION_MS: String(makerConfirmationMs) },
    nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(FAULTS)}`],
  })
  await child.says('"ready"')
  const { url, wsUrl } = JSON.parse(child.stdout().split('\n')[0] ?? '') as { url: string; wsUrl: string }
  const keyOf = (index: number) => ({ 'x-api-key': MAKERS[index % MAKERS.length]?.apiKey ?? '' })

  async function post(path: string, body: object, headers: Record<string, string> = {}) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${url}${path}`, init)
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string>,
    }
  }

  /** An open stream; `text` is all it ever said, once it has ended. */
  async function stream(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}${path}`, { headers })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    const first = await reader.read()
    const text = (async () => {
      let all = decoder.decode(first.value)
      for (let part = await reader.read(); !part.done; part = await reader.read()) all += decoder.decode(part.value)
      return all
    })()
    return { text }
  }

  /** An authenticated socket. */
  async function socket(index: number) {
    const ws = new WebSocket(`${wsUrl}/maker/v1/ws?apiKey=${keyOf(index)['x-api-key']}`)
    onTestFinished(() => ws.terminate())
    const messages: Message[] = []
    ws.on('message', (data) => messages.push(JSON.parse(String(data))))
    const closed = once(ws, 'close').then(([code]) => code as number)
    await once(ws, 'message')
    const accepted = async () => {
      for (;;) {
        const found = messages.find(({ type }) => type === 'quote:accepted')
        if (found !== undefined) return found
        await once(ws, 'message')
      }
    }
    return { closed, accepted }
  }

  const openRequest = async (): Promise<string> => {
    const { body } = await post('/quote-requests', {
      market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789' },
      option: { optionType: 'call', strikeBps: 4_500, expiryMs: Date.now() + 3_600_000 },
      trade: { side: 'buy', budgetUsd: 100 },
    })
    return body.requestId as string
  }

  /** A commit that waits for the signature of a maker, with the hands of that maker. */
  async function pendingCommit(index: number) {
    const { accepted } = await socket(index)
    const requestId = await openRequest()
    const quote = { maker: ACCOUNT.address, side: 'buy', price: 0.12, size: 1_000 }
    await post('/v1/mm/quotes', { requestId, quote }, keyOf(index))
    const committing = post(`/quote-requests/${requestId}/commit`, { wallet: TAKER })
    const { quoteId, order, domain, types } = await accepted()
    const typedData = { domain, types, primaryType: 'Order', message: order } as never
    const answer = (how: 'confirm' | 'decline', body: object) =>
      post(`/v1/mm/quotes/${quoteId}/${how}`, body, keyOf(index))
    return {
      committing,
      confirm: async () => answer('confirm', { signature: await ACCOUNT.signTypedData(typedData) }),
      decline: () => answer('decline', {}),
    }
  }

  return { child, post, stream, socket, openRequest, pendingCommit, keyOf }
}

const RETRY_AT_THE_END = /\n\nretry: [123]\d{3}\n\n$/

describe('a relay that is told to end (reliability H1)', { timeout: 40_000 }, () => {
  test('drains 100 streams, 50 sockets and 3 commits', async () => {
    const { child, post, stream, socket, openRequest, pendingCommit, keyOf } = await startRelay(2_000)
    const requestId = await openRequest()
    const streams = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0
          ? stream('/v1/mm/quote-requests/stream', keyOf(index / 2))
          : stream(`/quote-requests/${requestId}/stream`),
      ),
    )
    const sockets = await Promise.all(Array.from({ length: 50 }, (_, index) => socket(index)))
    const [signing, declining, silent] = await Promise.all([0, 1, 2].map(pendingCommit))
    if (signing === undefined || declining === undefined || silent === undefined) throw new Error('no commit')
    const askedAt = performance.now()
    child.signal('SIGTERM')
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(sockets.map(() => 1001))
    const late = await post('/quote-requests', {})
    expect(late).toMatchObject({ status: 503, body: { code: 'shutting_down' } })
    expect(late.headers.get('connection')).toBe('close')
    expect((await signing.confirm()).status).toBe(200)
    expect((await signing.committing).status).toBe(200)
    expect((await declining.decline()).status).toBe(200)
    expect(await declining.committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    expect(await silent.committing).toMatchObject({ status: 503, body: { code: 'no_maker_confirmed' } })
    for (const { text } of streams) expect(await text).toMatch(RETRY_AT_THE_END)
    expect(await child.ended).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(20_000)
    expect(faultsIn(child)).toEqual([])
  })

  test.runIf(process.env.CI)('waits for a silent maker at most 15 s, however long it has to sign', async () => {
    const { child, pendingCommit } = await startRelay(60_000)
    const { committing } = await pendingCommit(0)
    const askedAt = performance.now()
    child.signal('SIGTERM')
    expect(await committing).toMatchObject({ status: 503, body: { code: 'shutting_down', retryable: true } })
    expect(await child.ended).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(20_000)
  })

  test('is not ready from the first moment on', async () => {
    const { child, stream, pendingCommit, keyOf } = await startRelay(2_000)
    const { committing, decline } = await pendingCommit(0)
    const open = await stream('/v1/mm/quote-requests/stream', keyOf(1))
    child.signal('SIGTERM')
    await open.text
    const { url } = JSON.parse(child.stdout().split('\n')[0] ?? '') as { url: string }
    const readiness = await fetch(`${url}/readyz`)
    expect(readiness.status).toBe(503)
    expect(await readiness.json()).toMatchObject({ code: 'shutting_down' })
    await decline()
    await committing
    expect(await child.ended).toBe(0)
  })

  test('drains alike when its terminal hangs up', async () => {
    const { child, stream, pendingCommit, keyOf } = await startRelay(2_000)
    const [open, commit] = await Promise.all([stream('/v1/mm/quote-requests/stream', keyOf(1)), pendingCommit(0)])
    child.process.stdout?.destroy()
    child.process.stderr?.destroy()
    child.signal('SIGHUP')
    expect(await open.text).toMatch(RETRY_AT_THE_END)
    expect((await commit.confirm()).status).toBe(200)
    expect((await commit.committing).status).toBe(200)
    expect(await child.ended).toBe(0)
  })
})

describe('a relay with a fault that nobody caught (reliability H5)', { timeout: 40_000 }, () => {
  test.each([
    ['an exception', 'SIGUSR2'],
    ['a rejection', 'SIGWINCH'],
  ] as const)('drains after %s, tells it without its secrets, and fails', async (_, signal) => {
    const { child, stream, socket, pendingCommit, keyOf } = await startRelay(2_000)
    const [open, { closed }, commit] = await Promise.all([
      stream('/v1/mm/quote-requests/stream', keyOf(1)),
      socket(2),
      pendingCommit(0),
    ])
    child.signal(signal)
    expect(await open.text).toMatch(RETRY_AT_THE_END)
    expect(await closed).toBe(1001)
    expect((await commit.confirm()).status).toBe(200)
    expect((await commit.committing).status).toBe(200)
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
