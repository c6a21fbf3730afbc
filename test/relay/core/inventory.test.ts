import { describe, expect, it } from 'vitest'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { type Address, contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeCommitment } from '../../../src/protocol/wire/commit.ts'
import { encodePostTrade } from '../../../src/protocol/wire/maker-messages.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  CALL_BUY,
  createTestRelay,
  makerAccount,
  OTHER_TAKER,
  PUT_SELL,
  refusal,
  TAKER,
  type TestMaker,
  type TestRelay,
  walletOf,
} from '../../support/test-relay.ts'

/** What a fill of the default request at 0.12 trades: 833 calls, which lock 0.55 each. */
const SIZE = 833n
const EACH = 550_000n
const CALLS = seriesIdOf(seriesTermsOf(CALL_BUY))
const PUTS = seriesIdOf(seriesTermsOf(PUT_SELL))
const ADA = walletOf('ada')
const BUY = { inventory: true } as const

const funds = (balance: bigint, allowance = balance) => ({ balance: usd6(balance), allowance: usd6(allowance) })

/** Gives a wallet options that it has approved, and money for `written` more. */
function stock(
  fixture: TestRelay,
  wallet: Address,
  {
    long,
    written = 0n,
    isApproved = true,
    short = 0n,
    seriesId = CALLS,
  }: { long: bigint; written?: bigint; isApproved?: boolean; short?: bigint; seriesId?: string },
): void {
  fixture.chain.inventories.set(
    wallet,
    new Map([[seriesId, { long: contracts(long), short: contracts(short), isApproved }]]),
  )
  fixture.chain.wallets.set(wallet, { core: funds(written * EACH), settlement: funds(0n) })
}

async function quoted(fixture: TestRelay, name = 'ada', terms: Parameters<TestRelay['open']>[0] = BUY) {
  const { requestId } = await fixture.open(terms)
  await fixture.quote(name, requestId, { maker: ADA })
  return requestId
}

/** Has a maker sign for a request, and returns what came of the commit. */
async function traded(fixture: TestRelay, maker: TestMaker, requestId: string) {
  const commit = fixture.commit(requestId)
  await settle()
  await maker.confirm()
  return await commit
}

async function sign(fixture: TestRelay, name: string, maker: TestMaker): Promise<string> {
  const acceptance = maker.accepted().at(-1)
  if (acceptance === undefined) throw new Error(`${name} was not asked`)
  const signature = await makerAccount('ada').signTypedData(orderTypedData(acceptance.order, acceptance.domain))
  const answer = await refusal(fixture.relay.confirm({ makerId: name, quoteId: acceptance.quoteId, signature }))
  await settle()
  return answer
}

describe('a maker that holds options and has no money', () => {
  it('sells them to a taker that can fill from inventory', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    const commit = fixture.commit(await quoted(fixture))
    await settle()
    expect(ada.accepted()[0]?.fromInventory).toBe(SIZE)
    await ada.confirm()
    expect((await commit).execution.acceptance.fromInventory).toBe(SIZE)
  })

  it('writes what it does not hold, with money for so much', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: 800n, written: 33n })
    const ada = await fixture.connect('ada')
    const { execution } = await traded(fixture, ada, await quoted(fixture))
    expect(execution.acceptance.fromInventory).toBe(800n)
  })

  it('is refused an option more, with the figures that were counted', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: 800n, written: 32n })
    await expect(quoted(fixture)).rejects.toMatchObject({
      code: 'maker_insufficient_balance',
      message: expect.stringMatching(
        /holds \$17\.60; this fill needs \$18\.15 .* Of its 800 options .* 800 are counted and 0 are already promised/,
      ),
    })
  })

  it.each([
    ['of a taker that fills as the specification says', {}, { long: SIZE }],
    ['while it has not approved the settlement', BUY, { long: SIZE, isApproved: false }],
    ['for options of another series', BUY, { long: SIZE, seriesId: PUTS }],
  ])('is refused %s', async (_, terms, held) => {
    const fixture = createTestRelay()
    stock(fixture, ADA, held)
    await expect(quoted(fixture, 'ada', terms)).rejects.toMatchObject({
      code: 'maker_insufficient_balance',
      message: `Wallet ${ADA} holds $0.00; this fill needs $458.15 and $0.00 is already promised.`,
    })
  })
})

describe('options of a maker without money', () => {
  it('that are packages are sold as calls and puts are', async () => {
    const fixture = createTestRelay()
    const legs = [
      { optionType: 'call', strikeBps: 4_500 as StrikeBps, quantity: 1 },
      { optionType: 'call', strikeBps: 6_500 as StrikeBps, quantity: -1 },
    ] as const
    const spread = { ...CALL_BUY, option: { legs, expiryMs: CALL_BUY.option.expiryMs } }
    const { seriesId } = fixture.register(spread)
    for (const { strikeBps } of legs)
      fixture.register({ ...CALL_BUY, option: { ...CALL_BUY.option, optionType: 'call', strikeBps } })
    stock(fixture, ADA, { long: SIZE, seriesId })
    const ada = await fixture.connect('ada')
    const { execution } = await traded(fixture, ada, await quoted(fixture, 'ada', { ...spread, ...BUY }))
    expect(execution.acceptance).toMatchObject({ fromInventory: SIZE, order: { seriesId } })
  })

  it('are promised to no one while their series is halted', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    const requestId = await quoted(fixture)
    fixture.register(CALL_BUY, true)
    expect(await refusal(fixture.commit(requestId))).toBe('series_halted')
    expect(ada.accepted()).toEqual([])
    expect(await fixture.ports.store.acceptances.pending()).toEqual([])
  })
})

