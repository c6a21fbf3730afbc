import { describe, expect, it } from 'vitest'
import { type RequestTerms, seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import type { Inventory } from '../../../src/protocol/domain/reservation.ts'
import { type SeriesId, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { type Address, contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  CALL_BUY,
  createTestRelay,
  OTHER_TAKER,
  PUT_SELL,
  refusal,
  TAKER,
  type TestMaker,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

const ADA = walletOf('ada')
const CALLS = seriesIdOf(seriesTermsOf(CALL_BUY))
const PUTS = seriesIdOf(seriesTermsOf(PUT_SELL))
const PUT_BUY: RequestTerms = { ...CALL_BUY, option: PUT_SELL.option }

/** What fills of the default requests at 0.12 trade: 833 calls or puts, which lock 0.55 and 0.45 each, and 100 puts. */
const SIZE = 833n
const CALLS_LOCKED = SIZE * 550_000n
const PUTS_LOCKED = SIZE * 450_000n
const PREMIUM = 12_000_000n

const TAKERS = [TAKER, OTHER_TAKER, walletOf('cyd')]

function fund(fixture: TestRelay, wallet: Address, balance: bigint): void {
  const funds = { balance: usd6(balance), allowance: usd6(balance) }
  fixture.chain.wallets.set(wallet, { core: funds, settlement: funds })
}

/** Gives a wallet options, and takes those that it had. */
function stock(fixture: TestRelay, wallet: Address, held: Partial<Record<SeriesId, Partial<Inventory>>>): void {
  const nothing = { long: contracts(0n), short: contracts(0n), isApproved: true }
  const series = Object.entries(held).map(([seriesId, of]) => [seriesId, { ...nothing, ...of }] as const)
  fixture.chain.inventories.set(wallet, new Map(series))
}

async function quoted(fixture: TestRelay, terms: Partial<RequestTerms>, price = 120_000n): Promise<string> {
  const { requestId } = await fixture.open(terms)
  await fixture.quote('ada', requestId, { price: usd6(price) })
  return requestId
}

/** What comes of a commit to ada's quote, which she signs if she is asked. */
async function committed(fixture: TestRelay, ada: TestMaker, requestId: string, wallet: Address): Promise<string> {
  const asked = ada.accepted().length
  const answer = refusal(fixture.commit(requestId, { wallet }))
  await settle()
  if (ada.accepted().length > asked) await ada.confirm()
  return answer
}

describe('a maker that can pay for one of three sellers', () => {
  const reduceOnly = { ...PUT_SELL, trade: { ...PUT_SELL.trade, reduceOnly: true } } as RequestTerms

  async function sell(terms: RequestTerms, prepare: (fixture: TestRelay, taker: Address) => void, price = 120_000n) {
    const fixture = createTestRelay()
    fund(fixture, ADA, 200n * price - 1n)
    for (const taker of TAKERS) prepare(fixture, taker)
    const ada = await fixture.connect('ada')
    const requests: [string, Address][] = []
    for (const wallet of TAKERS) requests.push([await quoted(fixture, { ...terms, wallet }, price), wallet])
    const answers: string[] = []
    for (const [requestId, wallet] of requests) answers.push(await committed(fixture, ada, requestId, wallet))
    return answers
  }

  it.each([
    ['that close a position', reduceOnly],
    ['that may fill from inventory', { ...PUT_SELL, inventory: true as const }],
    ['that have not said so', PUT_SELL],
  ])('signs for one of those without money %s', async (_, terms) => {
    const answers = await sell(terms, (fixture, taker) => {
      fund(fixture, taker, 0n)
      stock(fixture, taker, { [PUTS]: { long: contracts(100n) } })
    })
    expect(answers).toEqual(['not refused', 'maker_insufficient_balance', 'maker_insufficient_balance'])
  })

  it('signs for one of those that lock the premium with a dollar of their own', async () => {
    const locked = 45_000_000n
    const answers = await sell(
      PUT_SELL,
      (fixture, taker) => {
        const core = { balance: usd6(1_000_000n), allowance: usd6(locked) }
        fixture.chain.wallets.set(taker, { core, settlement: core })
      },
      440_000n,
    )
    expect(answers).toEqual(['not refused', 'maker_insufficient_balance', 'maker_insufficient_balance'])
  })

  it('signs for each of those that could fill nothing', async () => {
    const answers = await sell({ ...PUT_SELL, inventory: true as const }, (fixture, taker) => {
      fund(fixture, taker, 0n)
      stock(fixture, taker, { [CALLS]: { long: contracts(100n) } })
    })
    expect(answers).toEqual(['not refused', 'not refused', 'not refused'])
  })

  it('is free of one that has moved its options on', async () => {
    const fixture = createTestRelay()
    fund(fixture, ADA, PREMIUM)
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture, PUT_SELL), await quoted(fixture, PUT_SELL)] as const
    fund(fixture, TAKER, 0n)
    stock(fixture, TAKER, { [PUTS]: { long: contracts(100n) } })
    expect(await committed(fixture, ada, requests[0], TAKER)).toBe('not refused')
    expect(await committed(fixture, ada, requests[1], OTHER_TAKER)).toBe('maker_insufficient_balance')
    stock(fixture, TAKER, {})
    fixture.chain.block += 1
    expect(await committed(fixture, ada, requests[1], OTHER_TAKER)).toBe('not refused')
  })
})

it('a taker that ends what it has written pays with what that gives back, and counts so far', async () => {
  const fixture = createTestRelay()
  fund(fixture, ADA, 2n * CALLS_LOCKED - 1n)
  const ada = await fixture.connect('ada')
  const trade = { ...CALL_BUY.trade, reduceOnly: true, most: contracts(SIZE) } as RequestTerms['trade']
  stock(fixture, TAKER, { [CALLS]: { short: contracts(SIZE) } })
  fund(fixture, TAKER, 1n)
  const requests = [await quoted(fixture, { trade, wallet: TAKER }), await quoted(fixture, {})] as const
  expect(await committed(fixture, ada, requests[0], TAKER)).toBe('not refused')
  expect(await committed(fixture, ada, requests[1], OTHER_TAKER)).toBe('maker_insufficient_balance')
})

describe('a maker that has promised options', () => {
  const BUY = { ...CALL_BUY, inventory: true } as const

  /** Ada has money, and holds calls that she has promised to a taker. */
  async function promised(money: bigint, held: Partial<Record<SeriesId, Partial<Inventory>>> = {}) {
    const fixture = createTestRelay()
    fund(fixture, ADA, money)
    stock(fixture, ADA, { [CALLS]: { long: contracts(SIZE) }, ...held })
    const ada = await fixture.connect('ada')
    expect(await committed(fixture, ada, await quoted(fixture, BUY), TAKER)).toBe('not refused')
    return { fixture, ada }
  }

  it('does not promise the money as well that the taker may take in their place', async () => {
    const { fixture } = await promised(CALLS_LOCKED)
    for (const terms of [PUT_BUY, PUT_SELL, CALL_BUY]) {
      await expect(quoted(fixture, terms)).rejects.toMatchObject({
        code: 'maker_insufficient_balance',
        message: expect.stringContaining('$458.15 is already promised'),
      })
    }
    fund(fixture, ADA, CALLS_LOCKED + PUTS_LOCKED)
    await expect(quoted(fixture, PUT_BUY)).resolves.toBeTypeOf('string')
  })

  it('promises none where its taker may take the money of another order in their place', async () => {
    const fixture = createTestRelay()
    fund(fixture, ADA, PUTS_LOCKED)
    stock(fixture, ADA, { [CALLS]: { long: contracts(SIZE) } })
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture, PUT_BUY), await quoted(fixture, BUY)] as const
    expect(await committed(fixture, ada, requests[0], TAKER)).toBe('not refused')
    await expect(fixture.commit(requests[1])).rejects.toMatchObject({
      code: 'maker_insufficient_balance',
      message: expect.stringMatching(/this fill needs \$458\.15 and \$374\.85 is already promised/),
    })
    fund(fixture, ADA, CALLS_LOCKED + PUTS_LOCKED)
    expect(await committed(fixture, ada, await quoted(fixture, BUY), TAKER)).toBe('not refused')
  })

  it('promises those of another series, without money for either', async () => {
    const { fixture, ada } = await promised(0n, { [PUTS]: { long: contracts(SIZE) } })
    const puts = await quoted(fixture, { ...PUT_BUY, inventory: true as const })
    expect(await committed(fixture, ada, puts, TAKER)).toBe('not refused')
  })

  it('promises those of two series at the same moment', async () => {
    const fixture = createTestRelay()
    fund(fixture, ADA, 0n)
    stock(fixture, ADA, { [CALLS]: { long: contracts(SIZE) }, [PUTS]: { long: contracts(SIZE) } })
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture, BUY), await quoted(fixture, { ...PUT_BUY, inventory: true as const })]
    const commits = requests.map((requestId) => fixture.commit(requestId))
    await settle()
    for (const acceptance of ada.accepted()) {
      const signature = await ada.sign(acceptance)
      await fixture.relay.confirm({ makerId: 'ada', quoteId: acceptance.quoteId, signature })
    }
    const kept = (await Promise.all(commits)).map(({ execution }) => execution.acceptance.fromInventory)
    expect(kept).toEqual([SIZE, SIZE])
  })

  it.each([
    ['moved away', {}],
    ['not approved any more', { [CALLS]: { long: contracts(SIZE), isApproved: false } }],
  ])('and %s needs the money for them on every other series', async (_, then) => {
    const { fixture } = await promised(CALLS_LOCKED, { [PUTS]: { long: contracts(SIZE) } })
    stock(fixture, ADA, { ...then, [PUTS]: { long: contracts(SIZE) } })
    for (const terms of [PUT_BUY, { ...PUT_BUY, inventory: true as const }, PUT_SELL]) {
      await expect(quoted(fixture, terms)).rejects.toMatchObject({ code: 'maker_insufficient_balance' })
    }
  })

  it('is read the inventory of no series where its money alone is enough', async () => {
    const { fixture } = await promised(3n * CALLS_LOCKED)
    fixture.ports.chain.inventoryAt = () => Promise.reject(new Error('no one asks'))
    await expect(quoted(fixture, PUT_BUY)).resolves.toBeTypeOf('string')
    await expect(quoted(fixture, { ...PUT_BUY, inventory: true as const })).resolves.toBeTypeOf('string')
  })
})

