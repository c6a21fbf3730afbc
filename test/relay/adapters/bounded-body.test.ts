import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createPublicClient } from 'viem'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { boundBody } from '../../../src/relay/adapters/bounded-body.ts'
import { httpTransport } from '../../../src/relay/adapters/chain/rpc.ts'
import { fetchJson } from '../../../src/relay/adapters/json-source.ts'
import { stall } from '../../kit/plays.ts'
import { startSource } from './sources/source-server.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Collects garbage again and again while the test runs, as a relay with much to do does. */
function keepCollecting(): void {
  const timer = setInterval(collectGarbage, 10)
  onTestFinished(() => clearInterval(timer))
}

/** More than one: what is collected differs. */
const READS = 20

describe('half of an answer is waited for no longer than the whole of it, while garbage is collected', () => {
  it('from a node', async () => {
    const { url } = await startSource(stall)
    const client = createPublicClient({ transport: httpTransport(url, 300) })
    keepCollecting()
    const reads = Array.from({ length: READS }, () => client.getChainId().catch((fault: Error) => fault.name))
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['HttpRequestError']))
  })

  it('from a source of prices', async () => {
    const { url } = await startSource(stall)
    keepCollecting()
    const reads = Array.from({ length: READS }, () =>
      fetchJson(new URL(url), AbortSignal.timeout(300)).catch((fault: Error) => fault.name),
    )
    // It ends either way: before its headers as an attempt that failed, behind them by the signal.
    for (const name of await Promise.all(reads)) expect(['TimeoutError', 'AttemptError']).toContain(name)
  })
})

describe('a body with a bound', () => {
  const answer = () => new Response('all of it', { status: 201, headers: { 'x-kept': 'yes' } })

  it('is the same answer', async () => {
    const bound = boundBody(answer(), new AbortController().signal)
    expect([bound.status, bound.headers.get('x-kept'), await bound.text()]).toEqual([201, 'yes', 'all of it'])
  })

  it('fails with the reason of its signal, also of one that has aborted before', async () => {
    const reason = new Error('too late')
    await expect(boundBody(answer(), AbortSignal.abort(reason)).text()).rejects.toBe(reason)
  })

  it('lets its source go when it is cancelled', async () => {
    const cancelled = vi.fn()
    const source = new ReadableStream({ cancel: cancelled })
    await boundBody(new Response(source), new AbortController().signal).body?.cancel('enough')
    expect(cancelled).toHaveBeenCalledWith('enough')
  })
})
