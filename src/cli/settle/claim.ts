import { type Claim, usd6, usd6ToNumber } from '../../client/index.ts'
import { maxPayoff, payoff } from '../../domain/option.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { usd } from '../../lib/format.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows, type SeriesRow } from '../show/series-listing.ts'

type Claimed = { series: SeriesRow; kind: 'payout' | 'collateral'; claim: Claim }

/** Collects what settled series owe a wallet: payouts to holders, what is left of their collateral to writers. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [series?: string]> = async (cli, options, text) => {
  const { client, owner } = await walletClient(cli, options)
  const { rows } = await listSeriesRows(cli, options, client)
  const wanted = text === undefined ? rows.filter(({ state }) => state === 'settled') : [findSeriesRow(rows, text)]
  const positions = await client.listPositions({ seriesIds: wanted.map(({ seriesId }) => seriesId), signal: cli.stop })
  const claimed: Claimed[] = []
  const collect = (series: SeriesRow, kind: Claimed['kind'], claim: Claim | null) => {
    if (claim === null) return
    claimed.push({ series, kind, claim })
    cli.out.print(claimJson({ series, kind, claim }), claimText({ series, kind, claim }))
  }
  for (const series of wanted) {
    const { seriesId } = series
    const position = positions.find((candidate) => candidate.seriesId === seriesId)
    if (position === undefined) continue
    const input = { seriesId, signal: cli.stop }
    const each = dueEach(series)
    if (position.long > 0n && each.payout === 0n) {
      cli.out.note(`${position.long} ${series.name} expired worthless: nothing to collect`)
    } else if (position.long > 0n) collect(series, 'payout', await client.claimHolderPayout(input))
    if (position.short > 0n && each.collateral === 0n) {
      cli.out.note(`${position.short} ${series.name} cost their whole collateral: nothing to collect`)
    } else if (position.short > 0n) collect(series, 'collateral', await client.claimWriterCollateral(input))
  }
  if (claimed.length === 0) throw nothingToClaim(owner.name ?? owner.account.address, wanted.length)
  const total = usd6(claimed.reduce((sum, { claim }) => sum + claim.paid, 0n))
  cli.out.note(
    `${owner.name ?? owner.account.address} received ${usd(total)} and now has ${usd(await client.getBalance())}`,
  )
}

/** What one option pays and what its writer gets back, micro-dollars; null while the series is not settled. */
function dueEach({ optionType, strikeBps, resolutionBps }: SeriesRow): {
  payout: bigint | null
  collateral: bigint | null
} {
  if (resolutionBps === null) return { payout: null, collateral: null }
  const payout = payoff(optionType, strikeBps, resolutionBps)
  return { payout, collateral: maxPayoff(optionType, strikeBps) - payout }
}

const claimJson = ({ series, kind, claim }: Claimed) => ({
  type: 'claim',
  kind,
  seriesId: series.seriesId,
  optionAmount: Number(claim.amount),
  paid: usd6ToNumber(claim.paid),
  txHash: claim.receipt.transactionHash,
})

const claimText = ({ series, kind, claim }: Claimed): string =>
  `${kind} of ${claim.amount} ${series.name}: ${usd(claim.paid)} in ${claim.receipt.transactionHash}`

const nothingToClaim = (owner: string, looked: number): CliError =>
  new CliError(`${owner} has nothing to claim`, {
    code: 'nothing_to_claim',
    exitCode: EXIT.refused,
    why: [looked === 0 ? 'no series is settled' : `it has no position that pays in ${looked} settled series`],
    hint: 'rfqctl taker positions',
  })
