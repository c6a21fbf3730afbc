import { describe, expect, it } from 'vitest'
import { createRelayerClient } from '../../src/client/relayer.ts'
import { encodeRelayedFill, type RelayedFill } from '../../src/protocol/wire/relayer.ts'
import { fillOf } from '../relay/relayer/fixture.ts'
import { createFakeClock, settle } from '../support/fake-clock.ts'

const orderHash = fillOf().authorization.orderHash
const standing = (status: RelayedFill['status']): RelayedFill => ({
  orderHash,
  status,
  transactionHash: null,
  failure: null,
  reason: null,
})

/** A relayer that gives these answers in turn, and what was asked of it. */
function relayerWith(...answers: { status: number; body: object }[]) {
  const asked: string[] = []
  const fetch = (async (url: string, { method }: { method: string }) => {
    asked.push(`${method} ${new URL(url).pathname}`)
    const { status, body } = answers.shift() as { status: number; body: object }
    return new Response(JSON.stringify(body), { status })
  }) as typeof globalThis.fetch
  const clock = createFakeClock()
  return { asked, clock, relayer: createRelayerClient({ url: 'http://127.0.0.1:8788/', fetch, clock }) }
}

const answer = (status: RelayedFill['status'], code = 200) => ({
  status: code,
  body: encodeRelayedFill(standing(status)),
})

describe('a client of a relayer', () => {
  it('waits until a fill is mined, and asks once a second', async () => {
    const { relayer, clock, asked } = relayerWith(answer('queued', 202), answer('sent'), answer('filled'))
    const filled = relayer.submitFillUntilMined({ fill: fillOf() })
    await settle()
    expect(asked).toEqual(['POST /v1/fills'])
    await clock.advance(999)
    expect(asked).toHaveLength(1)
    await clock.advance(1_001)
    expect(await filled).toEqual(standing('filled'))
    expect(asked).toEqual(['POST /v1/fills', `GET /v1/fills/${orderHash}`, `GET /v1/fills/${orderHash}`])
  })

  it('does not wait for a fill that has ended at once', async () => {
    const { relayer, asked } = relayerWith(answer('filled'))
    expect(await relayer.submitFillUntilMined({ fill: fillOf() })).toEqual(standing('filled'))
    expect(asked).toHaveLength(1)
  })

  it('ends its waiting by a signal', async () => {
    const { relayer } = relayerWith(answer('sent', 202))
    const controller = new AbortController()
    const waiting = relayer.submitFillUntilMined({ fill: fillOf(), signal: controller.signal })
    await settle()
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('tells why a fill is refused, by the code of the relayer and the error of the contract', async () => {
    const body = {
      success: false,
      error: 'The settlement contract would refuse the fill.',
      code: 'fill_refused',
      reason: 'nonce_used',
      contractError: 'NonceUsed',
    }
    const { relayer } = relayerWith({ status: 422, body })
    await expect(relayer.submitFill({ fill: fillOf() })).rejects.toMatchObject({
      code: 'fill_refused',
      status: 422,
      docsPath: 'docs/reference/errors.md#fill_refused',
      data: { reason: 'nonce_used', contractError: 'NonceUsed' },
    })
  })
})
