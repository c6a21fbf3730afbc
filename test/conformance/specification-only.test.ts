import { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { keep } from '../kit/keep.ts'
import { startRelay } from '../kit/relay-process.ts'
import { keysOf } from './harness/keys.ts'
import { createRecorder } from './harness/recorder.ts'
import { type Created, createService, type Mode } from './harness/service.ts'
import { CONFIRMATION_MS } from './harness/settings.ts'
import { askedToSign } from './harness/trade.ts'

const walletOf = (digit: number) => new Wallet(`0x${`${digit}`.repeat(64)}`)
const [TAKER, OTHER] = [walletOf(5).address, walletOf(6).address]

/** Requests that the specification does not have, by takers and makers beside those of the story. */
type Beside = 'requests that the specification has' | 'all kinds of requests'

/**
 * A story of a taker and two makers that know the specification alone, at a relay where two further makers ask for more: all that
 * the three receive. Beside them others trade: some requests are of a kind that these makers are not to see, and there are none
 * in their place where `beside` is the specification's; others look like the specification's to makers, and are so then.
 */
async function play(mode: Mode, beside: Beside): Promise<string> {
  const hasMore = beside === 'all kinds of requests'
  const keys = keysOf(import.meta.url).slice(0, 4)
  const env = {
    MAKER_API_KEYS: JSON.stringify(keys),
    MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS),
    UNPROVEN_CONFIRMATION_MS: String(CONFIRMATION_MS),
  }
  const relay = await startRelay({ flags: ['--memory', ...(mode === 'simulated' ? ['--no-chain'] : [])], env })
  keep(() => relay.signal('SIGKILL'))
  const service = createService(mode, relay.ready, [...keys])
  const record = createRecorder(relay.ready)
  const { market, option, seriesId } = await service.option()
  // A relay reads of a new series a moment after its registration.
  if (mode === 'embedded')
    await eventually(async () => (await service.call('GET', `/v1/series/${seriesId}`)).status === 200)

  const ada = await service.maker({ wallet: walletOf(1) })
  const bob = await service.maker({ wallet: walletOf(2) })
  const cyd = await service.maker({ wallet: walletOf(3) })
  const dee = await service.maker({ wallet: walletOf(4) })
  const cydStream = await service.stream('/v1/mm/quote-requests/stream?twoSided=true', { 'x-api-key': cyd.apiKey })
  await cydStream.until('snapshot_complete')
  const [cydSocket, deeSocket] = [await cyd.connect(), await dee.connect()]
  deeSocket.send({ type: 'subscribe', to: 'requests', twoSided: true })
  await deeSocket.messages.until(({ event }) => event === 'snapshot_complete')

  const adaStream = await record.stream("ada's stream", {
    path: '/v1/mm/quote-requests/stream',
    headers: { 'x-api-key': ada.apiKey },
  })
  const bobStream = await record.stream("bob's stream", { path: `/v1/mm/quote-requests/stream?apiKey=${bob.apiKey}` })
  const adaSocket = record.socket("ada's socket", { path: `/maker/v1/ws?apiKey=${ada.apiKey}` })
  const bobSocket = record.socket("bob's socket", {
    path: '/maker/v1/ws',
    first: { type: 'auth', apiKey: bob.apiKey },
  })
  for (const stream of [adaStream, bobStream]) await stream.until(({ event }) => event === 'snapshot_complete')
  for (const socket of [adaSocket, bobSocket]) await socket.until(({ type }) => type === 'connected')

  const taker = (method: string, path: string, body?: unknown) =>
    record.call("the taker's calls", { method, path, ...(body === undefined ? {} : { body }) })
  const maker = (name: string, of: { apiKey: string }, path: string, body: unknown) =>
    record.call(`${name}'s calls`, { method: 'POST', path, headers: { 'x-api-key': of.apiKey }, body })
  const quote = (name: string, of: typeof ada, requestId: unknown, terms: Record<string, unknown>) =>
    maker(name, of, '/v1/mm/quotes', { requestId, quote: { maker: of.wallet.address, size: 1_000, ...terms } })
  const heard = async (event: string, requestId: unknown) => {
    const found = []
    for (const stream of [adaStream, bobStream])
      found.push(await stream.until((one) => one.event === event && one.data.requestId === requestId))
    return found
  }
  const other = ({ requestId, takerSecret }: Created, verb: string, terms: Record<string, unknown> = {}) =>
    service.call('POST', `/quote-requests/${requestId}/${verb}`, { body: { takerSecret, ...terms } })

  /** Opens a request for both sides and one for a chosen maker, which others quote. */
  async function openOthers() {
    const both = await service.open({ trade: { side: 'both', size: 40 } })
    expect(both.makersConnected).toBe(2)
    await cyd.quoted(both.requestId, { side: 'both', price: undefined, bid: 0.08, ask: 0.14 })
    await dee.quoted(both.requestId, { side: 'both', price: undefined, bid: 0.09, ask: 0.15 })
    const chosen = await service.open({ makers: [cyd.makerId] })
    expect(chosen.makersConnected).toBe(1)
    await cyd.quoted(chosen.requestId, { price: 0.12 })
    return { both, chosen }
  }

  /** A buy, from its opening to its order, while others have requests under way. */
  const opening = { market, option, trade: { side: 'buy', budgetUsd: 100 }, wallet: TAKER }
  const { requestId } = (await taker('POST', '/quote-requests', opening)).body
  const path = `/quote-requests/${requestId}`
  const shown = await record.stream("the taker's stream", { path: `${path}/stream` })
  const [first] = await heard('quote_request', requestId)
  const others = hasMore ? await openOthers() : null
  const seesPrice = (price: number) =>
    shown.until(({ data }) => (data.bestQuote as { price: number } | null)?.price === price)
  await quote('ada', ada, requestId, { side: 'buy', price: 0.13 })
  await seesPrice(0.13)
  await quote('bob', bob, requestId, { side: 'buy', price: 0.12, expires_in_ms: 200_000 })
  await seesPrice(0.12)
  await quote('ada', ada, requestId, { side: 'sell', price: 0.13 })
  await quote('ada', ada, requestId, { side: 'buy', price: 0.9 })
  await quote('ada', ada, requestId, { side: 'buy', price: 1.2 })
  await quote('ada', ada, requestId, { side: 'hold', price: 0.1 })
  await quote('ada', ada, '0f0e0d0c-0b0a-4908-8706-050403020100', { side: 'buy', price: 0.1 })
  await taker('GET', `${path}/quotes`)
  const committing = taker('POST', `${path}/commit`, { wallet: TAKER })
  const accepted = await bobSocket.until(({ type }) => type === 'quote:accepted')
  if (others !== null) {
    const { both, chosen } = others
    const selling = other(both, 'commit', { wallet: OTHER, side: 'sell' })
    const asked = await askedToSign(deeSocket, both.requestId)
    await dee.confirm(asked.quoteId, await dee.sign(asked))
    expect(await selling).toMatchObject({ status: 200, body: { quote: { side: 'sell', price: 0.09 } } })
    await cydSocket.until('quote:rejected', both.requestId)
    expect((await other(chosen, 'cancel')).status).toBe(200)
  }
  const confirmPath = `/v1/mm/quotes/${accepted.quoteId}/confirm`
  const signature = await bob.sign(accepted)
  await maker('bob', bob, confirmPath, { signature })
  await committing
  await heard('quote_request_expired', requestId)
  await adaSocket.until(({ type }) => type === 'quote:rejected')
  await bobSocket.until(({ type }) => type === 'quote:confirmed')
  await shown.ended
  await maker('bob', bob, confirmPath, { signature })
  await taker('GET', `${path}/quotes`)
  await taker('GET', `${path}/stream`)

  // A sale without a wallet, which no one quotes at first.
  const sale = { market, option, trade: { side: 'sell', size: 20 } }
  const { requestId: saleId } = (await taker('POST', '/quote-requests', sale)).body
  await heard('quote_request', saleId)
  await taker('POST', `/quote-requests/${saleId}/commit`, { wallet: TAKER })
  await quote('ada', ada, saleId, { side: 'sell', price: 0.07, size: 5 })
  await quote('ada', ada, saleId, { side: 'sell', price: 0.07 })
  const selling = taker('POST', `/quote-requests/${saleId}/commit`, { wallet: TAKER })
  const { quoteId, ...asked } = await adaSocket.until(({ type }) => type === 'quote:accepted')
  await maker('ada', ada, `/v1/mm/quotes/${quoteId}/confirm`, { signature: await ada.sign(asked) })
  await selling
  await heard('quote_request_expired', saleId)
  await adaSocket.until(({ type }) => type === 'quote:confirmed')

  // Others' blind request looks like one that names no wallet, and one with a standing limit like one that has none.
  const look = [
    { plain: {}, more: { wallet: OTHER, blind: true } },
    { plain: { wallet: OTHER }, more: { wallet: OTHER, standing: { limitPrice: 0.15, minContracts: 1 } } },
  ]
  for (const { plain, more } of look) {
    const opened = await service.open(hasMore ? more : plain)
    await heard('quote_request', opened.requestId)
    await quote('ada', ada, opened.requestId, { side: 'buy', price: 0.2 })
    await cyd.quoted(opened.requestId, { price: 0.1 })
    const isBySelf = hasMore && 'standing' in more
    const buying = isBySelf ? null : other(opened, 'commit', { wallet: OTHER })
    const toSign = await askedToSign(cydSocket, opened.requestId)
    await cyd.confirm(toSign.quoteId, await cyd.sign(toSign))
    if (buying !== null) expect((await buying).status).toBe(200)
    await heard('quote_request_expired', opened.requestId)
    await adaSocket.until(({ type, requestId: id }) => type === 'quote:rejected' && id === opened.requestId)
  }

  // What a maker reads that comes again: after the first request, and from the beginning.
  if (hasMore) await openOthers()
  const { requestId: lastId } = (await taker('POST', '/quote-requests', { ...opening, wallet: undefined })).body
  await heard('quote_request', lastId)
  const again = await record.stream("ada's stream, resumed", {
    path: '/v1/mm/quote-requests/stream',
    headers: { 'x-api-key': ada.apiKey, 'last-event-id': `${first?.id}` },
  })
  await again.until(({ event, data }) => event === 'quote_request' && data.requestId === lastId)
  const fresh = await record.stream("bob's stream, from a snapshot", {
    path: '/v1/mm/quote-requests/stream',
    headers: { 'x-api-key': bob.apiKey },
  })
  await fresh.until(({ event }) => event === 'snapshot_complete')
  for (const socket of [adaSocket, bobSocket]) {
    socket.send({ type: 'ping' })
    await socket.until(({ type }) => type === 'pong')
  }

  await taker('GET', `/v1/series?conditionId=${market.conditionId}`)
  await taker('GET', `/v1/series/${seriesId}`)
  await taker('POST', '/quote-requests', { ...opening, trade: { side: 'buy', size: 10 } })
  await taker('POST', '/settlement/prepare', { seriesId })
  await relay.stop()
  await record.ended()
  return normalised(record.received())
}