describe('options that are promised', () => {
  it('are promised once: of two commits at the same moment one maker is asked', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture), await quoted(fixture)]
    const commits = requests.map((requestId) => refusal(fixture.commit(requestId)))
    await settle()
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await Promise.all(commits)).sort()).toEqual(['maker_insufficient_balance', 'not refused'])
  })

  it('are shared between two commits at the same moment, each with its own share', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: 1_000n, written: 2n * SIZE - 1_000n })
    const ada = await fixture.connect('ada')
    const requests = [await quoted(fixture), await quoted(fixture)]
    const commits = requests.map((requestId) => fixture.commit(requestId))
    await settle()
    for (const acceptance of ada.accepted()) {
      const signature = await ada.sign(acceptance)
      await fixture.relay.confirm({ makerId: 'ada', quoteId: acceptance.quoteId, signature })
    }
    const kept = (await Promise.all(commits)).map(({ execution }) => execution.acceptance.fromInventory ?? 0n)
    expect(kept.toSorted((a, b) => Number(b - a))).toEqual([SIZE, 1_000n - SIZE])
  })

  it('that two makers share through one wallet go to the first signature, and the other maker is refused', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const commits = [fixture.commit(await quoted(fixture)), fixture.commit(await quoted(fixture, 'bob'))]
    const answers = Promise.all(commits.map((commit) => refusal(commit)))
    await settle()
    expect([ada.accepted()[0]?.fromInventory, bob.accepted()[0]?.fromInventory]).toEqual([SIZE, SIZE])
    expect([await sign(fixture, 'ada', ada), await sign(fixture, 'bob', bob)]).toEqual([
      'not refused',
      'maker_insufficient_balance',
    ])
    expect(await answers).toEqual(['not refused', 'no_maker_confirmed'])
    expect(fixture.auditLog).toContainEqual(
      expect.objectContaining({
        kind: 'declined',
        makerId: 'bob',
        reason: expect.stringContaining(`this fill takes ${SIZE} of them and ${SIZE} are already promised`),
      }),
    )
  })

  it('are free again when the order is filled or has lapsed', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    const { order } = (await traded(fixture, ada, await quoted(fixture))).execution.acceptance
    await expect(quoted(fixture)).rejects.toMatchObject({ code: 'maker_insufficient_balance' })
    fixture.chain.use(order)
    stock(fixture, ADA, { long: SIZE })
    const again = await traded(fixture, ada, await quoted(fixture))
    expect(again.execution.acceptance.fromInventory).toBe(SIZE)
    fixture.chain.aheadS = 1_000
    await expect(quoted(fixture)).resolves.toBeTypeOf('string')
  })

  it.each([
    ['moved away', { long: 0n }],
    ['not approved any more', { long: SIZE, isApproved: false }],
  ])('and %s have to be written, with money that is not promised again', async (_, then) => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    await traded(fixture, ada, await quoted(fixture))
    stock(fixture, ADA, { ...then, written: SIZE })
    await expect(quoted(fixture)).rejects.toMatchObject({
      code: 'maker_insufficient_balance',
      message: expect.stringContaining('and $458.15 is already promised'),
    })
    stock(fixture, ADA, { ...then, written: 2n * SIZE })
    await expect(quoted(fixture)).resolves.toBeTypeOf('string')
  })

  it('moved away before the commit are not counted, and count against their maker', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    await fixture.connect('ada')
    const requestId = await quoted(fixture)
    stock(fixture, ADA, { long: 0n })
    expect(await refusal(fixture.commit(requestId))).toBe('maker_insufficient_balance')
    await settle()
    const { outcomes } = await fixture.ports.store.makerRecords.find('ada')
    expect(outcomes.map(({ kind }) => kind)).toEqual(['insolvent'])
  })

  it('are decided when a firm quote is taken', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    await fixture.connect('ada')
    const { requestId } = await fixture.open({ ...BUY, wallet: TAKER })
    await fixture.quoteFirm('ada', requestId)
    expect((await fixture.commit(requestId)).execution.acceptance.fromInventory).toBe(SIZE)
  })
})

