import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { rawExchange } from '../kit/raw.ts'
import { startRelay } from '../kit/relay-process.ts'
import { openSocket } from '../kit/socket.ts'
import { keysOf } from './harness/keys.ts'
import { type Created, createService } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

/** Where the sandbox keeps what the user's other commands need: secret by its permissions. */
const SANDBOX = 'sandbox.json'

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('secrets (decisions E3, M6, fault B1, invariant V8)', () => {
  it('no key, token, taker secret, firm signature or late signature reaches a log or the store', async () => {
    const dataDir = newFolder()
    keep(() => removeFolder(dataDir))
    const keys = keysOf(import.meta.url).slice(0, 3)
    const settlementKey = 'canary-settlement-key-0123456789'
    const env = {
      MAKER_API_KEYS: JSON.stringify(keys),
      MAKER_CONFIRMATION_MS: '700',
      SETTLEMENT_API_KEY: settlementKey,
      LOG_LEVEL: 'debug',
    }
    const relay = await startRelay({ flags: ['--no-chain'], env, dataDir })
    const service = createService('simulated', relay.ready, [...keys])
    const { url, wsUrl } = relay.ready
    const canaries = ['canary-header', 'canary-query', 'canary-socket', 'canary-message', 'canary-bearer']
    const path = '/v1/mm/quote-requests/stream'

    // Good and bad credentials, in every place that takes one, with and without a fault behind them.
    await service.call('GET', path, { headers: { 'x-api-key': 'canary-header' } })
    await service.call('GET', `${path}?apiKey=canary-query`)
    await service.call('GET', `/no/such/place?apiKey=canary-query`)
    await service.call('POST', '/v1/mm/quotes?apiKey=canary-query', { text: '{"apiKey":"canary-query"' })
    await service.call('GET', '/v1/user/profile', { headers: { authorization: 'Bearer canary-bearer' } })
    await service.call('POST', '/settlement/prepare', { body: {}, headers: { authorization: 'Bearer canary-bearer' } })
    await service.call('POST', '/settlement/prepare', {
      body: { seriesId: '1' },
      headers: { authorization: `Bearer ${settlementKey}` },
    })
    await rawExchange(url, `GET /x?apiKey=canary-query HTTP/1.1\r\nX-API-Key: canary-header\r\nBad Header\r\n\r\n`)
    await openSocket(`${wsUrl}/maker/v1/ws?apiKey=canary-socket`).closed
    const stranger = openSocket(`${wsUrl}/maker/v1/ws`)
    await stranger.opened
    stranger.send({ type: 'auth', apiKey: 'canary-message' })
    await stranger.closed

    const maker = await service.maker()
    const socket = await maker.connect()
    const stream = await service.stream(`${path}?apiKey=${maker.apiKey}`)
    await stream.until('snapshot_complete')
    const { requestId, takerSecret } = await service.open({ locked: true })
    const quoteId = await maker.quoted(requestId)
    const asking = { ...(await service.option()), trade: { side: 'buy', budgetUsd: 100 } }
    const waited = await service.call<Created>('POST', '/quote-requests?waitMs=0', { body: asking })
    const streamed = await service.stream('/quote-requests', {}, asking)
    const openedByStream = await streamed.until('opened')
    streamed.close()
    const headers = { 'x-taker-secret': takerSecret }
    const body = { wallet: service.wallet().address }
    const missed = service.call('POST', `/quote-requests/${requestId}/commit`, { body, headers })
    const lateSignature = await maker.sign(await askedToSign(socket, requestId))
    expect((await missed).status).toBe(503)
    const late = await maker.confirm(quoteId, lateSignature)
    expect(late.status).toBe(404)
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })

    // One firm signature that is replaced by a quote that is made firm again, and that one withdrawn: neither is ever handed out.
    const unasked = await service.open({ wallet: service.wallet().address })
    const firmSignatures: string[] = []
    const shown: unknown[] = []
    for (const price of [0.11, 0.12]) {
      const quoted = await maker.quote(unasked.requestId, { firm: true, price })
      const firm = await maker.sign(quoted.body as never)
      const madeFirm = await maker.call('POST', `/v1/mm/quotes/${quoted.body.quoteId}/firm`, { signature: firm })
      expect(madeFirm.status).toBe(200)
      firmSignatures.push(firm)
      const polled = await service.call('GET', `/quote-requests/${unasked.requestId}/quotes`)
      expect(polled.body.bestQuote).toMatchObject({ firm: true })
      shown.push(polled.text, madeFirm.text, (await maker.call('GET', '/v1/mm/quotes')).text)
      const wrong = await maker.call('POST', `/v1/mm/quotes/${quoted.body.quoteId}/firm`, {
        signature: firmSignatures[0]?.slice(0, -2),
      })
      shown.push(wrong.text)
    }
    shown.push((await maker.call('DELETE', '/v1/mm/quotes')).text, JSON.stringify(socket.messages.all()))
    await relay.stop()

    const hidden = [
      // Without `0x` and `v`, as a fault might quote it.
      ...firmSignatures.map((firm) => firm.slice(2, 100)),
      ...canaries,
      ...keys.map(({ apiKey }) => apiKey),
      takerSecret,
      waited.body.takerSecret,
      String(openedByStream.data.takerSecret),
      settlementKey,
      lateSignature.slice(2),
    ]
    const [stdout, stderr] = [relay.stdout(), relay.stderr()]
    const files = filesBelow(dataDir).filter((file) => basename(file) !== SANDBOX)
    expect(files.length).toBeGreaterThan(0)
    const sinks = [
      stdout,
      stderr,
      late.text,
      ...shown.map(String),
      ...files.map((file) => readFileSync(file, 'latin1')),
    ]
    for (const secret of hidden) {
      for (const sink of sinks) expect(sink.includes(secret)).toBe(false)
    }
    for (const file of filesBelow(dataDir)) expect([file, statSync(file).mode & 0o077]).toEqual([file, 0])
  })
})
