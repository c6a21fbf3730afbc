import { describe, expect, test } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { MAX_BATCH, type RpcCall, SANDBOX_METHODS } from '../../../src/protocol/wire/sandbox.ts'
import type { SandboxChain } from '../../../src/relay/server/pages/sandbox-chain.ts'
import { startServer } from './support.ts'

/** A node that answers each call with its method, and remembers what it was asked. */
function createFakeNode(): SandboxChain & { seen: RpcCall[]; warped: number[] } {
  const seen: RpcCall[] = []
  const warped: number[] = []
  return {
    seen,
    warped,
    call: async (calls) => {
      seen.push(...calls)
      return calls.map(({ method }) => ({ result: method }))
    },
    warp: async (seconds) => {
      warped.push(seconds)
      return 1_800_000_000 + seconds
    },
  }
}

async function startSandbox(sandbox = createFakeNode()) {
  const { call, port, url, open } = await startServer({ sandbox })
  const ask = (body: unknown, headers: Record<string, string> = {}) => call('POST', '/sandbox/rpc', { body, headers })
  return { ...sandbox, call, ask, port, url, open }
}

const rpc = (method: string, id: number | string = 1, params: unknown[] = []) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

describe('the node of a sandbox', () => {
  test('is asked what a wallet needs, by a call or a batch, each under the id of its caller (protocol web-3)', async () => {
    const { ask, seen } = await startSandbox()
    expect(await ask(rpc('eth_chainId', 'a'))).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: 'a', result: 'eth_chainId' },
    })
    const batch = SANDBOX_METHODS.map((method, index) => rpc(method, index, [index]))
    const { body } = await ask(batch)
    expect(body).toEqual(SANDBOX_METHODS.map((method, id) => ({ jsonrpc: '2.0', id, result: method })))
    expect(seen.slice(1)).toEqual(SANDBOX_METHODS.map((method, index) => ({ method, params: [index] })))
  })

  test.each([
    'anvil_setBalance',
    'anvil_impersonateAccount',
    'evm_increaseTime',
    'evm_snapshot',
    'hardhat_setBalance',
    'eth_sendTransaction',
    'eth_sign',
    'eth_accounts',
    'eth_signTypedData_v4',
    'debug_traceTransaction',
    'trace_block',
    'personal_sign',
    'ots_getApiLevel',
    'web3_clientVersion',
    'ETH_CALL',
    'eth_call ',
    'toString',
    '__proto__',
  ])('is not asked %j, which is a JSON-RPC error, and the others of its batch are (decision B4)', async (method) => {
    const { ask, seen } = await startSandbox()
    const { status, body } = await ask([rpc('eth_chainId', 1), rpc(method, 2), rpc('eth_blockNumber', 3)])
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { id: 1, result: 'eth_chainId' },
      { id: 2, error: { code: -32_601, message: expect.stringContaining(JSON.stringify(method)) } },
      { id: 3, result: 'eth_blockNumber' },
    ])
    expect(seen.map((call) => call.method)).toEqual(['eth_chainId', 'eth_blockNumber'])
  })

  test('is not asked at all where nothing is offered', async () => {
    const { ask, seen } = await startSandbox()
    expect((await ask(rpc('anvil_mine'))).body).toMatchObject({ id: 1, error: { code: -32_601 } })
    expect(seen).toEqual([])
  })

  test('says itself what it refuses', async () => {
    const fault = { code: 3, message: 'execution reverted', data: '0x1234' }
    const node = { ...createFakeNode(), call: async () => [{ error: fault }] }
    const { ask } = await startSandbox(node)
    expect((await ask(rpc('eth_call'))).body).toEqual({ jsonrpc: '2.0', id: 1, error: fault })
  })

  test('is 503 while it does not answer', async () => {
    const down = async () => Promise.reject(new RfqError('chain_unavailable'))
    const { ask, call } = await startSandbox({ ...createFakeNode(), call: down, warp: down })
    expect((await ask(rpc('eth_call'))).body.code).toBe('chain_unavailable')
    expect((await call('POST', '/sandbox/warp', { body: { seconds: 1 } })).body.code).toBe('chain_unavailable')
  })

  test.each([
    ['an empty batch', []],
    ['a batch that is too long', Array.from({ length: MAX_BATCH + 1 }, (_, id) => rpc('eth_chainId', id))],
    ['nothing', {}],
    ['another version', { ...rpc('eth_chainId'), jsonrpc: '1.0' }],
    ['a call without an id', { jsonrpc: '2.0', method: 'eth_chainId' }],
    ['an id that is a list', { ...rpc('eth_chainId'), id: [1] }],
    ['an id without an end', rpc('eth_chainId', 'x'.repeat(65))],
    ['a method without an end', rpc('x'.repeat(65))],
    ['named parameters', { ...rpc('eth_chainId'), params: { a: 1 } }],
    ['more parameters than any method has', rpc('eth_chainId', 1, Array(9).fill(0))],
    ['a list of lists', [[rpc('eth_chainId')]]],
    ['text', 'eth_chainId'],
    ['null', null],
  ])('is not asked by %s, which is 400', async (_, body) => {
    const { ask, seen } = await startSandbox()
    expect(await ask(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(seen).toEqual([])
  })

  test('takes JSON alone, so that no form of another page reaches it', async () => {
    const { call, seen } = await startSandbox()
    const text = JSON.stringify(rpc('eth_chainId'))
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const { status } = await call('POST', '/sandbox/rpc', { text, headers: { 'content-type': type } })
      expect(status).toBe(415)
    }
    expect(seen).toEqual([])
  })
})