describe('quotes of a wallet in one block', () => {
  const QUOTES: [name: string, terms: RequestTerms][] = [
    ['calls', CALL_BUY],
    ['calls that it may hold', { ...CALL_BUY, inventory: true }],
    ['puts that it may hold', { ...PUT_BUY, inventory: true }],
    ['a purchase of calls', { ...PUT_SELL, option: CALL_BUY.option }],
  ]
  const PAIRS = QUOTES.flatMap((first) => QUOTES.map((then) => ({ first, then })))

  /** Answers to quotes of ada, who has signed an order for a taker without money, and holds calls. */
  async function answersTo(terms: readonly RequestTerms[], balance: bigint): Promise<string[]> {
    const fixture = createTestRelay()
    fund(fixture, ADA, CALLS_LOCKED)
    stock(fixture, ADA, { [CALLS]: { long: contracts(SIZE) } })
    const ada = await fixture.connect('ada')
    expect(await committed(fixture, ada, await quoted(fixture, CALL_BUY), TAKER)).toBe('not refused')
    fund(fixture, TAKER, 0n)
    const [core, settlement] = [balance, 0n].map((amount) => ({ balance: usd6(amount), allowance: usd6(amount) }))
    fixture.chain.move(ADA, { ...(core && { core }), ...(settlement && { settlement }) })
    const answers: string[] = []
    for (const one of terms) answers.push(await refusal(quoted(fixture, one)))
    return answers
  }

  it.each(PAIRS.flatMap((pair) => [0n, CALLS_LOCKED].map((balance) => ({ ...pair, balance }))))(
    'with $balance, $then.0 after $first.0 are answered as alone',
    async ({ first: [, first], then: [, then], balance }) => {
      const [, answer] = await answersTo([first, then], balance)
      expect([answer]).toEqual(await answersTo([then], balance))
    },
  )

  it('differ by what they need: money of one kind, or options of a series', async () => {
    const terms = QUOTES.map(([, one]) => one)
    const [lacks, fine] = ['maker_insufficient_balance', 'not refused']
    expect(await answersTo(terms, 0n)).toEqual([lacks, fine, lacks, lacks])
    expect(await answersTo(terms, CALLS_LOCKED)).toEqual([fine, fine, fine, lacks])
  })
})

