import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTradeHistory, withMarkets } from '../../src/client/trade-history.ts'
import { createWalletActions } from '../../src/client/wallet-actions.ts'
import type { StrikeBps } from '../../src/protocol/domain/units.ts'
import { createTradeChain, MAX_PAYOFF, OTHER, WALLET } from './fake-trade-chain.ts'

const BUY = { seriesId: 7n, isMaker: false, isBuyer: true, amount: 100n, premium: 10_000_000n }
const SELL = { ...BUY, isBuyer: false }

describe('the history of a wallet from the chain', () => {
  test('has purchases and sales as taker and as maker, with the fees that the taker paid', async () => {
    const chain = createTradeChain()
    chain.fill({ ...BUY, fee: 25_000n })
    chain.fill({ ...SELL, seriesId: 8n, fee: 30_000n, isSigned: true })
    chain.fill({ ...BUY, seriesId: 9n, isMaker: true, fee: 40_000n })
    const { trades, isComplete } = await readTradeHistory(chain.wallet())
    expect(isComplete).toBe(true)
    expect(trades).toMatchObject([
      { seriesId: '9', side: 'long', paid: 10_000_000n, fees: 0n },
      { seriesId: '8', side: 'short', premiumReceived: 10_000_000n, received: 9_970_000n, fees: 30_000n },
      {
        seriesId: '7',
        side: 'long',
        state: 'open',
        option: { optionType: 'call', strikeBps: 4_500 },
        expiry: 5_000_000_000,
        premiumPaid: 10_000_000n,
        paid: 10_025_000n,
        fees: 25_000n,
        openedAt: 1_001,
        events: [{ kind: 'bought', amount: 100n, blockNumber: 1n }],
      },
    ])
  })

  test('counts a fee that the wallet pays to itself as none, and one that it gets as its partner as income', async () => {
    const chain = createTradeChain()
    chain.fill({ ...BUY, fee: 25_000n, partner: WALLET })
    chain.fill({ ...SELL, seriesId: 8n, fee: 25_000n, partner: WALLET })
    chain.fill({ ...SELL, seriesId: 9n, isMaker: true, fee: 25_000n, partner: WALLET })
    const { trades } = await readTradeHistory(chain.wallet())
    expect(trades).toMatchObject([
      { seriesId: '9', fees: -25_000n, received: 10_025_000n },
      { seriesId: '8', fees: 0n, received: 10_000_000n },
      { seriesId: '7', fees: 0n, paid: 10_000_000n },
    ])
  })

  test('leaves out transfers to oneself and of nothing', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    chain.send(WALLET, WALLET, 7n, 100n)
    chain.send(OTHER, WALLET, 7n, 0n)
    expect((await readTradeHistory(chain.wallet())).trades).toMatchObject([{ hasTransfers: false, long: 100n }])
  })

  test('has a sale of options that are held in part as the end of one trade and the beginning of the next', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    chain.fill({ ...SELL, amount: 150n, premium: 15_000_001n, delivered: 100n, fee: 3n })
    const { trades } = await readTradeHistory(chain.wallet())
    expect(trades).toMatchObject([
      { side: 'short', amount: 50n, premiumReceived: 5_000_001n, fees: 1n, events: [{ kind: 'wrote' }] },
      { side: 'long', state: 'closed', premiumReceived: 10_000_000n, fees: 2n, profit: -2n },
    ])
  })

  test('has a purchase that closes as one step of the trade, in one transaction', async () => {
    const chain = createTradeChain()
    chain.fill(SELL)
    chain.buyBack(7n, 100n, 4_000_000n)
    const [trade] = (await readTradeHistory(chain.wallet())).trades
    expect(trade).toMatchObject({ side: 'short', state: 'closed', profit: 6_000_000n, closedAt: 1_002 })
    expect(trade?.events.map(({ kind, blockNumber }) => [kind, blockNumber])).toEqual([
      ['wrote', 1n],
      ['bought', 2n],
      ['closed', 2n],
    ])
  })

  test('has claims after settlement, and what can still be claimed', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    chain.fill({ ...SELL, seriesId: 8n })
    chain.settle(200_000n)
    chain.claimPayout(7n, 100n)
    expect((await readTradeHistory(chain.wallet())).trades).toMatchObject([
      { seriesId: '7', state: 'claimed', paidOut: 20_000_000n, profit: 10_000_000n },
      { seriesId: '8', state: 'claimable', claimable: 100n * (MAX_PAYOFF - 200_000n) },
    ])
  })

  test('has a price only once no one can take it back', async () => {
    const chain = createTradeChain({ optionType: 'put' })
    chain.fill(BUY)
    const stateAt = async (finalAt: bigint) => {
      chain.settle(200_000n, finalAt)
      return (await readTradeHistory(chain.wallet())).trades.map(({ state, option }) => [state, option])
    }
    const put = { optionType: 'put', strikeBps: 4_500 }
    // The newest block is of second 1001.
    expect(await stateAt(1_002n)).toEqual([['open', put]])
    expect(await stateAt(1_001n)).toEqual([['claimable', put]])
  })

  test('has the legs of packages', async () => {
    const legs = [
      { optionType: 'call', strikeBps: 4_000 as StrikeBps, quantity: 1 },
      { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 },
    ] as const
    const chain = createTradeChain({ legs })
    chain.fill(BUY)
    expect((await readTradeHistory(chain.wallet())).trades).toMatchObject([{ option: { legs } }])
  })

  test('asks for the times of blocks only where the node does not send them with the events', async () => {
    const blocksAskedFor = async (hasTimes: boolean) => {
      const chain = createTradeChain({ hasTimes })
      chain.fill(BUY)
      chain.fill(BUY)
      const { trades } = await readTradeHistory(chain.wallet())
      expect(trades[0]?.events.map(({ time }) => time)).toEqual([1_001, 1_002])
      return chain.asked.filter((method) => method === 'eth_getBlockByNumber').length
    }
    // The newest block is always read.
    expect([await blocksAskedFor(true), await blocksAskedFor(false)]).toEqual([1, 3])
  })

  test('since a day has the trades with an event from then on, whole, and reads no further back than they go', async () => {
    const chain = createTradeChain({ spacing: 10_000n })
    chain.fill({ ...BUY, seriesId: 9n })
    chain.fill({ ...SELL, seriesId: 9n, delivered: 100n })
    chain.fill({ ...BUY, seriesId: 8n })
    chain.fill(BUY)
    chain.fill({ ...SELL, delivered: 50n, amount: 50n })
    chain.pass(1_000n)
    const { trades, isComplete } = await readTradeHistory(chain.wallet(), { since: 1_000 + 50_000 })
    expect(trades).toMatchObject([{ seriesId: '7', amount: 100n, openedAt: 41_000, profit: 5_000_000n }])
    expect(isComplete).toBe(true)
    expect(chain.asked.filter((method) => method === 'eth_getLogs').length / 3).toBe(2)
  })

  test('on a node that keeps few events, knows the profit of trades that began since, and says that others are missing', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    chain.pass(1_000n)
    chain.fill({ ...SELL, delivered: 100n })
    chain.fill({ ...BUY, seriesId: 8n })
    chain.fill({ ...SELL, seriesId: 8n, delivered: 100n, premium: 11_000_000n })
    chain.limit(2n)
    const { trades, isComplete } = await readTradeHistory(chain.wallet())
    expect(trades).toMatchObject([
      { seriesId: '8', profit: 1_000_000n },
      { seriesId: '7', received: 10_000_000n, profit: null, cost: null },
    ])
    expect(isComplete).toBe(false)
  })

  test('rejects with the reason of its signal', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    const reason = new Error('enough')
    await expect(readTradeHistory(chain.wallet(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('has the questions of markets where the relay answers, and is whole without it', async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    const { trades } = await readTradeHistory(chain.wallet())
    const market = { conditionId: '0x01', yesTokenId: '5' } as const
    const known = {
      listSeries: async () => [{ ...market, seriesId: '7' } as never],
      listMarkets: async () => [{ ...market, name: 'Will it rain?' } as never],
    }
    expect(await withMarkets(trades, known)).toMatchObject([{ seriesId: '7', market: 'Will it rain?' }])
    const gone = { ...known, listMarkets: () => Promise.reject(new Error('no relay')) }
    expect(await withMarkets(trades, gone)).toMatchObject([{ seriesId: '7', market: null }])
  })

  test("is of the client's own wallet, or of another one without its key", async () => {
    const chain = createTradeChain()
    chain.fill(BUY)
    const publicActions = { listSeries: async () => [], listMarkets: async () => [] }
    const { getTradeHistory } = createWalletActions({ wallet: async () => chain.wallet(), publicActions })
    expect(await getTradeHistory()).toMatchObject({ trades: [{ seriesId: '7', market: null }], isComplete: true })
    expect((await getTradeHistory({ since: 2_000 })).trades).toEqual([])
    const stranger = '0x7777777777777777777777777777777777777777'
    expect(await getTradeHistory({ wallet: stranger })).toEqual({ trades: [], isComplete: true })
  })

  test('has profits that, less the cost of what is left, are the stablecoin that moved, to the micro-dollar', async () => {
    const action = fc.record({
      kind: fc.constantFrom(
        'fill',
        'fill',
        'fill',
        'close',
        'buyBack',
        'send',
        'receive',
        'moveShort',
        'takeShort',
        'deposit',
      ),
      seriesId: fc.constantFrom(7n, 8n),
      count: fc.bigInt(1n, 1_000n),
      price: fc.bigInt(0n, MAX_PAYOFF),
      feeBps: fc.bigInt(0n, 500n),
      share: fc.bigInt(0n, 100n),
      isMaker: fc.boolean(),
      isBuyer: fc.boolean(),
      isSigned: fc.boolean(),
      isTogether: fc.boolean(),
    })
    const actions = fc.array(action, { maxLength: 20 })
    const claims = fc.array(fc.record({ seriesId: fc.constantFrom(7n, 8n), share: fc.bigInt(1n, 100n) }), {
      maxLength: 4,
    })
    const settled = fc.record({ payoff: fc.bigInt(0n, MAX_PAYOFF), claims })
    await fc.assert(
      fc.asyncProperty(actions, fc.option(settled), async (actions, settled) => {
        const chain = createTradeChain()
        let fees = 0n
        let wasFill = false
        for (const { kind, seriesId, count, price, feeBps, share, ...how } of actions) {
          const { long, short } = chain.heldIn(seriesId)
          const least = (...counts: bigint[]) => counts.reduce((a, b) => (a < b ? a : b))
          // An odd premium has to be divided among options that are delivered and written.
          const premium = least(count * price + 1n, count * MAX_PAYOFF)
          const fee = (premium * feeBps) / 10_000n
          const isTogether = how.isTogether && wasFill
          wasFill = kind === 'fill'
          if (kind === 'fill') {
            const delivered = how.isBuyer ? (count * share) / 100n : least((count * share) / 100n, long)
            chain.fill({ ...how, seriesId, amount: count, premium, fee, delivered, isTogether })
            if (!how.isMaker) fees += fee
          }
          if (kind === 'deposit') chain.deposit(count)
          if (kind === 'receive') chain.send(OTHER, WALLET, seriesId, count)
          if (kind === 'takeShort') chain.moveShort(OTHER, WALLET, seriesId, count)
          const [both, held, written] = [least(count, long, short), least(count, long), least(count, short)]
          if (kind === 'close' && both > 0n) chain.close(seriesId, both)
          if (kind === 'buyBack' && written > 0n) chain.buyBack(seriesId, written, written * price)
          if (kind === 'send' && held > 0n) chain.send(WALLET, OTHER, seriesId, held)
          if (kind === 'moveShort' && written > 0n) chain.moveShort(WALLET, OTHER, seriesId, written)
        }
        if (settled !== null) chain.settle(settled.payoff)
        for (const { seriesId, share } of settled?.claims ?? []) {
          const claimed = (chain.heldIn(seriesId).long * share) / 100n
          if (claimed > 0n) chain.claimPayout(seriesId, claimed)
          else if (chain.heldIn(seriesId).short > 0n) chain.claimCollateral(seriesId)
        }
        const { trades, isComplete } = await readTradeHistory(chain.wallet())
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
        expect(isComplete).toBe(true)
        expect(sum(trades.map(({ profit, cost }) => (profit as bigint) - (cost as bigint)))).toBe(chain.flow())
        expect(sum(trades.map(({ paid, received }) => received - paid))).toBe(chain.flow())
        expect(sum(trades.map((trade) => trade.fees))).toBe(fees)
        for (const seriesId of [7n, 8n]) {
          const open = trades.filter((trade) => trade.seriesId === String(seriesId) && trade.closedAt === null)
          const { long, short } = chain.heldIn(seriesId)
          expect(open.map((trade) => [trade.long, trade.short])).toEqual(long + short === 0n ? [] : [[long, short]])
        }
      }),
      { numRuns: 100 },
    )
  })
})