/** Channels by name, with what differs from one play to the next under names in the order in which it first appears. */
function normalised(channels: ReadonlyMap<string, string>): string {
  const known = new Map<string, string>()
  const named = (kind: string) => (value: string) => {
    const count = [...known.values()].filter((name) => name.startsWith(`<${kind} `)).length
    const name = known.get(value) ?? `<${kind} ${count + 1}>`
    known.set(value, name)
    return name
  }
  const names = [...channels.keys()].toSorted()
  // The taker's first: its ids appear in the order of the story.
  const whole = names
    .toSorted((a, b) => Number(b.startsWith('the taker')) - Number(a.startsWith('the taker')))
    .map((name) => `=== ${name} ===\n${idsInOrder(channels.get(name) ?? '')}`)
    .join('\n')
  return (
    whole
      .replace(/^(date|content-length|sec-websocket-accept|etag): .*$/gim, '$1: <$1>')
      .replace(/^retry: [123]\d{3}$/gm, 'retry: <1 to 3 s>')
      // A slow machine takes longer than the 25 s after which a stream says that it lives.
      .replace(/^: ping\n+/gm, '')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, named('id'))
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, '<time>')
      .replace(/0x[0-9a-f]{130}\b/g, '<signature>')
      .replace(/0x[0-9a-f]{64}\b/g, named('hash'))
      .replace(/0x[0-9a-fA-F]{40}\b/g, named('address'))
      .replace(/\b\d{60,80}\b/g, named('number'))
      .replace(/(?<="nonce":)\d+/g, named('nonce'))
      .replace(/"takerSecret":"[^"]+"/g, '"takerSecret":"<secret>"')
      .replace(/"(expiryMs|expiry|chainTime|validUntil|timestamp|expires_in_ms)":\d+/g, '"$1":<$1>')
  )
}

/** Ids of events rise; by how much depends on what else a relay sends. */
function idsInOrder(text: string): string {
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  const distinct = [...new Set(ids)]
  return text.replace(/^id: (\d+)$/gm, (_, id) => `id: <event ${distinct.indexOf(Number(id)) + 1}>`)
}

describe.concurrent.each(['simulated', 'embedded'] as const)('clients of the specification alone, %s', (mode) => {
  it('receive, byte by byte, what they always have, whatever requests others make (decisions 0133, 0134 and 0135)', async ({
    expect,
  }) => {
    const [plain, beside] = await Promise.all([
      play(mode, 'requests that the specification has'),
      play(mode, 'all kinds of requests'),
    ])
    expect(beside).toBe(plain)
    await expect(plain).toMatchFileSnapshot(`./specification-only.${mode}.txt`)
  })
})
