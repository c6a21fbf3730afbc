import { accountOf } from '@rfqctl/client/from-text'
import { computePayoff, createTakerClient, type SeriesId, type TakerClient } from '@rfqctl/client/index'
import { duration, exactUsd, optionText, resolution } from '@rfqctl/lib/format'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { fixingKey } from '@rfqctl/protocol/domain/series'
import { type ResolutionBps, usd6 } from '@rfqctl/protocol/domain/units'
import { type BalanceChecks, CORE, readSnapshot } from './balances.ts'
import type { DemoContext } from './open-demo.ts'
import type { FilledTrade } from './trade.ts'

export async function expire({ reporter, chainTime: readTime, warp }: DemoContext, trades: readonly FilledTrade[]) {
  const last = Math.max(...trades.map(({ series }) => series.expiry))
  const seconds = Math.max(0, last - (await readTime()))
  const chainTime = await warp(seconds)
  const sentence = `chain time moves forward by ${duration(seconds * 1_000)}: all series have expired`
  reporter.event('expired', { chainTime, warpedS: seconds }, sentence)
}

/** Settles and claims one trade after the other. A price is of a market and an expiry, so series that share both settle once. */
export async function settleTrades(parts: Parts, trades: readonly FilledTrade[]): Promise<void> {
  const prices = new Map<string, ResolutionBps>()
  for (const trade of trades) {
    const key = fixingKey(trade.series)
    const known = prices.get(key)
    const resolutionBps =
      known === undefined ? await settle(parts.context, trade) : await showPrice(parts.context, trade, known)
    prices.set(key, resolutionBps)
    await claim(parts, { trade, resolutionBps })
  }
}

type Parts = { context: DemoContext; checks: BalanceChecks; all: readonly SeriesId[] }

/** Returns the price in basis points. */
async function settle(context: DemoContext, { series, taker }: FilledTrade): Promise<ResolutionBps> {
  const { reporter, signal } = context
  const { seriesId } = series
  const anyone = clientOf(context, taker)
  const prepared = await anyone.prepareSettlement({ seriesId, signal })
  const { resolutionBps } = prepared.attestation
  const { method, twap, pointCount } = prepared.meta
  const by =
    method === 'twap' ? `the average of ${pointCount} prices, ${twap.toFixed(4)}` : `the market's final ${method}`
  reporter.event(
    'prepared',
    { attestation: prepared.attestation, signature: prepared.signature, domain: prepared.domain, meta: prepared.meta },
    `${optionText(series)}: the relay attests ${resolution(resolutionBps)}, ${by}`,
  )
  await reporter.pause()
  const { transactionHash } = await anyone.settleSeries({ prepared, signal })
  reporter.event('settled', { seriesId, tx: transactionHash }, `${taker} settles it on chain, as anyone could`)
  await reporter.pause()
  return resolutionBps
}

async function showPrice(
  { reporter }: DemoContext,
  { series }: FilledTrade,
  resolutionBps: ResolutionBps,
): Promise<ResolutionBps> {
  const sentence = `${optionText(series)}: its market and expiry have the price ${resolution(resolutionBps)} already`
  reporter.event('priced', { seriesId: series.seriesId, resolutionBps }, sentence)
  await reporter.pause()
  return resolutionBps
}

async function claim(
  { context, checks, all }: Parts,
  { trade, resolutionBps }: { trade: FilledTrade; resolutionBps: ResolutionBps },
): Promise<void> {
  const { reporter, signal } = context
  const { series, holder, writer, amount } = trade
  const { seriesId } = series
  const before = await readSnapshot(context, all)
  await clientOf(context, holder).claimHolderPayout({ seriesId, signal })
  await clientOf(context, writer).claimWriterCollateral({ seriesId, signal })
  const paid = usd6(computePayoff(series, resolutionBps) * amount)
  const returned = usd6(maxPayoff(series) * amount - paid)
  checks.movements({
    before,
    after: await readSnapshot(context, all),
    seriesId,
    movements: {
      [holder]: { usd: paid, long: -amount },
      [writer]: { usd: returned, short: -amount },
      [CORE]: { usd: -(paid + returned) },
    },
  })
  const sentence = `${holder} is paid ${exactUsd(paid)}, ${writer} gets ${exactUsd(returned)} of its collateral back`
  reporter.event('claimed', { seriesId, holder, payout: paid, writer, returned }, sentence)
}

function clientOf({ url, chain, makers, takers }: DemoContext, name: string): TakerClient {
  const wallet = [...takers, ...makers].find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new Error(`No account is named ${name}.`)
  return createTakerClient({ url, account: accountOf(wallet.privateKey), chain })
}
