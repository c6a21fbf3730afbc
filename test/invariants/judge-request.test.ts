import { describe, expect, test } from 'vitest'
import type { SeriesId } from '../../src/domain/series.ts'
import { type Address, contracts, usd6 } from '../../src/domain/units.ts'
import { judgeRequest } from './judge-request.ts'
import type { Audience, RequestLife, Seen, SeenOf } from './seen.ts'

const ADA: Address = '0x00000000000000000000000000000000000000a1'
const BOB: Address = '0x00000000000000000000000000000000000000b2'
const TAKER: Address = '0x00000000000000000000000000000000000000c3'
const DEADLINE = 11_000

/** A trade that ada wins at 0.05 against bob's 0.06: 20 options for a dollar. */
const quoted = {
  ada: {
    at: 1_010,
    kind: 'quoted',
    makerId: 'ada',
    quoteId: 'qa',
    maker: ADA,
    price: usd6(50_000n),
    size: contracts(30n),
  },
  bob: {
    at: 1_020,
    kind: 'quoted',
    makerId: 'bob',
    quoteId: 'qb',
    maker: BOB,
    price: usd6(60_000n),
    size: contracts(30n),
  },
} as const satisfies Record<string, Seen>
const best: SeenOf<'best'> = { at: 1_030, kind: 'best', stream: 'taker', price: usd6(50_000n), quoteCount: 2 }
const committing: Seen = { at: 1_040, kind: 'committing', wallet: TAKER }
const asked: SeenOf<'asked'> = {
  at: 1_050,
  kind: 'asked',
  makerId: 'ada',
  quoteId: 'qa',
  deadline: DEADLINE,
  order: {
    maker: ADA,
    seriesId: '7' as SeriesId,
    optionAmount: contracts(20n),
    premiumAmount: usd6(1_000_000n),
    makerSelling: true,
    taker: TAKER,
    validUntil: 131,
    nonce: 4,
  },
}
const askedBob: SeenOf<'asked'> = {
  ...asked,
  at: 1_060,
  makerId: 'bob',
  quoteId: 'qb',
  order: { ...asked.order, maker: BOB, optionAmount: contracts(16n), premiumAmount: usd6(960_000n), nonce: 9 },
}
const signed: Seen = { at: 1_070, kind: 'signed', quoteId: 'qa' }
const revealed: SeenOf<'revealed'> = {
  at: 1_080,
  kind: 'revealed',
  executionId: 'e',
  quoteId: 'qa',
  price: usd6(50_000n),
  signed: { order: asked.order, signature: '0x5a', signer: ADA },
}
const confirmed: SeenOf<'told'> = {
  at: 1_090,
  kind: 'told',
  makerId: 'ada',
  socket: 'a',
  quoteId: 'qa',
  how: 'confirmed',
}
const rejected: SeenOf<'told'> = {
  at: 1_090,
  kind: 'told',
  makerId: 'bob',
  socket: 'b',
  quoteId: 'qb',
  how: 'rejected',
}
const ended = (stream: string): Seen => ({ at: 1_100, kind: 'ended', stream })
const repeated: SeenOf<'repeated'> = { at: 2_000, kind: 'repeated', executionId: 'e' }

const TRADE: readonly Seen[] = [
  quoted.ada,
  quoted.bob,
  best,
  committing,
  asked,
  signed,
  revealed,
  confirmed,
  rejected,
  ended('ada'),
  ended('bob'),
  ended('taker'),
  repeated,
]

const ALL: Audience = {
  sockets: new Map([
    ['a', { makerId: 'ada' }],
    ['b', { makerId: 'bob' }],
    ['c', { makerId: 'cyd' }],
  ]),
  streams: new Set(['ada', 'bob', 'taker']),
}
const NOBODY: Audience = { sockets: new Map(), streams: new Set() }

const lifeOf = (seen: readonly Seen[]): RequestLife => ({
  requestId: 'r',
  trade: { side: 'buy', budget: usd6(1_000_000n) },
  seen,
})

