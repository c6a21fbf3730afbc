import { accountOf } from '../../client/from-text.ts'
import { computePayoff, createTakerClient, type TakerClient } from '../../client/index.ts'
import { maxPayoff } from '../../domain/option.ts'
import { usd6 } from '../../domain/units.ts'
import { optionWords, resolution, usd } from '../../lib/format.ts'
import { CORE, checkMovements, readSnapshot } from './accounts.ts'
import type { Narrator } from './narrator.ts'
import { chainOf, type Stage } from './stage.ts'
import type { LivedTrade } from './trade.ts'

type Scene = { stage: Stage; narrator: Narrator; signal: AbortSignal; all: readonly string[] }

/** Moves the chain to the moment when every traded series has expired. */
export async function expire({ stage, narrator }: Scene, trades: readonly LivedTrade[]): Promise<void> {
  const last = Math.max(...trades.map(({ series }) => series.expiry))
  const seconds = Math.max(0, last - (await stage.chainTime()))
  const chainTime = await stage.warp(seconds)
  narrator.tell(
    'expired',
    { chainTime, warpedS: seconds },
    `chain time moves forward by ${seconds} s: both series have expired`,
  )
}

/** Settles a series and pays both of its sides out, checking each movement on the chain. */
export async function settleTrade(scene: Scene, trade: LivedTrade): Promise<void> {
  const { stage, narrator, signal, all } = scene
  const { series, holder, writer, amount } = trade
  const { seriesId, optionType, strikeBps } = series
  const anyone = clientOf(stage, trade.taker)
  const prepared = await anyone.prepareSettlement({ seriesId, signal })
  const { resolutionBps } = prepared.attestation
  const { method, twap, pointCount } = prepared.meta
  const by =
    method === 'twap' ? `the average of ${pointCount} prices, ${twap.toFixed(4)}` : `the market's final ${method}`
  narrator.tell(
    'prepared',
    { attestation: prepared.attestation, signature: prepared.signature, domain: prepared.domain, meta: prepared.meta },
    `${optionWords(series)}: the relay attests ${resolution(resolutionBps)}, ${by}`,
  )
  await narrator.pause()
  const { transactionHash } = await anyone.settleSeries({ prepared, signal })
  narrator.tell('settled', { seriesId, tx: transactionHash }, `${trade.taker} settles it on chain, as anyone could`)
  await narrator.pause()

  const before = await readSnapshot(stage, all)
  await clientOf(stage, holder).claimHolderPayout({ seriesId, signal })
  await clientOf(stage, writer).claimWriterCollateral({ seriesId, signal })
  const paid = usd6(computePayoff(optionType, strikeBps, resolutionBps) * amount)
  const returned = usd6(maxPayoff(optionType, strikeBps) * amount - paid)
  checkMovements(narrator, {
    before,
    after: await readSnapshot(stage, all),
    seriesId,
    movements: {
      [holder]: { usd: paid, long: -amount },
      [writer]: { usd: returned, short: -amount },
      [CORE]: { usd: -(paid + returned) },
    },
  })
  narrator.tell(
    'claimed',
    { seriesId, holder, payout: paid, writer, returned },
    `${holder} is paid ${usd(paid)}, ${writer} gets ${usd(returned)} of its collateral back`,
  )
}

function clientOf(stage: Stage, name: string): TakerClient {
  const wallet = [...stage.takers, ...stage.makers].find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new Error(`No account is named ${name}.`)
  return createTakerClient({ url: stage.url, account: accountOf(wallet.privateKey), chain: chainOf(stage) })
}
