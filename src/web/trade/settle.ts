import { computeMaxPayoff, computePayoff, type Hex, type SeriesId, usd6 } from '@rfqctl/client/index'
import { fixingKey } from '@rfqctl/protocol/domain/series'
import { runTask, type SessionContext } from './context.ts'
import { readClocks } from './follow.ts'
import { chainNow } from './view-model.ts'

export const settle = (context: SessionContext, seriesId: SeriesId): Promise<void> =>
  runTask(context, `settle:${seriesId}`, async ({ step }) => {
    const { signal } = context
    const trader = context.traderFor((hash) => step('sent', hash))
    const prepared = await trader.prepareSettlement({ seriesId, signal })
    step('wallet')
    const { transactionHash: hash } = await trader.settleSeries({ prepared, signal })
    await Promise.all(siblingsOf(context, seriesId).map((sibling) => readSeries(context, sibling)))
    return { kind: 'settled', prepared, hash }
  })

export const claim = (context: SessionContext, seriesId: SeriesId): Promise<void> =>
  runTask(context, `claim:${seriesId}`, async ({ step }) => {
    const { signal } = context
    const trader = context.traderFor((hash) => step('sent', hash))
    const [[position], series] = await Promise.all([
      trader.listPositions({ seriesIds: [seriesId], signal }),
      trader.getSeries({ seriesId, signal }),
    ])
    const payout = series.resolutionBps === null ? null : computePayoff(series, series.resolutionBps)
    // Without a final price the claim is sent all the same: the chain says why it does not pay.
    const paysHolder = position !== undefined && position.long > 0n && payout !== 0n
    const paysWriter = position !== undefined && position.short > 0n && payout !== computeMaxPayoff(series)
    if (!paysHolder && !paysWriter) throw new Error('This series owes the wallet nothing.')
    step('wallet')
    const held = paysHolder ? await trader.claimHolderPayout({ seriesId, signal }) : null
    if (held !== null && paysWriter) step('wallet')
    const written = paysWriter ? await trader.claimWriterCollateral({ seriesId, signal }) : null
    const claims = [held, written].flatMap((each) => each ?? [])
    const hashes = claims.map(({ receipt }): Hex => receipt.transactionHash)
    return { kind: 'claimed', paid: usd6(claims.reduce((sum, { paid }) => sum + paid, 0n)), hashes }
  })

/** One price settles all series of a market and expiry. */
function siblingsOf(context: SessionContext, seriesId: SeriesId): SeriesId[] {
  const list = context.get().series ?? []
  const settled = list.find((series) => series.seriesId === seriesId)
  if (settled === undefined) return [seriesId]
  return list.filter((series) => fixingKey(series) === fixingKey(settled)).map((series) => series.seriesId)
}

/** Reads one series at once, long before the next round of all. */
async function readSeries({ reader, dispatch, signal }: SessionContext, seriesId: SeriesId): Promise<void> {
  const series = await reader()
    .getSeries({ seriesId, signal })
    .catch(() => null)
  if (series !== null && !signal.aborted) dispatch({ kind: 'series-read', series })
}

/** Moves the sandbox's chain to a time, Unix seconds; by default just past the selected expiry. */
export const warpTo = (context: SessionContext, time: number | undefined): Promise<void> =>
  runTask(context, 'warp', async () => {
    const state = context.get()
    const target = time ?? (state.ticket.expiry === null ? null : state.ticket.expiry + 1)
    if (target === null) throw new Error('Choose an expiry.')
    const seconds = Math.ceil(target - chainNow(state) / 1_000)
    if (seconds < 1) throw new Error('The chain is past that time.')
    const chainTime = await context.reader().warp({ seconds, signal: context.signal })
    await readClocks(context, { isAfterWarp: true })
    return { kind: 'warped', chainTime }
  })

export const requestFunds = (context: SessionContext): Promise<void> =>
  runTask(context, 'faucet', async () => {
    const wallet = context.wallet()
    if (wallet === null) throw new Error('Connect a wallet first.')
    const { signal } = context
    const { amount, txHash: hash } = await context.reader().requestFaucetFunds({ wallet: wallet.address, signal })
    return { kind: 'funded', amount, hash }
  })
