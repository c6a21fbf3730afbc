import { runMakerBot } from '@rfqctl/agents/bots/maker-bot'
import { MAKER_STYLES } from '@rfqctl/agents/bots/style'
import { accountOf } from '@rfqctl/client/from-text'
import { contracts, createTakerClient, type ListedSeries, type MarketSummary, usd6 } from '@rfqctl/client/index'
import { plural, usd } from '@rfqctl/lib/format'
import type { Reporter } from '../scenario.ts'
import { createBalanceChecks, readSnapshot, type Snapshot } from './balances.ts'
import { chooseSeries } from './choose-series.ts'
import { type DemoContext, openDemo } from './open-demo.ts'
import { expire, settleTrades } from './settle.ts'
import { makeTrade, type Offered, type TradePlan } from './trade.ts'

const BUDGET = usd6(250_000_000n)
const SIZE = contracts(300n)
const SPREAD_BUDGET = usd6(100_000_000n)
const STYLES = ['requoting', 'tight', 'wide'] as const

/**
 * Makes one trade of each side and one in a package on fresh embedded parts, from request to payout, and checks every
 * number on the chain. `onOffer` shows a package's payoff before it is traded, `onBalances` every account before and
 * after. Throws a `CliError` `demo_mismatch` at the first wrong number.
 */
export async function runDemo(input: {
  cwd: string
  stop: AbortSignal
  reporter: Reporter
  onOffer: (offer: Offered) => void
  onBalances: (balances: { before: Snapshot; after: Snapshot }) => void
}): Promise<void> {
  const { cwd, stop, reporter, onOffer, onBalances } = input
  const end = new AbortController()
  const signal = AbortSignal.any([stop, end.signal])
  reporter.chapter('A chain, contracts, a relay')
  const context = await openDemo({ cwd, stop, reporter, signal })
  try {
    const { url, rpcUrl, chain } = context
    const sentence = `the relay serves on ${url}, its chain on ${rpcUrl}`
    reporter.event('started', { url, rpcUrl, settlement: chain.settlementAddress, core: chain.coreAddress }, sentence)
    const makers = runMakers(context)
    // A maker that breaks ends the demo: it is a bug, like a wrong number.
    makers.catch((fault: unknown) => end.abort(fault))
    const plans = await planTrades(context)
    const all = plans.map(({ series }) => series.seriesId)
    for (const taker of new Set(plans.map((plan) => plan.taker))) {
      const { amount } = await createTakerClient({ url }).requestFaucetFunds({ wallet: taker.address, signal })
      reporter.event('funded', { wallet: taker.address, amount }, `the faucet gives ${taker.name} ${usd(amount)}`)
    }
    const checks = createBalanceChecks()
    const parts = { context, checks, all, onOffer }
    const before = await readSnapshot(context, all)
    const trades = []
    for (const plan of plans) {
      await reporter.pause()
      reporter.chapter(plan.title)
      trades.push(await makeTrade(parts, plan))
    }
    await reporter.pause()
    reporter.chapter('Expiry and settlement')
    await expire(context, trades)
    await settleTrades(parts, trades)
    await reporter.pause()
    reporter.chapter('Every account before and after, as read from the chain')
    const balances = { before, after: await readSnapshot(context, all) }
    checks.totals(balances)
    onBalances(balances)
    end.abort()
    await makers
    const count = checks.count()
    reporter.event('done', { ok: true, checks: count }, `${plural(count, 'number')} checked on the chain, all exact`)
  } finally {
    end.abort()
    await context.close()
  }
}

/** Three makers with their own wallets and keys, on the public protocol like any stranger. */
async function runMakers({ url, wsUrl, chain, makers, spot, signal }: DemoContext): Promise<void> {
  await Promise.all(
    STYLES.map(async (style, index) => {
      const wallet = makers[index]
      if (wallet === undefined) throw new Error('The sandbox has too few maker wallets.')
      const maker = { url, wsUrl, apiKey: wallet.apiKey ?? null, account: accountOf(wallet.privateKey), chain }
      await runMakerBot({ maker, style: MAKER_STYLES[style], seed: index + 1, spot, signal })
    }),
  )
}

/** A call to buy, a put of another market to write, and a call spread to buy. */
async function planTrades({ url, takers, spot, chainTime }: DemoContext): Promise<readonly TradePlan[]> {
  const client = createTakerClient({ url })
  const [series, markets, now] = await Promise.all([
    client.listSeries({ settled: false }),
    client.listMarkets(),
    chainTime(),
  ])
  const spots = new Map<string, number>()
  for (const { yesTokenId } of series) spots.set(yesTokenId, await spot(yesTokenId, now * 1_000))
  const { call, put, spread } = chooseSeries(series, { spots, now })
  const [buyer, seller] = takers
  if (buyer === undefined || seller === undefined) throw new Error('The sandbox has too few taker wallets.')
  const plans: Omit<TradePlan, 'question'>[] = [
    { title: 'A taker buys a call', taker: buyer, series: call, trade: { side: 'buy', budget: BUDGET } },
    { title: 'A taker writes a put', taker: seller, series: put, trade: { side: 'sell', size: SIZE } },
    {
      title: 'A taker buys a call spread',
      taker: buyer,
      series: spread,
      trade: { side: 'buy', budget: SPREAD_BUDGET },
    },
  ]
  return plans.map((plan) => ({ ...plan, question: questionOf(markets, plan.series) }))
}

const questionOf = (markets: readonly MarketSummary[], { conditionId }: ListedSeries): string =>
  markets.find((market) => market.conditionId === conditionId)?.name ?? ''
