import type { ServerResponse } from 'node:http'
import { BlockNotFoundError, ExecutionRevertedError, HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import { createRpc, describeFault, httpTransport, isTransportFault } from '../../../../src/relay/adapters/chain/rpc.ts'
import { createLog } from '../../../../src/relay/adapters/log.ts'
import { httpServer } from '../../../kit/server.ts'
import { CORE, createFakeNode, type FakeNode } from './fake-node.ts'

describe('reads', () => {
  let node: FakeNode
  let pauses: number[]
  const sleep = async (ms: number) => void pauses.push(ms)
  const readChainId = () => createRpc(node.transport, sleep).read((client) => client.getChainId())

  beforeEach(() => {
    node = createFakeNode()
    pauses = []
  })

  it('are tried again twice, after jittered pauses that grow', async () => {
    node.faults = [new HttpRequestError({ url: 'http://node' }), new Error('nonsense')]
    expect(await readChainId()).toBe(80_002)
    expect(pauses).toHaveLength(2)
    expect(pauses[0]).toBeGreaterThanOrEqual(50)
    expect(pauses[0]).toBeLessThan(150)
    expect(pauses[1]).toBeGreaterThanOrEqual(100)
    expect(pauses[1]).toBeLessThan(300)
  })

  it('are refused with chain_unavailable after the third fault', async () => {
    node.faults = [1, 2, 3, 4].map(() => new HttpRequestError({ url: 'http://node' }))
    await expect(readChainId()).rejects.toMatchObject({ name: 'RfqError', code: 'chain_unavailable' })
    expect(node.requests).toHaveLength(3)
  })

  it('pass on a refusal that is one already', async () => {
    const refusal = new RfqError('chain_unavailable', { detail: 'own words' })
    const rpc = createRpc(node.transport, sleep)
    await expect(rpc.read(() => Promise.reject(refusal))).rejects.toBe(refusal)
    expect(pauses).toEqual([])
  })
})

describe('describeFault', () => {
  it("leaves out the node's URL, which may hold a provider's key, and the request", () => {
    const fault = new HttpRequestError({
      url: 'https://node.example/v2/secret-key',
      body: { method: 'eth_call', params: ['private'] },
      details: 'Bad Gateway',
      status: 502,
    })
    expect(fault.message).toContain('secret-key')
    expect(describeFault(fault).message).toBe('HTTP request failed. Bad Gateway')
    expect(describeFault(fault).cause).toBeUndefined()
  })

  it('cuts a page of HTML short', () => {
    const fault = new HttpRequestError({ url: 'http://node', details: '<p>'.repeat(10_000) })
    expect(describeFault(fault).message.length).toBe(300)
  })

  it('takes anything that can be thrown', () => {
    expect(describeFault(new TypeError('odd')).message).toBe('odd')
    expect(describeFault('text').message).toBe('text')
    expect(describeFault(undefined).message).toBe('undefined')
  })
})

it('isTransportFault tells a lost answer from a refusal', () => {
  expect(isTransportFault(new HttpRequestError({ url: 'http://node' }))).toBe(true)
  expect(isTransportFault(new ExecutionRevertedError({}))).toBe(false)
  expect(isTransportFault(new BlockNotFoundError({}))).toBe(false)
  expect(isTransportFault(new Error('odd'))).toBe(false)
})

describe('JSON-RPC over HTTP', () => {
  let url: string
  let bodies: unknown[]
  let respond: (response: ServerResponse, body: { id: number; method: string }[]) => void

  const result = (body: { id: number }[], value: unknown) =>
    JSON.stringify(body.map(({ id }) => ({ jsonrpc: '2.0', id, result: value })))
  const readChainId = () => createRpc(httpTransport(url), async () => {}).read((client) => client.getChainId())

  beforeEach(async () => {
    bodies = []
    const server = await httpServer((response, request) => {
      const body = JSON.parse(request.body)
      bodies.push(body)
      respond(response, body)
    })
    url = `${server.url}/v2/secret-key`
  })

  it('sends the reads of one turn in one batch', async () => {
    respond = (response, body) => response.setHeader('Content-Type', 'application/json').end(result(body, '0x60'))
    const { client } = createRpc(httpTransport(url))
    await Promise.all([client.getCode({ address: CORE }), client.getChainId(), client.getBlockNumber()])
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toHaveLength(3)
  })

  const faults: [string, (response: ServerResponse, body: { id: number; method: string }[]) => void][] = [
    ['HTML with status 200', (response) => response.end('<html>hello</html>')],
    ['null', (response) => response.setHeader('Content-Type', 'application/json').end('null')],
    ['an object that is no batch', (response) => response.setHeader('Content-Type', 'application/json').end('{}')],
    ['truncated JSON', (response) => response.setHeader('Content-Type', 'application/json').end('[{"id":')],
    ['429 that asks for an hour', (response) => response.writeHead(429, { 'Retry-After': '3600' }).end('slow down')],
    ['a dropped connection', (response) => response.destroy()],
    ['50 MB announced', (response) => response.writeHead(200, { 'Content-Length': '50000000' }).write('[')],
    [
      'an error of the node',
      (response, body) =>
        response.end(JSON.stringify(body.map(({ id }) => ({ id, error: { code: -32_000, message: 'no trie' } })))),
    ],
  ]
  it.each(faults)('refuses %s with chain_unavailable, three attempts, no word of the URL', async (_, fault) => {
    respond = fault
    const refusal = await readChainId().catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'chain_unavailable' })
    expect(bodies).toHaveLength(3)
    expect(`${(refusal as Error).stack} ${((refusal as Error).cause as Error).stack}`).not.toContain('secret-key')
  })

  const SAID = 'upstream /v2/secret-key?token=other-key said no to secret-key'
  const canaries: typeof faults = [
    ['the page of an error', (response) => response.writeHead(500).end(SAID)],
    ['a page behind which it is cut off', (response) => response.writeHead(500).end(`${'x'.repeat(295)} ${SAID}`)],
    [
      'an error of JSON-RPC',
      (response, body) =>
        response.end(JSON.stringify(body.map(({ id }) => ({ id, error: { code: -32_603, message: SAID } })))),
    ],
    ['a refusal of the whole batch', (response) => response.end(JSON.stringify({ error: { code: 1, message: SAID } }))],
    ['a redirect', (response) => response.writeHead(307, { Location: `/v2/secret-key?to=${SAID}` }).end(SAID)],
  ]
  it.each(canaries)('no word of the URL is in the log when the node repeats it in %s', async (_, fault) => {
    respond = fault
    url += '?token=other-key'
    const lines: string[] = []
    const log = createLog({ level: 'info', out: { write: (line) => void lines.push(line) } })
    const rpc = createRpc(httpTransport(url), async () => {})
    const reads = [() => rpc.read((client) => client.getLogs()), () => rpc.client.getGasPrice()]
    for (const read of reads) await read().catch((thrown: unknown) => log.warn('order_watch_failed', { fault: thrown }))
    expect(lines).toHaveLength(2)
    expect(lines.join('')).not.toMatch(/secret|other-key|v2/)
  })

  it.each([
    ['before it answers', () => {}],
    ['in the middle of its answer', (response: ServerResponse) => void response.writeHead(200).write('[{"id":1,')],
  ] as const)('refuses a node that falls silent %s with chain_unavailable', async (_, fault) => {
    respond = fault
    const rpc = createRpc(httpTransport(url, 30), async () => {})
    await expect(rpc.read((client) => client.getChainId())).rejects.toMatchObject({ code: 'chain_unavailable' })
    // An attempt may be over before a busy machine has let it reach the node.
    expect(bodies.length).toBeLessThanOrEqual(3)
  })

  it('follows no redirect, not even to a node that would answer', async () => {
    let redirects = 0
    respond = (response, body) => {
      redirects += 1
      if (redirects % 2 === 1) response.writeHead(307, { Location: '/elsewhere' }).end()
      else response.setHeader('Content-Type', 'application/json').end(result(body, '0x13882'))
    }
    await expect(createRpc(httpTransport(url)).client.getChainId()).rejects.toThrow('HTTP request failed')
    expect(redirects).toBe(1)
  })

  it('refuses a port without a listener with chain_unavailable', async () => {
    url = 'http://127.0.0.1:1'
    await expect(readChainId()).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