describe('commits at once to quotes of one wallet', () => {
  const COMMITS = 6

  /** Commits to quotes of ada, all at once, with a store whose writes take a while. */
  async function commitAtOnce(fixture: TestRelay) {
    fund(fixture, ADA, SIZE * 550_000n * BigInt(COMMITS))
    const ada = await fixture.connect('ada')
    const requests: string[] = []
    for (let i = 0; i < COMMITS; i += 1) requests.push(await quoted(fixture, {}))
    const { acceptances } = fixture.ports.store
    const { insert } = acceptances
    let writes = 0
    let waited = 0
    acceptances.insert = async (...args) => {
      writes += 1
      waited += fixture.clock.now() - args[0].createdAt
      await fixture.clock.advance(100)
      return insert(...args)
    }
    for (const requestId of requests) void refusal(fixture.commit(requestId))
    while (ada.accepted().length < COMMITS && writes < COMMITS ** 2) await settle()
    return { ada, writes: () => writes, waited: () => waited }
  }

  it('are written one after the other, each judged again once', async () => {
    const { ada, writes } = await commitAtOnce(createTestRelay())
    expect(ada.accepted()).toHaveLength(COMMITS)
    expect(writes()).toBe(2 * COMMITS - 1)
  })

  it('leave each maker all of its time to sign: it counts from the turn', async () => {
    const { waited } = await commitAtOnce(createTestRelay())
    expect(waited()).toBe(0)
  })
})
