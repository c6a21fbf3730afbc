import { type PreparedSettlement, RelayError, type TakerClient } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, plural, resolution, when } from '@rfqctl/lib/format'
import { groupBy } from '@rfqctl/lib/group-by'
import { isPackage, payoff } from '@rfqctl/protocol/domain/option'
import { fixingKey } from '@rfqctl/protocol/domain/series'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { publicClient, walletClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { describeFailure, exitOfRelay, withoutEnvelope } from '../errors/describe-failure.ts'
import { listSeriesRows, type SeriesRow, seriesText } from '../show/series-listing.ts'

/** Gets signed resolutions, of one series or of all that wait. */
export const prepare: Run<RelayOptions, [series?: string]> = async (cli, options, text) => {
  const client = publicClient(cli, options)
  const act = async (series: SeriesRow) => {
    const prepared = await prepareSeries(cli, { client, series })
    cli.out.print(preparedJson(prepared), preparedText(series, prepared))
  }
  await forEachDue(cli, options, { client, text, act })
  cli.out.note('Next: rfqctl settle submit')
}

/** The chain settles these series forever: one transaction for all of a market and expiry. */
export const submit: Run<RelayOptions & ChainOptions & AccountOptions, [series?: string]> = async (
  cli,
  options,
  text,
) => {
  const { client } = await walletClient(cli, options)
  const all: { series: SeriesRow; prepared: PreparedSettlement }[] = []
  const act = async (series: SeriesRow) => {
    all.push({ series, prepared: await prepareSeries(cli, { client, series }) })
  }
  await forEachDue(cli, options, { client, text, act })
  for (const [first, ...siblings] of groupBy(all, ({ series }) => fixingKey(series)).values()) {
    if (first === undefined) continue
    const { transactionHash } = await client.settleSeries({ prepared: first.prepared, signal: cli.stop })
    for (const { series, prepared } of [first, ...siblings]) {
      cli.out.print(
        { ...preparedJson(prepared), type: 'settled', txHash: transactionHash },
        `${cli.out.colors.green('settled')} ${preparedText(series, prepared)}`,
      )
    }
  }
  cli.out.note('Next: rfqctl claim')
}

/**
 * Applies `act` to the named series, or to all expired and unsettled ones. Of all, a series that waits for a person is
 * reported and does not stop the others; if all do, the command fails with that.
 */
async function forEachDue(
  cli: Cli,
  options: ChainOptions,
  { client, text, act }: { client: TakerClient; text: string | undefined; act: (series: SeriesRow) => Promise<void> },
): Promise<void> {
  const due = await dueSeries(cli, options, { client, text })
  let waiting = 0
  for (const series of due) {
    try {
      await act(series)
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'manual_review') throw error
      waiting += 1
      if (waiting === due.length) throw error
      const { seriesId, name } = series
      const { code, message } = error
      cli.out.advise({ type: 'waiting', seriesId, code, message }, `${cli.out.colors.yellow(name)}  ${message}`)
    }
  }
}

/** Without a name, all that expired and are not settled. */
async function dueSeries(
  cli: Cli,
  options: ChainOptions,
  { client, text }: { client: TakerClient; text: string | undefined },
): Promise<SeriesRow[]> {
  const { rows, now, find } = await listSeriesRows(cli, options, client)
  if (text !== undefined) return [find(text)]
  const due = rows.filter(({ state }) => state === 'expired')
  if (due.length > 0) return due
  const next = rows.filter(({ state }) => state === 'open').map(({ expiry }) => expiry * 1_000)
  throw new CliError('no series waits for settlement', {
    code: 'nothing_due',
    why: next.length === 0 ? ['no series is open'] : [`the next one expires ${when(Math.min(...next), now)}`],
    ...(next.length === 0
      ? {}
      : { hint: `move a local chain there: rfqctl chain warp ${Math.ceil((Math.min(...next) - now) / 60_000)}m` }),
  })
}

/** Sends `SETTLEMENT_API_KEY` where it is set. A refusal names its series. */
async function prepareSeries(
  cli: Cli,
  { client, series }: { client: TakerClient; series: SeriesRow },
): Promise<PreparedSettlement> {
  try {
    return await client.prepareSettlement({
      seriesId: series.seriesId,
      signal: cli.stop,
      settlementKey: cli.environment.SETTLEMENT_API_KEY || undefined,
    })
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    const { hint } = describeFailure(error)
    throw new CliError(error.message, {
      code: error.code,
      exitCode: exitOfRelay(error),
      why: [`series ${series.name}, ${seriesText(series)}`],
      hint,
      data: withoutEnvelope(error.data),
      cause: error,
    })
  }
}

const preparedJson = ({ attestation, signature, meta, domain }: PreparedSettlement) => ({
  type: 'attestation',
  ...attestation,
  signature,
  meta,
  domain,
})

function preparedText(series: SeriesRow, { attestation, meta }: PreparedSettlement): string {
  const { name } = series
  const source =
    meta.method === 'twap' ? `TWAP ${meta.twap.toFixed(4)} of ${plural(meta.pointCount, 'point')}` : meta.method
  const pays = exactUsd(payoff(series, attestation.resolutionBps))
  return `${name}  resolved at ${resolution(attestation.resolutionBps)} (${source}): ${isPackage(series) ? 'the package' : series.optionType} pays ${pays} each`
}
