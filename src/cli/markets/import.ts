import { type Authority, getAuthority } from '@rfqctl/client/authority'
import { createContractCalls } from '@rfqctl/client/contract-calls'
import { transportOf } from '@rfqctl/client/from-text'
import { type ChainSetup, computeSeriesId, RelayUnreachableError, type TakerClient } from '@rfqctl/client/index'
import { estimateCallGas, readRegisteredSeries } from '@rfqctl/client/registered-series'
import { optionText, shortId, strike } from '@rfqctl/lib/format'
import { type LeftOut, type PlannedSeries, planListing } from '@rfqctl/protocol/domain/listing'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import { fixingKey, type SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import { ownerIn } from '../chain/authority.ts'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { addressIn } from '../context/address-in.ts'
import { type ChainOptions, type RelayOptions, tradingChain } from '../context/targets.ts'
import { type Draft, nothingToDo, openSender, type SendOptions, sendDraft } from '../send/send.ts'
import { type CollateralOptions, collateralIn } from '../series/collateral.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { marketReader, type RuleOptions } from './listing.ts'

type Options = RelayOptions &
  ChainOptions &
  AccountOptions &
  RuleOptions &
  CollateralOptions & { maxSeries: number; apply?: boolean; calldata?: boolean; safe?: string }

type Row = PlannedSeries & { seriesId: SeriesId; isRegistered: boolean }

/** `due` is registered now, `later` is the number left for the next run, `gas` is for all that is due. */
type ImportPlan = { rows: readonly Row[]; due: readonly Row[]; later: number; gas: bigint; leftOut: readonly LeftOut[] }

/**
 * A dry run without `--apply`. Registered series are never sent again, so the same command resumes an interrupted run.
 */
export const run: Run<Options> = async (cli, options) => {
  const readMarkets = marketReader(cli, options)
  if (options.apply !== true && options.calldata !== true) {
    const { rpcUrl, stablecoinAddress: _, ...contracts } = tradingChain(cli, options)
    const chain = { ...contracts, transport: transportOf(rpcUrl) }
    const authority = await getAuthority(chain)
    const plan = await planImport(options, { markets: await readMarkets(), chain, authority })
    showPlan(cli, plan)
    if (plan.due.length > 0) cli.out.note('nothing was sent; the same command with --apply registers them')
    return
  }
  const { from: _, safe, ...rest } = options
  const send: SendOptions = { ...rest, ...(safe === undefined ? {} : { from: addressIn('--safe', safe) }) }
  const sender = await openSender(cli, send, null)
  const { chain, authority, client } = sender
  const plan = await planImport(options, { markets: await readMarkets(), chain, authority })
  if (options.calldata === true && plan.due.length === 0) throw nothingToDo('every series of the plan is registered')
  if (options.apply === true) showPlan(cli, plan)
  if (plan.due.length > 0)
    await sendDraft(cli, send, {
      sender,
      draft: draftOf(cli, { plan, chain, authority, client, collateral: collateralIn(options) }),
    })
  if (plan.later > 0) cli.out.note(`${plan.later} more are left: run it again, or raise --max-series`)
}

type Known = { chain: ChainSetup; authority: Authority }

async function planImport(
  options: Options,
  { markets, chain, authority }: Known & { markets: Parameters<typeof planListing>[0] },
): Promise<ImportPlan> {
  const rule = { strikes: options.strikes, cadences: options.expiries, optionTypes: options.types }
  const { series, leftOut } = planListing(markets, rule, authority.time)
  const terms = series.map((one) => ({ ...one, seriesId: computeSeriesId(one) }))
  const registered = await readRegisteredSeries(
    chain,
    terms.map(({ seriesId }) => seriesId),
  )
  const rows = terms.map((one) => ({ ...one, isRegistered: registered.has(one.seriesId) }))
  const missing = rows.filter(({ isRegistered }) => !isRegistered)
  const due = missing.slice(0, options.maxSeries)
  return {
    rows,
    due,
    later: missing.length - due.length,
    gas: await gasOf({ rows, due, collateral: collateralIn(options) }, { chain, authority }),
    leftOut,
  }
}

/** An upper bound: the first of a market and expiry costs the most, since it makes their fixing. */
async function gasOf(
  { rows, due, collateral }: { rows: readonly Row[]; due: readonly Row[]; collateral: Address | null },
  { chain, authority }: Known,
): Promise<bigint> {
  const sender = authority.registrar ?? authority.owner.holder
  const first = due.find((one) => !rows.some((row) => row.isRegistered && fixingKey(row) === fixingKey(one))) ?? due[0]
  if (first === undefined || sender === null) return 0n
  const call = createContractCalls(chain).createSeries({ terms: first, collateral })
  return BigInt(due.length) * (await estimateCallGas(chain, call, sender))
}

function showPlan(cli: Cli, { rows, due, later, gas, leftOut }: ImportPlan): void {
  const { out } = cli
  const exist = rows.filter(({ isRegistered }) => isRegistered).length
  const counts = [
    `+ ${due.length} series`,
    ...(due.length === 0 ? [] : [`gas ${gasText(gas)}`]),
    `${exist} ${exist === 1 ? 'exists' : 'exist'}`,
    ...(later === 0 ? [] : [`${later} for the next run`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
  ]
  const shown = [...due, ...rows.filter(({ isRegistered }) => isRegistered)]
  out.print(
    {
      type: 'listing_plan',
      add: due.length,
      exist,
      later,
      gas: Number(gas),
      series: shown.map((row) => ({ ...seriesJson(row), exists: row.isRegistered })),
      leftOut,
    },
    [
      out.colors.bold(counts.join(', ')),
      ...(shown.length === 0 ? [] : tableLines(COLUMNS, shown, out)),
      ...(leftOut.length === 0 ? [] : ['', ...tableLines(LEFT_OUT_COLUMNS, leftOut, out)]),
    ],
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { heading: '', cell: ({ isRegistered }) => (isRegistered ? '=' : '+') },
  { heading: 'TYPE', cell: ({ optionType }) => optionType },
  { heading: 'STRIKE', cell: ({ strikeBps }) => strike(strikeBps), align: 'right' },
  { heading: 'EXPIRY', cell: ({ expiry }) => utcText(expiry * 1_000) },
  { heading: 'QUESTION', cell: ({ question }) => safeText(question) },
]

const LEFT_OUT_COLUMNS: readonly Column<LeftOut>[] = [
  { heading: 'LEFT OUT', cell: ({ conditionId }) => shortId(conditionId) },
  { heading: 'EXPIRY', cell: ({ expiry }) => (expiry === null ? 'all' : utcText(expiry * 1_000)) },
  { heading: 'WHY', cell: ({ reason }) => reason },
  { heading: 'QUESTION', cell: ({ question }) => safeText(question) },
]

const gasText = (gas: bigint): string => (gas < 10_000n ? `${gas}` : `${(gas + 500n) / 1_000n}k`)

const seriesJson = ({ isRegistered: _, ...series }: Row) => series

const titleOf = (row: Row): string =>
  `${optionText(row)} on "${safeText(row.question)}", expires ${utcText(row.expiry * 1_000)}`

function draftOf(
  cli: Cli,
  {
    plan,
    chain,
    authority,
    client,
    collateral,
  }: Known & { plan: ImportPlan; client: TakerClient; collateral: Address | null },
): Draft {
  const { due } = plan
  const calls = createContractCalls(chain)
  const what = `${due.length} series`
  return {
    type: 'series_created',
    act: `register ${what}`,
    holders: [{ role: 'registrar', address: authority.registrar ?? ownerIn(authority).address }, ownerIn(authority)],
    facts: [
      ...due.map((row) => ['series', titleOf(row)] as const),
      ['gas', gasText(plan.gas)],
      ['undone by', 'no one; the guardian or the owner halts it: rfqctl chain halt'],
    ],
    data: { series: due.map(seriesJson) },
    calls: due.map((terms) => calls.createSeries({ terms, collateral })),
    done: `registered ${what}`,
    tell: (index) =>
      due.slice(index, index + 1).map((row) => ({ value: seriesJson(row), text: `registered ${titleOf(row)}` })),
    after: () => showToRelay(cli, client, due),
    asks: false,
  }
}

/** The relay reads an unknown series as soon as it is asked for it. Nothing depends on the answer. */
async function showToRelay({ stop }: Cli, client: TakerClient, due: readonly Row[]): Promise<string> {
  for (const { seriesId } of due) {
    const fault: unknown = await client.getSeries({ seriesId, signal: stop }).catch((error: unknown) => error)
    if (stop.aborted) throw fault
    if (fault instanceof RelayUnreachableError) return 'no relay answers; a relay on this chain will find them'
  }
  return `${due.length} series can be traded`
}
