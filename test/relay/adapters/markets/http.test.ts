import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../../src/protocol/domain/units.ts'
import { createJsonSource } from '../../../../src/relay/adapters/json-source.ts'
import { createHttpMarkets } from '../../../../src/relay/adapters/markets/http.ts'
import { json } from '../../../kit/plays.ts'
import { startSource } from '../sources/source-server.ts'

const CONDITION: Hex = `0xab${'5f'.repeat(31)}`
const YES = '71321045679252212594626385532706912750332728571942532289631379312455583992563'
const NO = '52114319501245915516055106046884209969926127482827954674443846427813813222426'

/** A market as the API gives it: lists in strings, prices as text, a time as Postgres writes it. */
const RESOLVED = {
  id: '253591',
  conditionId: CONDITION,
  question: 'Will it rain on Friday?',
  outcomes: '["Yes", "No"]',
  outcomePrices: '["1", "0"]',
  clobTokenIds: JSON.stringify([YES, NO]),
  active: true,
  closed: true,
  closedTime: '2024-11-06 15:17:41+00',
  umaResolutionStatus: 'resolved',
}
const CLOSED_AT = Date.UTC(2024, 10, 6, 15, 17, 41) / 1_000

async function marketsOf(...answers: unknown[]) {
  const server = await startSource(...answers.map((answer) => json(answer)))
  const source = createJsonSource({ url: server.url, sleep: async () => {} })
  const markets = createHttpMarkets({ url: server.url, source })
  return {
    server,
    question: () => markets.question(CONDITION),
    outcome: (yesTokenId = YES) => markets.outcome(CONDITION, yesTokenId),
  }
}
const outcomeWith = async (changes: Record<string, unknown>) =>
  (await marketsOf([{ ...RESOLVED, ...changes }])).outcome()

describe('the outcome of a market over HTTP', () => {
  it('is what its YES token was worth in the end, by the place of that token', async () => {
    expect(await outcomeWith({})).toEqual({ yesPrice: 1, closedAt: CLOSED_AT })
    expect(await outcomeWith({ outcomePrices: '["0", "1"]' })).toEqual({ yesPrice: 0, closedAt: CLOSED_AT })
    const swapped = { clobTokenIds: JSON.stringify([NO, YES]), outcomePrices: '["0", "1"]' }
    expect(await outcomeWith(swapped)).toEqual({ yesPrice: 1, closedAt: CLOSED_AT })
  })

  it('reads lists that are lists and prices that are numbers just as well', async () => {
    expect(await outcomeWith({ clobTokenIds: [YES, NO], outcomePrices: [0, 1] })).toMatchObject({ yesPrice: 0 })
    expect(await outcomeWith({ outcomePrices: '["1.000", "0.0"]' })).toMatchObject({ yesPrice: 1 })
  })

  it.each([
    ['open', { closed: false }],
    ['proposed', { umaResolutionStatus: 'proposed' }],
    ['disputed', { umaResolutionStatus: 'disputed' }],
    ['closed without a status', { umaResolutionStatus: undefined }],
    ['closed with a status of null', { umaResolutionStatus: null }],
    ['50-50', { outcomePrices: '["0.5", "0.5"]' }],
    ['nearly certain', { outcomePrices: '["0.9995", "0.0005"]' }],
    ['worth nothing on either side', { outcomePrices: '["0", "0"]' }],
    ['not binary', { clobTokenIds: JSON.stringify([YES, NO, '3']), outcomePrices: '["1", "0", "0"]' }],
    ['about other tokens', { clobTokenIds: '["1", "2"]' }],
  ])('is absent for a market that is %s', async (_, changes) => {
    expect(await outcomeWith(changes)).toBeNull()
  })

  it.each([
    ['whether it is closed', { closed: undefined }],
    ['whether it is closed as a truth value', { closed: 'true' }],
    ['its tokens', { clobTokenIds: undefined }],
    ['its tokens in a form that can be read', { clobTokenIds: '[not json' }],
    ['its prices', { outcomePrices: null }],
    ['its prices as numbers', { outcomePrices: '["yes", "no"]' }],
    ['a price that is one', { outcomePrices: '["", "1"]' }],
  ])('is declined when the source does not say %s', async (_, changes) => {
    await expect(outcomeWith(changes)).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })

  it.each([
    ['2024-11-06T15:17:41Z', CLOSED_AT],
    ['2024-11-06T15:17:41.000Z', CLOSED_AT],
    ['2024-11-06T15:17:41.001Z', CLOSED_AT + 1],
    ['2024-11-06 15:17:41.5+00', CLOSED_AT + 1],
    ['2024-11-06 16:17:41+01:00', CLOSED_AT],
    ['2024-11-06 20:47:41+0530', CLOSED_AT],
    [undefined, null],
    [null, null],
    ['', null],
  ])('closed at %s is %s, a part of a second rounded up', async (closedTime, closedAt) => {
    expect(await outcomeWith({ closedTime })).toEqual({ yesPrice: 1, closedAt })
  })

  it.each(['soon', '2024-11-06', '2024-11-06 15:17:41', '2024-13-06 15:17:41+00', CLOSED_AT, CLOSED_AT * 1_000])(
    'is declined when it closed at "%s", which is no time with a zone',
    async (closedTime) => {
      await expect(outcomeWith({ closedTime })).rejects.toMatchObject({ code: 'price_source_unavailable' })
    },
  )

  it('is looked for among closed markets too, which the source leaves out unless it is asked', async () => {
    const { server, outcome } = await marketsOf([], [RESOLVED])
    expect(await outcome()).toMatchObject({ yesPrice: 1 })
    expect(server.queries.map(String)).toEqual([`condition_ids=${CONDITION}`, `condition_ids=${CONDITION}&closed=true`])
  })

  it('is absent for a market that the source does not have', async () => {
    const { outcome, question } = await marketsOf([])
    expect(await outcome()).toBeNull()
    expect(await question()).toBeNull()
  })

  it('is never taken from another market, as a source gives that ignores what it is asked', async () => {
    const { outcome } = await marketsOf([{ ...RESOLVED, conditionId: `0x${'11'.repeat(32)}` }])
    await expect(outcome()).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })

  it('is found however the source writes the condition', async () => {
    expect(await outcomeWith({ conditionId: CONDITION.toUpperCase().replace('0X', '0x') })).toMatchObject({
      yesPrice: 1,
    })
  })

  it.each([[{}], [null], ['[]'], [{ markets: [] }]])('is declined when the answer is %j', async (answer) => {
    const { outcome } = await marketsOf(answer)
    await expect(outcome()).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })
})

describe('the question of a market over HTTP', () => {
  const questionWith = async (question: unknown) => (await marketsOf([{ ...RESOLVED, question }])).question()

  it('is shown on one line, without characters that change how text is shown, and not without end', async () => {
    expect(await questionWith('Will it rain?')).toBe('Will it rain?')
    expect(await questionWith(' Will\u0000 it\n\u202e rain?\u001b[31m ')).toBe('Will it rain? [31m')
    expect(await questionWith('☂'.repeat(400))).toBe('☂'.repeat(300))
  })

  it.each([[undefined], [null], [7], [''], ['\u0000']])('is absent when the source says %j', async (question) => {
    expect(await questionWith(question)).toBeNull()
  })
})
