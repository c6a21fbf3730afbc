import { describe, expect, it } from 'vitest'
import { failure } from './harness/match.ts'
import { openChainService, openServices } from './harness/service.ts'

describe.concurrent.each(openServices(import.meta.url))('the environment, $mode', (service) => {
  it('GET /v1/environment says where trades are settled, as the ready line does (protocol web-1, decisions B1, B2)', async () => {
    const { mode, chainId, settlementAddress, coreAddress, stablecoinAddress } = {
      mode: service.mode === 'simulated' ? 'simulated' : 'onchain',
      ...service.ready,
    }
    const { status, body } = await service.call('GET', '/v1/environment')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        ...{ mode, chainId, settlementAddress, coreAddress, stablecoinAddress },
        chainTime: expect.any(Number),
        faucet: service.mode === 'simulated' ? null : { amount: 1_000, cooldownMs: 86_400_000 },
        relayerUrl: null,
        sandbox: service.mode === 'embedded',
        commitProof: 'optional',
        // Only these relays have the log on: see harness/settings.ts.
        logKeys: [expect.any(String)],
        privateFields: ['makers', 'exceptMakers', 'blind', 'standing'],
        twoSided: true,
      },
    })
  })

  it('/ is a page for browsers on the loopback, and JSON for everyone else (protocol web-2, decision B3)', async () => {
    const { status, body } = await service.call('GET', '/')
    expect({ status, body }).toMatchObject({ status: 200, body: { service: 'rfqctl' } })
    const page = await fetch(service.ready.url, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const html = await page.text()
    const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path)
    expect(assets.length).toBeGreaterThan(0)
    for (const path of assets) {
      const asset = await fetch(`${service.ready.url}${path}`)
      expect({ path, status: asset.status, kept: asset.headers.get('cache-control') }).toMatchObject({
        status: 200,
        kept: expect.stringContaining('immutable'),
      })
    }
  })
})

describe('a sandbox', () => {
  const service = openChainService(import.meta.url)
  const ask = (method: string, params: unknown[] = []) =>
    service.call('POST', '/sandbox/rpc', { body: { jsonrpc: '2.0', id: 7, method, params } })

  it('POST /sandbox/rpc asks its node what a wallet needs, and nothing else (protocol web-4, decisions B4, B5)', async () => {
    expect((await ask('eth_chainId')).body).toEqual({ jsonrpc: '2.0', id: 7, result: '0x13882' })
    const call = { to: service.ready.settlementAddress, data: '0xdeadbeef' }
    expect((await ask('eth_call', [call, 'latest'])).body).toMatchObject({ id: 7, error: { code: 3 } })
    for (const method of ['anvil_setBalance', 'evm_mine', 'eth_sendTransaction', 'eth_accounts'])
      expect((await ask(method)).body).toMatchObject({ id: 7, error: { code: -32_601 } })
  })

  it('POST /sandbox/warp moves the time of the chain, which the environment tells from then on (protocol web-3)', async () => {
    const chainTime = async () => (await service.call<{ chainTime: number }>('GET', '/v1/environment')).body.chainTime
    const before = await chainTime()
    const { body } = await service.call<{ chainTime: number }>('POST', '/sandbox/warp', { body: { seconds: 600 } })
    expect(body.chainTime).toBeGreaterThanOrEqual(before + 600)
    expect(await chainTime()).toBeGreaterThanOrEqual(body.chainTime)
  })

  it('a page of another origin, and one whose name leads to this machine, is 403 (protocol web-5)', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await service.call('POST', '/sandbox/rpc', { body, headers })
      expect(answer).toMatchObject({ status: 403, body: failure('origin_not_allowed') })
    }
  })
})
