import { BaseError, createPublicClient, custom, HttpRequestError, RpcRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { withShortErrors } from '../../../../src/relay/adapters/chain/rpc.ts'
import { CORE } from './fake-node.ts'

const BODY = { method: 'eth_call', params: ['private'.repeat(100_000)] }
const URL = 'https://node.example/v2/secret-key'

/** All text that hangs on a fault and its causes. */
function textOf(fault: unknown): string {
  if (!(fault instanceof Error)) return ''
  const own = Object.getOwnPropertyNames(fault).map((name) => JSON.stringify(Reflect.get(fault, name)) ?? '')
  return `${own.join()} ${textOf(fault.cause)}`
}

async function faultOf(thrown: unknown): Promise<unknown> {
  const transport = custom({ request: () => Promise.reject(thrown) }, { retryCount: 0 })
  const client = createPublicClient({ transport: withShortErrors(transport) })
  return client.request({ method: 'eth_call', params: [{ to: CORE }, 'latest'] }).catch((fault: unknown) => fault)
}

describe('faults of a transport', () => {
  it.each([
    ['a lost answer', new HttpRequestError({ url: URL, body: BODY, details: 'x'.repeat(100_000), status: 502 })],
    [
      'a refusal',
      new RpcRequestError({ url: URL, body: BODY, error: { code: -32_005, message: 'y'.repeat(100_000) } }),
    ],
  ])('are short, of %s too, and hold neither the request nor the address', async (_, thrown) => {
    const text = textOf(await faultOf(thrown))
    expect(text.length).toBeLessThan(8_000)
    expect(text).not.toContain('private')
    expect(text).not.toContain('secret-key')
  })

  it('stay what they are', async () => {
    const lost = new HttpRequestError({ url: URL, body: BODY, details: 'Bad Gateway', status: 502 })
    expect(await faultOf(lost)).toMatchObject({
      shortMessage: 'HTTP request failed.',
      details: 'Bad Gateway',
      status: 502,
    })
    const refused = new RpcRequestError({ url: URL, body: BODY, error: { code: -32_005, message: 'too much' } })
    expect(await faultOf(refused)).toBeInstanceOf(BaseError)
    expect(await faultOf(refused)).toMatchObject({ code: -32_005, details: 'too much' })
  })
})