const faultsOf = (seen: readonly Seen[], audience: Audience = ALL): string[] =>
  judgeRequest(lifeOf(seen), audience).flatMap(({ invariant, fault }) =>
    fault === null ? [] : [`${invariant}: ${fault}`],
  )

/** The trade with an event left out, put in another's place, or put behind it. */
const without = (event: Seen) => TRADE.filter((other) => other !== event)
const instead = (event: Seen, other: Seen) => TRADE.map((each) => (each === event ? other : each))
const followed = (event: Seen, ...others: Seen[]) =>
  TRADE.flatMap((each) => (each === event ? [each, ...others] : [each]))

test('a trade as it should be has no fault, and every invariant of a request was looked at', () => {
  expect(faultsOf(TRADE)).toEqual([])
  const looked = new Set(judgeRequest(lifeOf(TRADE), ALL).map(({ invariant }) => invariant))
  expect([...looked].sort()).toEqual(['V1', 'V10', 'V2', 'V3', 'V4', 'V7'])
})

test('a request that nobody commits to has no fault: all who quoted are rejected', () => {
  const told: Seen = { ...confirmed, how: 'rejected' }
  expect(faultsOf([quoted.ada, quoted.bob, best, told, rejected, ended('ada'), ended('bob'), ended('taker')])).toEqual(
    [],
  )
})

describe('V1: one maker at a time, one order', () => {
  test('a second maker that is asked before the first has let go', () => {
    expect(faultsOf(followed(asked, askedBob))).toContain('V1: r waits for ada and bob')
  })

  test('but not once the first has declined, or its deadline has passed', () => {
    const declined: Seen = { at: 1_055, kind: 'declined', quoteId: 'qa' }
    expect(faultsOf(followed(asked, declined, askedBob)).join()).not.toContain('waits for')
    expect(faultsOf(followed(asked, { ...askedBob, at: DEADLINE })).join()).not.toContain('waits for')
  })

  test('an order that is another one when it is sent again', () => {
    const again = { ...asked, order: { ...asked.order, nonce: 5 } }
    expect(faultsOf(followed(asked, again))).toEqual(['V1: r asks ada for another order than before'])
  })

  test('two executions, two signatures that were taken, two quotes that were confirmed', () => {
    expect(faultsOf(followed(revealed, { ...revealed, executionId: 'f' }))).toContain('V1: r was executed twice')
    expect(faultsOf(followed(signed, { at: 1_071, kind: 'signed', quoteId: 'qb' }))).toEqual([
      'V1: r took the signatures of 2 quotes',
    ])
    expect(faultsOf(instead(rejected, { ...rejected, how: 'confirmed' }))).toContain('V1: 2 quotes of r were confirmed')
  })
})

describe('V2: the order is the quote', () => {
  const wrong = {
    'for more than the budget buys': { optionAmount: contracts(21n) },
    'at another premium': { premiumAmount: usd6(1_000_001n) },
    'of another maker': { maker: BOB },
    'the wrong way round': { makerSelling: false },
  }

  test.each(Object.entries(wrong))('an order %s', (_, change) => {
    const order = { ...asked.order, ...change }
    expect(faultsOf(instead(asked, { ...asked, order }))).toEqual([
      'V2: the order of r is not one that its maker offered',
    ])
  })

  test('an order of no more than the maker offered', () => {
    const small = { ...quoted.ada, size: contracts(3n) }
    expect(faultsOf(instead(quoted.ada, small))).toEqual(['V2: the order of r is not one that its maker offered'])
    const order = { ...asked.order, optionAmount: contracts(3n), premiumAmount: usd6(150_000n) }
    expect(faultsOf(instead(quoted.ada, small).map((seen) => (seen === asked ? { ...asked, order } : seen)))).toEqual(
      [],
    )
  })

  test('an order for a stranger, one that is over, and one that somebody else signed', () => {
    const forStranger = { ...asked, order: { ...asked.order, taker: BOB } }
    expect(faultsOf(instead(asked, forStranger))).toEqual([`V2: the order of r is for ${BOB}, who did not commit`])
    const over = { ...asked, order: { ...asked.order, validUntil: 1 } }
    expect(faultsOf(instead(asked, over))).toEqual(['V2: the order of r could no longer be filled'])
    const forged = { ...revealed, signed: { order: asked.order, signature: '0x5a', signer: BOB } } as const
    expect(faultsOf(instead(revealed, forged))).toEqual(['V2: the order of r is not signed by its maker'])
  })

  test('a quote whose answer was lost leaves nothing to compare with', () => {
    expect(faultsOf(without(quoted.ada), NOBODY).join()).not.toContain('V2')
  })
})

