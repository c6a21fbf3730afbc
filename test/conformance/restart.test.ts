import { describe, expect, it } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { keysOf } from './harness/keys.ts'
import { createMaker, type Maker } from './harness/maker.ts'
import { createService, type Service } from './harness/service.ts'
import { CONFIRMATION_MS } from './harness/settings.ts'
import { askedToSign, trade } from './harness/trade.ts'

/** Relays that are killed and come back on the same data dir. */
describe.concurrent('restarts', () => {
  const keys = keysOf(import.meta.url).slice(0, 10)

  function folder(): string {
    const dir = newFolder()
    keep(() => removeFolder(dir))
    return dir
  }
  async function start(dataDir: string): Promise<{ relay: RelayProcess; service: Service }> {
    const env = { MAKER_API_KEYS: JSON.stringify(keys), MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS) }
    const relay = await startRelay({ flags: ['--no-chain'], env, dataDir })
    keep(() => relay.signal('SIGKILL'))
    return { relay, service: createService('simulated', relay.ready, [...keys]) }
  }
  async function kill({ signal, exited }: RelayProcess): Promise<void> {
    signal('SIGKILL')
    await exited
  }
  /** The same maker at the relay that came back, on another port. */
  const moved = (maker: Maker, { ready }: Service): Maker => createMaker(ready, maker, maker.wallet)

  it('a commit that was answered is answered the same after kill -9 (decision C3, invariant V10)', async () => {
    const dir = folder()
    const before = await start(dir)
    const { created, taker, committed, maker, quoteId, signature } = await trade(before.service)
    await kill(before.relay)
    const { service, relay } = await start(dir)
    const again = await service.commit(created.requestId, { wallet: taker.address })
    expect(again.status).toBe(200)
    expect(again.text).toBe(committed.text)
    expect((await moved(maker, service).confirm(quoteId, signature)).status).toBe(200)
    await relay.stop()
  })

  it('a request that its client names is the same one after kill -9 (protocol open-6)', async () => {
    const dir = folder()
    const before = await start(dir)
    const clientRequestId = crypto.randomUUID()
    const { market, option } = await before.service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 100 }, locked: true, clientRequestId }
    const opened = await before.service.call('POST', '/quote-requests', { body })
    await kill(before.relay)
    const { service, relay } = await start(dir)
    expect((await service.call('POST', '/quote-requests', { body })).body).toEqual(opened.body)
    const other = await service.call('POST', '/quote-requests', { body: { ...body, locked: false } })
    expect(other).toMatchObject({ status: 409, body: { code: 'client_request_id_reused' } })
    await relay.stop()
  })

  it('an acceptance that was pending is asked for again with its deadline, and can be confirmed (fault H3)', async () => {
    const dir = folder()
    const before = await start(dir)
    const maker = await before.service.maker()
    const socket = await maker.connect()
    const { requestId } = await before.service.open()
    const quoteId = await maker.quoted(requestId)
    const wallet = before.service.wallet().address
    const lost = before.service.commit(requestId, { wallet })
    lost.catch(() => {})
    const first = await askedToSign(socket, requestId)
    await kill(before.relay)
    const { service, relay } = await start(dir)
    const back = moved(maker, service)
    const again = await askedToSign(await back.connect(), requestId)
    expect(again).toEqual(first)
    expect(await back.confirm(quoteId, await back.sign(again))).toMatchObject({ status: 200 })
    const { status, body } = await service.commit(requestId, { wallet })
    expect({ status, body }).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId } } })
    await relay.stop()
  })

  it('ids never fall across a restart, and an id of before gets a fresh snapshot (decision M1, fault D7)', async () => {
    const dir = folder()
    const before = await start(dir)
    const maker = await before.service.maker()
    const stream = await maker.stream()
    await stream.until('snapshot_complete')
    const { requestId } = await before.service.open()
    const { id } = await stream.until('quote_request', (data) => data.requestId === requestId)
    await kill(before.relay)
    const { service, relay } = await start(dir)
    const back = await moved(maker, service).stream({ 'last-event-id': String(id) })
    await back.until('snapshot_complete')
    expect(back.events.all()[1]?.event).toBe('snapshot_begin')
    const opened = await service.open()
    const live = await back.until('quote_request', (data) => data.requestId === opened.requestId)
    expect(Number(live.id)).toBeGreaterThan(Number(id))
    await relay.stop()
  })

  it("a wallet's nonces go on from a higher base after a restart (decision C7)", async () => {
    const dir = folder()
    const before = await start(dir)
    const first = await trade(before.service)
    await kill(before.relay)
    const { service, relay } = await start(dir)
    const maker = moved(first.maker, service)
    const socket = await maker.connect()
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    expect(Number(accepted.order.nonce)).toBeGreaterThan(Number(first.accepted.order.nonce))
    await maker.confirm(quoteId, await maker.sign(accepted))
    await committing
    await relay.stop()
  })
})
