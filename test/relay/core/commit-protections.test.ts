import { describe, expect, it } from 'vitest'
import type { CommitTerms } from '../../../src/protocol/domain/commit.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, PUT_SELL, refusal, TAKER, type TestRelay } from '../../support/test-relay.ts'

const OUTSIDE: readonly [name: string, terms: Partial<CommitTerms>][] = [
  ['a limit price', { limitPrice: usd6(119_999n) }],
  ['a least number of contracts', { minContracts: contracts(834n) }],
  ['an expected quote', { expectedQuoteId: 'another' }],
]
const WITHIN: Partial<CommitTerms> = { limitPrice: usd6(120_000n), minContracts: contracts(833n) }

/** A request that somebody who knows its wallet has committed without protections, at 0.12 for 833 options. */
async function committedByAStranger(fixture: TestRelay) {
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open({ wallet: TAKER })
  const quoteId = await fixture.quote('ada', requestId)
  const commit = fixture.commit(requestId)
  await settle()
  return { ada, requestId, quoteId, commit }
}

const fault = (answer: Promise<unknown>) =>
  answer.then(
    () => 'not refused',
    (error: unknown) => error,
  )

describe('an order outside the protections of the call that asks for it', () => {
  it.each(OUTSIDE)('is 409 with its price, once the request is committed: %s', async (_, terms) => {
    const fixture = createTestRelay()
    const { ada, requestId, quoteId, commit } = await committedByAStranger(fixture)
    await ada.confirm()
    await commit
    expect(await fault(fixture.commit(requestId, terms))).toMatchObject({
      code: 'already_committed',
      message: 'The request is already committed: 833 options at $0.12, outside the protections of this commit.',
      data: { quoteId, price: 0.12, fillContracts: 833 },
    })
    const { execution } = await fixture.commit(requestId, { ...WITHIN, expectedQuoteId: quoteId })
    expect(execution).toEqual((await commit).execution)
  })

  it.each(OUTSIDE)('is 409 when it was pending as the relay started again: %s', async (_, terms) => {
    const fixture = createTestRelay()
    const { requestId, commit } = await committedByAStranger(fixture)
    void commit.catch(() => {})
    const after = await fixture.restart()
    const ada = await after.connect('ada')
    const answer = fault(after.commit(requestId, terms))
    await settle()
    await ada.confirm()
    expect(await answer).toMatchObject({ code: 'already_committed', data: { price: 0.12 } })
    expect(await refusal(after.commit(requestId, WITHIN))).toBe('not refused')
  })

  it('is 409 on a sell whose price is below the limit', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(PUT_SELL)
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await commit
    expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(120_001n) }))).toBe('already_committed')
    expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(120_000n) }))).toBe('not refused')
  })

  it('does not keep the ladder from going on within them when the pending maker does not sign', async () => {
    const fixture = createTestRelay()
    const { requestId, commit } = await committedByAStranger(fixture)
    void commit.catch(() => {})
    const after = await fixture.restart()
    const bob = await after.connect('bob')
    const answer = after.commit(requestId, { limitPrice: usd6(100_000n) })
    await settle()
    await after.quote('bob', requestId, { price: usd6(100_000n) })
    await after.clock.advance(10_000)
    await bob.confirm()
    expect((await answer).execution.acceptance.quote.price).toBe(100_000n)
  })
})
