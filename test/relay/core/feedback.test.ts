import { describe, expect, it } from 'vitest'
import type { FeedbackLevel } from '../../../src/protocol/domain/best-quote.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal } from '../../support/test-relay.ts'

/** A trade of Ada's that Bob and Cyd lose, after Dan has withdrawn; what each of them is told. */
async function trade(feedback: FeedbackLevel) {
  const fixture = createTestRelay({ settings: { feedback } })
  const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
  const [cyd, dan] = [await fixture.connect('cyd'), await fixture.connect('dan')]
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  await fixture.quote('cyd', requestId, { price: usd6(105_000n) })
  const quoteId = await fixture.quote('dan', requestId, { price: usd6(99_000n) })
  await fixture.relay.withdrawQuote({ makerId: 'dan', quoteId })
  const commit = fixture.commit(requestId)
  await settle()
  await ada.confirm()
  await commit
  const told = [bob, cyd, dan].map(({ messages }) => {
    const [message] = messages
    return message?.kind === 'rejected' ? message.feedback : message
  })
  const kept = await fixture.relay.makerHistory({ makerId: 'bob', after: null, since: null, status: null, limit: 10 })
  return { told, kept, winner: ada.messages.at(-1) }
}

describe('a maker whose quote lost', () => {
  it('learns nothing of the others, unless the operator allows it', async () => {
    const { told, kept } = await trade('off')
    expect(told).toEqual([undefined, undefined, undefined])
    expect(kept[0]).not.toHaveProperty('feedback')
  })

  it('learns its rank, on its socket and in its history, unless it withdrew', async () => {
    const { told, kept, winner } = await trade('rank')
    const third = { rank: 3, quoteCount: 3, winningPrice: null }
    expect(told).toEqual([third, { ...third, rank: 2 }, undefined])
    expect(kept).toMatchObject([{ status: 'rejected', feedback: third }])
    expect(winner).toEqual({ kind: 'confirmed', requestId: expect.any(String), quoteId: expect.any(String) })
  })

  it('learns the winning price, too, where that is allowed, and nothing that names the winner', async () => {
    const { told } = await trade('price')
    expect(told[1]).toEqual({ rank: 2, quoteCount: 3, winningPrice: 100_000n })
  })

  it('learns of its loss after the delay of the operator, by message, history and transcript; the winner at once', async () => {
    const fixture = createTestRelay({
      settings: { feedback: 'price', feedbackDelayMs: 10_000 },
      hasTransparencyLog: true,
    })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    await fixture.quote('bob', requestId, { price: usd6(110_000n) })
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await commit
    const heardBy = async (makerId: string) => {
      await fixture.publish()
      const kept = await fixture.relay.makerHistory({ makerId, after: null, since: null, status: null, limit: 10 })
      const reader = { kind: 'maker', makerId } as const
      const transcript = await refusal(fixture.relay.readTranscript({ requestId, reader }))
      return [kept.length, transcript]
    }
    expect(ada.messages.at(-1)).toMatchObject({ kind: 'confirmed' })
    await fixture.clock.advance(9_999)
    expect([bob.messages, await heardBy('bob')]).toEqual([[], [0, 'transcript_not_ready']])
    await fixture.clock.advance(1)
    expect(bob.messages).toMatchObject([{ kind: 'rejected', feedback: { winningPrice: 100_000n } }])
    expect(await heardBy('bob')).toEqual([1, 'not refused'])
  })

  it('learns nothing of the others where no one won', async () => {
    const fixture = createTestRelay({ settings: { feedback: 'price' } })
    const bob = await fixture.connect('bob')
    const { requestId, takerSecret } = await fixture.open()
    const quoteId = await fixture.quote('bob', requestId)
    await fixture.relay.cancelRequest({ requestId, takerSecret })
    expect(bob.messages).toEqual([{ kind: 'rejected', requestId, quoteId, reason: 'request_cancelled' }])
  })
})
