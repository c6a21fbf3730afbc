import { runMakerBot } from '../../bots/maker-bot.ts'
import { MAKER_STYLES } from '../../bots/style.ts'
import { accountOf } from '../../client/from-text.ts'
import { contracts, createTakerClient, type ListedSeries, type MarketSummary, usd6 } from '../../client/index.ts'
import { plural, usd } from '../../lib/format.ts'
import type { Run } from '../cli.ts'
import { readSnapshot } from './accounts.ts'
import { tellBalances } from './balances.ts'
import { chooseSeries } from './choose-series.ts'
import { createNarrator, createPause } from './narrator.ts'
import { openStage } from './open-stage.ts'
import { expire, settleTrade } from './settle.ts'
import { chainOf, type Stage } from './stage.ts'
import { liveTrade, type Plot } from './trade.ts'

const BUDGET = usd6(250_000_000n)
const SIZE = contracts(300n)
const STYLES = ['requoting', 'tight', 'wide'] as const

/**
 * Lives one trade of each side on fresh embedded parts, from request to payout, and checks every number on the chain.
 * Exit code 0 says that all of them matched.
 */
export const run: Run<{ speed: number }> = async (cli, { speed }) => {
  const { out } = cli
  const narrator = createNarrator(out, { pause: createPause(speed, cli.stop) })
  const end = new AbortController()
  const signal = AbortSignal.any([cli.stop, end.signal])
  narrator.chapter('A chain, contracts, a relay')
  const stage = await openStage(cli)
  try {
    narrator.tell(
      'started',
      { url: stage.url, rpcUrl: stage.rpcUrl, settlement: stage.settlementAddress, core: stage.coreAddress },
      `the relay serves on ${stage.url}, its chain on ${stage.rpcUrl}`,
    )
    const bots = startMakers(stage, signal)
    // A maker that breaks ends the story: it is a bug, like a wrong number.
    bots.catch((fault: unknown) => end.abort(fault))
    const plots = await choosePlots(stage)
    const all = plots.map(({ series }) => series.seriesId)
    const scene = { stage, narrator, signal, all }
    for (const { taker } of plots) {
      const { amount } = await createTakerClient({ url: stage.url }).requestFaucetFunds({
        wallet: taker.address,
        signal,
      })
      narrator.tell('funded', { wallet: taker.address, amount }, `the faucet gives ${taker.name} ${usd(amount)}`)
    }
    const before = await readSnapshot(stage, all)
    const trades = []
    for (const plot of plots) {
      await narrator.pause()
      narrator.chapter(plot.trade.side === 'buy' ? 'A taker buys a call' : 'A taker writes a put')
      trades.push(await liveTrade(scene, plot))
    }
    await narrator.pause()
    narrator.chapter('Expiry and settlement')
    await expire(scene, trades)
    for (const trade of trades) await settleTrade(scene, trade)
    await narrator.pause()
    narrator.chapter('Every account before and after, as read from the chain')
    tellBalances(out, narrator, { before, after: await readSnapshot(stage, all) })
    end.abort()
    await bots
    const checks = narrator.checked()
    narrator.tell('done', { ok: true, checks }, `${plural(checks, 'number')} checked on the chain, all exact`)
  } finally {
    end.abort()
    await stage.stop()
  }
}

/** Three makers with wallets and keys of their own, on the public protocol like any stranger. */
async function startMakers(stage: Stage, signal: AbortSignal): Promise<void> {
  const chain = chainOf(stage)
  await Promise.all(
    STYLES.map(async (style, index) => {
      const wallet = stage.makers[index]
      if (wallet === undefined) throw new Error('The sandbox has too few maker wallets.')
      const { url, wsUrl, spot } = stage
      const maker = { url, wsUrl, apiKey: wallet.apiKey ?? null, account: accountOf(wallet.privateKey), chain }
      await runMakerBot({ maker, style: MAKER_STYLES[style], seed: index + 1, spot, signal })
    }),
  )
}

/** A call to buy and a put to write, of two markets. */
async function choosePlots(stage: Stage): Promise<readonly Plot[]> {
  const client = createTakerClient({ url: stage.url })
  const [series, markets, now] = await Promise.all([
    client.listSeries({ settled: false }),
    client.listMarkets(),
    stage.chainTime(),
  ])
  const spots = new Map<string, number>()
  for (const { yesTokenId } of series) spots.set(yesTokenId, await stage.spot(yesTokenId, now * 1_000))
  const { call, put } = chooseSeries(series, { spots, now })
  const [buyer, seller] = stage.takers
  if (buyer === undefined || seller === undefined) throw new Error('The sandbox has too few taker wallets.')
  return [
    { taker: buyer, series: call, question: questionOf(markets, call), trade: { side: 'buy', budget: BUDGET } },
    { taker: seller, series: put, question: questionOf(markets, put), trade: { side: 'sell', size: SIZE } },
  ]
}

const questionOf = (markets: readonly MarketSummary[], { conditionId }: ListedSeries): string =>
  markets.find((market) => market.conditionId === conditionId)?.name ?? ''
