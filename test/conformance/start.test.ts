import { describe, expect, inject, it } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { spawnRfqctl, startRelay } from '../kit/relay-process.ts'
import { createService } from './harness/service.ts'
import { trade } from './harness/trade.ts'

const ZERO = `0x${'0'.repeat(40)}`

function folder(): string {
  const dir = newFolder()
  keep(() => removeFolder(dir))
  return dir
}

/** Starts `serve` with what should stop it, and waits until it has. */
async function refused(env: Record<string, string>, flags: readonly string[] = ['--memory', '--no-chain']) {
  const args = ['serve', '--json', '--port', '0', '--data-dir', folder(), ...flags]
  const child = spawnRfqctl(args, env)
  keep(() => child.signal('SIGKILL'))
  child.process.stdout?.once('data', () => child.signal('SIGTERM'))
  return child.left()
}

describe.concurrent('the start (decisions Z1, Z2)', () => {
  it('the ready line names all addresses, on a chain and without', () => {
    const { simulated, embedded } = inject('relays')
    const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)
    const common = {
      type: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      wsUrl: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/),
      chainId: 80_002,
      resolutionSigner: address,
      dataDir: expect.any(String),
      tradeUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      operateUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/desk$/),
    }
    expect(embedded).toEqual({
      ...common,
      rpcUrl: expect.stringMatching(/^http:/),
      settlementAddress: address,
      coreAddress: address,
      stablecoinAddress: address,
    })
    expect(new Set([embedded.settlementAddress, embedded.coreAddress, embedded.stablecoinAddress, ZERO]).size).toBe(4)
    expect(simulated).toEqual({
      ...common,
      rpcUrl: null,
      settlementAddress: ZERO,
      coreAddress: ZERO,
      stablecoinAddress: ZERO,
    })
  })

  it('stdout holds the ready line and nothing else, logs go to stderr, and SIGTERM exits with 0', async () => {
    const relay = await startRelay({ flags: ['--memory', '--no-chain'] })
    const service = createService('simulated', relay.ready, [])
    await service.open()
    expect(await relay.stop()).toEqual({ code: 0, signal: null })
    const lines = relay.stdout().trimEnd().split('\n')
    expect(lines).toHaveLength(1)
    for (const line of relay.stderr().trim().split('\n').filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow()
  })

  it('bad settings stop the start, which names every fault at once', async () => {
    const { code, stdout, stderr } = await refused({
      MAKER_CONFIRMATION_MS: 'soon',
      QUOTE_REQUEST_TTL_MS: '-5',
      MAX_CANDIDATES: '0',
      CORS_ORIGINS: 'not an origin',
    })
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    for (const name of ['MAKER_CONFIRMATION_MS', 'QUOTE_REQUEST_TTL_MS', 'MAX_CANDIDATES', 'CORS_ORIGINS']) {
      expect(stderr).toContain(name)
    }
  })

  it.each([
    ['bad JSON', '[{"apiKey":"canary-7a1"'],
    [
      'one key for two makers',
      '[{"apiKey":"canary-7a1-long","makerId":"ann"},{"apiKey":"canary-7a1-long","makerId":"ben"}]',
    ],
  ])('MAKER_API_KEYS with %s stops the start and shows no key (decision M6, fault B14)', async (_what, keys) => {
    const { code, stdout, stderr } = await refused({ MAKER_API_KEYS: keys })
    expect(code).not.toBe(0)
    expect(stderr).toContain('MAKER_API_KEYS')
    expect(stdout + stderr).not.toContain('canary-7a1')
  })

  it('static keys and the legacy key work, which is the maker "default" (protocol auth-2)', async () => {
    const relay = await startRelay({
      flags: ['--memory', '--no-chain'],
      env: { MAKER_API_KEYS: '[{"apiKey":"abc","makerId":"ann"}]', MAKER_API_KEY: 'the-legacy-key-of-this-relay' },
    })
    const service = createService('simulated', relay.ready, [])
    const nameOf = async (key: string) =>
      (await (await service.stream('/v1/mm/quote-requests/stream', { 'x-api-key': key })).until('connected')).data
        .makerId
    expect(await nameOf('abc')).toBe('ann')
    expect(await nameOf('the-legacy-key-of-this-relay')).toBe('default')
    expect((await service.call('GET', '/v1/mm/quotes')).status).toBe(401)
    await relay.stop()
    expect(relay.stderr()).not.toContain('the-legacy-key-of-this-relay')
  })

  it('a short key warns, and production refuses it (decision M6)', async () => {
    const MAKER_API_KEYS = '[{"apiKey":"canary","makerId":"ann"}]'
    const args = ['serve', '--port', '0', '--memory', '--no-chain', '--data-dir', folder()]
    const child = spawnRfqctl(args, { MAKER_API_KEYS })
    child.process.stderr?.on('data', (text) => {
      if (String(text).includes('"started"')) child.signal('SIGTERM')
    })
    expect((await child.exited).code).toBe(0)
    expect(child.stderr()).toMatch(/maker key 1 .*short/)
    const production = await refused({ MAKER_API_KEYS, NODE_ENV: 'production' })
    expect(production.code).not.toBe(0)
    expect(production.stderr).toMatch(/maker key 1 .*short/)
    expect(child.stderr() + production.stderr).not.toContain('canary')
  })

  it('a maker may be called like a property of every object (fault A3)', async () => {
    const keys = ['__proto__', 'constructor'].map((makerId) => ({ apiKey: `key-of-${makerId}`, makerId }))
    const env = { MAKER_API_KEYS: JSON.stringify(keys) }
    const relay = await startRelay({ flags: ['--memory', '--no-chain'], env })
    const service = createService('simulated', relay.ready, [...keys])
    for (const { makerId } of keys) {
      const { maker, committed } = await trade(service)
      expect(maker.makerId).toBe(makerId)
      expect(committed).toMatchObject({ status: 200, body: { quote: { maker_id: makerId } } })
    }
    await relay.stop()
  })

  it('with a file store there is no anonymous access, with or without keys (protocol auth-4)', async () => {
    const relay = await startRelay({ flags: ['--no-chain'], env: { MAKER_API_KEYS: '[]' } })
    const service = createService('simulated', relay.ready, [])
    expect((await service.call('GET', '/v1/mm/quotes')).status).toBe(401)
    expect((await service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': 'anything' } })).status).toBe(401)
    await relay.stop()
  })

  it('production, and an open host, need keys (protocol auth-4, decision M5, fault B13)', async () => {
    const production = await refused({ NODE_ENV: 'production' })
    expect(production.code).not.toBe(0)
    expect(production.stderr).toMatch(/MAKER_API_KEY/)
    const exposed = await refused({}, ['--memory', '--no-chain', '--host', '0.0.0.0'])
    expect(exposed.code).not.toBe(0)
    expect(exposed.stderr).toMatch(/MAKER_API_KEY/)
  })

  it('production never starts an Anvil: without RPC_URL it needs --no-chain', async () => {
    const { code, stderr } = await refused({ NODE_ENV: 'production', MAKER_API_KEY: 'x'.repeat(40) }, [])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/RPC_URL|--no-chain/)
  })

  it('RPC_URL without the addresses of the contracts refuses to start (decision C12)', async () => {
    const { code, stderr } = await refused({ RPC_URL: String(inject('relays').embedded.rpcUrl) }, ['--memory'])
    expect(code).not.toBe(0)
    for (const name of ['SETTLEMENT_ADDRESS', 'CORE_ADDRESS', 'STABLECOIN_ADDRESS']) expect(stderr).toContain(name)
  })
})
