import { describe, expect, it } from 'vitest'
import { bytes32, failure } from './harness/match.ts'
import { openChainService, openServices } from './harness/service.ts'

describe.concurrent('the faucet', () => {
  const service = openChainService(import.meta.url)
  const ask = (wallet: unknown) => service.call<Record<string, unknown>>('POST', '/faucet', { body: { wallet } })

  it('POST /faucet: amount, txHash and message; 1000 units by default, and they arrive', async () => {
    const { address } = service.wallet()
    const { status, body } = await ask(address)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { success: true, amount: 1_000, txHash: bytes32(), message: expect.any(String) },
    })
    await service.chain.provider.waitForTransaction(String(body.txHash))
    expect(await service.chain.token.getFunction('balanceOf')(address)).toBe(1_000_000_000n)
  })

  it('within the cooldown the faucet is 429, with Retry-After of up to 24 hours, whatever the case of the wallet (protocol faucet-2, decision S6)', async () => {
    const { address } = service.wallet()
    await ask(address)
    for (const wallet of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      const { status, body, headers } = await ask(wallet)
      expect({ status, body }).toMatchObject({ status: 429, body: { ...failure('faucet_cooldown'), retryable: true } })
      const seconds = Number(headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(86_000)
      expect(seconds).toBeLessThanOrEqual(86_400)
    }
  })

  it('one of many calls at once for one wallet is paid (fault C16)', async () => {
    const { address } = service.wallet()
    const calls = Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? address : address.toLowerCase()))
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(429)])
  })

  it('/faucet/status tells what it gives and how often (protocol faucet-3)', async () => {
    expect(await service.call('GET', '/faucet/status')).toMatchObject({
      status: 200,
      body: { success: true, configured: true, amount: 1_000, cooldownMs: 86_400_000 },
    })
  })

  it('POST /faucet: a missing or bad wallet is 400', async () => {
    for (const wallet of [undefined, null, '', 'maker.eth', `0x${'0'.repeat(40)}`, 5]) {
      expect(await ask(wallet)).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })
})

describe('without a chain', () => {
  it('the faucet is 503 (protocol faucet-2, decision C12)', async () => {
    const [service] = openServices(import.meta.url)
    const answer = await service?.call('POST', '/faucet', { body: { wallet: service.wallet().address } })
    expect(answer).toMatchObject({ status: 503, body: failure('faucet_not_configured') })
    expect(await service?.call('GET', '/faucet/status')).toMatchObject({ status: 200, body: { configured: false } })
  })
})