describe('a taker that reduces its position', () => {
  const SELL = { ...PUT_SELL, wallet: TAKER, trade: { ...PUT_SELL.trade, reduceOnly: true } } as const
  const CLOSE = {
    ...CALL_BUY,
    wallet: TAKER,
    trade: { ...CALL_BUY.trade, reduceOnly: true, most: contracts(50n) },
  } as const

  it('sells what it holds, and approves no collateral', async () => {
    const fixture = createTestRelay()
    stock(fixture, TAKER, { long: 100n, seriesId: PUTS })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(SELL)
    await fixture.quote('ada', requestId)
    const { execution, approval } = await traded(fixture, ada, requestId)
    expect(execution.acceptance.fromInventory).toBe(100n)
    expect(approval).toEqual({ spender: 'core', amount: 0n, reason: 'collateral' })
  })

  it('buys no more than it says, and closes it', async () => {
    const fixture = createTestRelay()
    stock(fixture, TAKER, { long: 0n, short: 50n })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(CLOSE)
    await fixture.quote('ada', requestId)
    const { acceptance } = (await traded(fixture, ada, requestId)).execution
    expect(acceptance).toMatchObject({ closes: true, order: { optionAmount: 50n, premiumAmount: 6_000_000n } })
  })

  it.each([
    [
      'sells more than it holds',
      SELL,
      { long: 99n, seriesId: PUTS },
      `Wallet ${TAKER} holds 99 options of series ${PUTS}; this sells 100 and 0 are already promised.`,
    ],
    [
      'has not approved the settlement',
      SELL,
      { long: 100n, isApproved: false, seriesId: PUTS },
      `Wallet ${TAKER} holds 100 options of series ${PUTS}, and has not approved them to the settlement contract; this sells 100 and 0 are already promised.`,
    ],
    [
      'buys more than it has written',
      CLOSE,
      { long: 0n, short: 49n },
      `Wallet ${TAKER} has written 49 options of series ${CALLS}; this buys 50.`,
    ],
  ])('is refused with the figures when it %s, at once and at the commit', async (_, terms, held, sentence) => {
    const fixture = createTestRelay()
    stock(fixture, TAKER, held)
    await expect(fixture.open(terms)).rejects.toMatchObject({ code: 'position_too_small', message: sentence })
    stock(fixture, TAKER, { ...held, long: 100n, short: 50n, isApproved: true })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(terms)
    await fixture.quote('ada', requestId)
    stock(fixture, TAKER, held)
    await expect(fixture.commit(requestId)).rejects.toMatchObject({ code: 'position_too_small', message: sentence })
    expect(ada.accepted()).toEqual([])
  })

  it('cannot sell what it has promised as a maker', async () => {
    const fixture = createTestRelay()
    stock(fixture, ADA, { long: SIZE })
    const ada = await fixture.connect('ada')
    await traded(fixture, ada, await quoted(fixture))
    const sale = { ...CALL_BUY, wallet: ADA, trade: { side: 'sell', size: contracts(1n), reduceOnly: true } } as const
    await expect(fixture.open(sale)).rejects.toMatchObject({ code: 'position_too_small' })
  })

  it('is not kept from selling by who commits in its name', async () => {
    const fixture = createTestRelay()
    stock(fixture, TAKER, { long: 100n, seriesId: PUTS })
    const ada = await fixture.connect('ada')
    for (let stranger = 0; stranger < 2; stranger += 1) {
      const { requestId } = await fixture.open(SELL)
      await fixture.quote('ada', requestId)
      expect((await traded(fixture, ada, requestId)).execution.acceptance.fromInventory).toBe(100n)
    }
  })
})

describe('a wallet that never approved the settlement', () => {
  it.each([
    ['as a maker', CALL_BUY],
    ['as a taker that sells', PUT_SELL],
  ])('receives byte for byte what it would if it held nothing, %s', async (_, terms) => {
    const told = async (held: boolean, asked: typeof CALL_BUY) => {
      const fixture = createTestRelay()
      const has = { long: contracts(10_000n), short: contracts(10_000n), isApproved: false }
      const inventory = new Map([CALLS, PUTS].map((seriesId) => [seriesId, has]))
      if (held) for (const wallet of [ADA, OTHER_TAKER]) fixture.chain.inventories.set(wallet, inventory)
      const ada = await fixture.connect('ada')
      const { requestId } = await fixture.open(asked)
      await fixture.quote('ada', requestId)
      const commit = fixture.commit(requestId, { wallet: OTHER_TAKER })
      await settle()
      const [acceptance] = ada.accepted()
      if (acceptance === undefined) throw new Error('ada was not asked')
      await ada.confirm()
      const text = JSON.stringify([
        encodePostTrade({ kind: 'accepted', acceptance }, true),
        encodeCommitment(await commit, fixture.relay.environment),
      ])
      // Wallets begin at nonces of chance, which are signed.
      return text.replace(/"nonce":\d+/g, '').replace(/0x[0-9a-f]{130}/g, '')
    }
    expect(await told(true, { ...terms, inventory: true })).toBe(await told(false, terms))
  })

  it('costs a request that does not ask for inventory no read of it', async () => {
    const fixture = createTestRelay()
    fixture.chain.inventory = () => Promise.reject(new Error('no one asks'))
    await fixture.trade()
  })
})
