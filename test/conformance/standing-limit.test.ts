import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

/** The id of a request by the UUID of its client, as the rule has it. */
function requestIdOf(clientRequestId: string): string {
  const bytes = createHash('sha256').update(`request ${clientRequestId}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

describe.concurrent.each(openServices(import.meta.url))('a standing limit, $mode', (service) => {
  it('has the relay commit by itself, within the limit and the proof of the wallet, and makers see nothing of it (protocol open-11)', async () => {
    const maker = await service.maker()
    const [stream, socket] = [await maker.stream(), await maker.connect()]
    await stream.until('snapshot_complete')
    const [clientRequestId, taker] = [randomUUID(), service.wallet()]
    const { wallet, proof } = await service.proven(requestIdOf(clientRequestId), taker, 0.12)
    const fields = { wallet, clientRequestId, locked: true }
    const { requestId, takerSecret } = await service.open({ ...fields, standing: { limitPrice: 0.12, proof } })
    const { data } = await stream.until('quote_request', ({ requestId: id }) => id === requestId)
    expect(Object.keys(data)).toEqual(['requestId', 'expiresAt', 'params'])
    expect(JSON.stringify(data)).not.toMatch(/standing|limitPrice|proof/)
    await maker.quoted(requestId, { price: 0.13 })
    await maker.quoted(requestId, { price: 0.12 })
    const asked = await askedToSign(socket, requestId)
    expect(asked.order).toMatchObject({ taker: wallet })
    await maker.confirm(asked.quoteId, await maker.sign(asked))
    const headers = { 'x-taker-secret': takerSecret }
    const polled = await service.call('GET', `/quote-requests/${requestId}/quotes`, { headers })
    expect(polled.body).toMatchObject({ status: 'committed' })
    const commit = { headers, body: { wallet, limitPrice: 0.12 } }
    const { status, body } = await service.call('POST', `/quote-requests/${requestId}/commit`, commit)
    expect({ status, body }).toMatchObject({ status: 200, body: { quote: { price: 0.12 } } })
  })

  it('is refused without a wallet, without a limit, with one that is mistyped, and with the proof of another commit (protocol open-11)', async () => {
    const { market, option } = await service.option()
    const wallet = service.wallet()
    const clientRequestId = randomUUID()
    const { proof } = await service.proven(requestIdOf(clientRequestId), wallet, 0.12)
    const body = { market, option, trade: { side: 'buy', budgetUsd: 100 }, wallet: wallet.address }
    const opened = (fields: object) => service.call('POST', '/quote-requests', { body: { ...body, ...fields } })
    const refused = { status: 400, body: failure('invalid_request') }
    expect(await opened({ wallet: null, standing: { limitPrice: 0.12 } })).toMatchObject(refused)
    expect(await opened({ standing: {} })).toMatchObject(refused)
    expect(await opened({ standing: { limitPrice: 0.12, min_contracts: 1 } })).toMatchObject(refused)
    expect(await opened({ standing: { limitPrice: 1.5 } })).toMatchObject(refused)
    expect(await opened({ standing: { limitPrice: 0.12, proof } })).toMatchObject(refused)
    const other = await opened({ clientRequestId, standing: { limitPrice: 0.13, proof } })
    expect(other).toMatchObject({ status: 400, body: failure('invalid_signature') })
    expect((await opened({ clientRequestId, standing: { limitPrice: 0.12, proof } })).status).toBe(200)
  })
})