describe('the time of a sandbox', () => {
  test('moves forward by seconds, and is answered', async () => {
    const { call, warped } = await startSandbox()
    expect(await call('POST', '/sandbox/warp', { body: { seconds: 900 } })).toMatchObject({
      status: 200,
      body: { success: true, chainTime: 1_800_000_900 },
    })
    expect(warped).toEqual([900])
  })

  test.each([0, -1, 1.5, 31_622_401, '60', null])('does not move by %j', async (seconds) => {
    const { call, warped } = await startSandbox()
    expect((await call('POST', '/sandbox/warp', { body: { seconds } })).status).toBe(400)
    expect(warped).toEqual([])
  })
})

describe("other pages than the relay's", () => {
  const own = (port: number) => ({ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` })
  const PATHS = ['/sandbox/rpc', '/sandbox/warp'] as const
  const BODIES = { '/sandbox/rpc': rpc('eth_chainId'), '/sandbox/warp': { seconds: 1 } }

  test.each<[string, (port: number) => Record<string, string>]>([
    ['no browser', () => ({})],
    ['a page of the relay', (port) => ({ ...own(port), 'sec-fetch-site': 'same-origin' })],
    ['a page of the relay in a browser without Sec-Fetch-Site', own],
    ['a person who types', () => ({ 'sec-fetch-site': 'none' })],
    ['a page at localhost', () => ({ host: 'localhost:8787', origin: 'http://localhost:8787' })],
    ['a page at an address in capitals', () => ({ host: 'LOCALHOST:8787', origin: 'http://localhost:8787' })],
    ['a page behind TLS', () => ({ host: '10.0.0.7', origin: 'https://10.0.0.7' })],
    ['a page at an IPv6 address', () => ({ host: '[::1]:8787', origin: 'http://[::1]:8787' })],
  ])('is let in: %s', async (_, headersAt) => {
    const { call, port } = await startSandbox()
    for (const path of PATHS) {
      expect((await call('POST', path, { body: BODIES[path], headers: headersAt(port) })).status).toBe(200)
    }
  })

  test.each<[string, (port: number) => Record<string, string>]>([
    ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a page of another origin of this site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['a page that a browser calls something new', () => ({ 'sec-fetch-site': 'neighbour' })],
    ['a page of another origin', () => ({ origin: 'https://evil.example' })],
    ['a page of another port', (port) => ({ host: `127.0.0.1:${port}`, origin: 'http://127.0.0.1:1' })],
    ['a page without an origin', () => ({ origin: 'null' })],
    ['a page whose name leads here', () => ({ host: 'evil.example:8787', 'sec-fetch-site': 'same-origin' })],
    ['a page whose name begins as an address', () => ({ host: '127.0.0.1.evil.example' })],
    ['a page whose name ends as this machine', () => ({ host: 'evil.localhost' })],
    ['a page whose name is this machine with a dot', () => ({ host: 'localhost.:8787' })],
    ['a name with a port of too many digits', () => ({ host: 'localhost:878787' })],
    ['a number that browsers read as an address', () => ({ host: '2130706433' })],
  ])('is refused: %s (protocol web-5)', async (_, headersAt) => {
    const { call, port, seen, warped } = await startSandbox()
    for (const path of PATHS) {
      const { status, body } = await call('POST', path, { body: BODIES[path], headers: headersAt(port) })
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'origin_not_allowed' })
    }
    expect([...seen, ...warped]).toEqual([])
  })

  test('learn nothing from a preflight', async () => {
    const { call } = await startSandbox()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const path of [...PATHS, '/%73andbox/rpc']) {
      const answer = await call('OPTIONS', path, { headers })
      expect(answer.status).not.toBe(204)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    const refused = await call('POST', '/sandbox/rpc', { body: rpc('eth_chainId'), headers })
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
  })
})

test('a relay without a sandbox has no such routes', async () => {
  const { url } = await startServer()
  for (const path of ['rpc', 'warp'])
    expect((await fetch(`${url}/sandbox/${path}`, { method: 'POST' })).status).toBe(404)
})