describe('V3: how it ended, once', () => {
  test('a maker that quoted and hears nothing, or twice', () => {
    expect(faultsOf(without(rejected))).toEqual(['V3: bob did not hear how r ended'])
    expect(faultsOf(followed(rejected, rejected))).toEqual(['V3: bob heard 2 times how r ended'])
  })

  test('silence is none of a socket that was not there all the time', () => {
    expect(faultsOf(without(rejected), NOBODY)).toEqual([])
  })

  test('a winner that is rejected, and a loser that is confirmed', () => {
    expect(faultsOf(instead(confirmed, { ...confirmed, how: 'rejected' }))).toEqual([
      'V3: ada heard of r that its quote was rejected',
    ])
    expect(faultsOf(instead(rejected, { ...rejected, how: 'confirmed' }))).toContain(
      'V3: bob heard of r that its quote was confirmed',
    )
  })
})

describe('V4: the end, once on each stream', () => {
  test('a stream that does not tell it, or twice', () => {
    expect(faultsOf(TRADE.filter((seen) => seen.kind !== 'ended' || seen.stream !== 'bob'))).toEqual([
      'V4: bob showed 0 times that r ended',
    ])
    expect(faultsOf([...TRADE, ended('taker')])).toEqual(['V4: taker showed 2 times that r ended'])
  })

  test('a best quote after the end', () => {
    expect(faultsOf([...TRADE, best])).toEqual(['V4: taker showed a best quote of r after its end'])
  })
})

describe('V7: the best is shown, and wins', () => {
  test('a worse quote that is shown when all are counted', () => {
    expect(faultsOf(instead(best, { ...best, price: usd6(60_000n) }))).toEqual([
      'V7: r was shown at 60000, the best of all was 50000',
    ])
  })

  test('a best of a part of the quotes says nothing', () => {
    expect(faultsOf(instead(best, { ...best, price: usd6(60_000n), quoteCount: 1 }))).toEqual([])
  })

  test('a trade at a worse price than stood beside it, unless that maker declined', () => {
    const worse = { ...revealed, quoteId: 'qb', price: usd6(60_000n) }
    const byBob = TRADE.filter((seen) => seen !== asked).map((seen) => (seen === revealed ? worse : seen))
    expect(faultsOf(byBob)).toContain('V7: r was taken at 60000 while 50000 was on offer')
    const declined: Seen = { at: 1_055, kind: 'declined', quoteId: 'qa' }
    const afterwards = byBob.flatMap((seen) => (seen === committing ? [seen, asked, declined] : [seen]))
    expect(faultsOf(afterwards).join()).not.toContain('V7')
  })

  test('of a sale the highest price is the best', () => {
    const life = { ...lifeOf(TRADE), trade: { side: 'sell', size: contracts(20n) } } as const
    const faults = judgeRequest(life, ALL).flatMap(({ fault }) => fault ?? [])
    expect(faults).toContain('r was shown at 50000, the best of all was 60000')
    expect(faults).toContain('r was taken at 50000 while 60000 was on offer')
  })
})

test('V10: a trade that is another one when it is asked for again, or is gone', () => {
  const fault = 'V10: the trade of r was not the same when asked again'
  expect(faultsOf(instead(repeated, { ...repeated, executionId: 'f' }))).toEqual([fault])
  expect(faultsOf(instead(repeated, { ...repeated, executionId: null }))).toEqual([fault])
})
