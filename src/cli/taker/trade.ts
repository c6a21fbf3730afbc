import { type Address, contracts, type ShownQuote, type TakerClient, type Trade, type Usd6 } from '@rfqctl/client/index'
import { requestJson } from '@rfqctl/client/to-json'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, plural } from '@rfqctl/lib/format'
import { isReduceOnly } from '@rfqctl/protocol/domain/request'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { isSimulated, takerClient, walletClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { createBookPrinter } from '../show/show-trade.ts'
import { assertGas, commitSavedRequest, type ProtectionOptions } from './commit.ts'
import { type FillOptions, fillSavedRequest } from './fill.ts'
import { leaveRequest } from './left-open.ts'
import { partnerIn } from './partner.ts'
import { openRelayer } from './relay.ts'
import {
  type AudienceOptions,
  type ChooseSeries,
  type Opened,
  openRequest,
  requestLines,
  seriesNamed,
} from './request.ts'

export const buy: Run<TradeOptions & { budget: Usd6 }, [series: string]> = (cli, options, series) =>
  runTrade(cli, options, { choose: seriesNamed(series), trade: { side: 'buy', budget: options.budget } })

export const sell: Run<TradeOptions & { size: number }, [series: string]> = (cli, options, series) =>
  runTrade(cli, options, {
    choose: seriesNamed(series),
    trade: { side: 'sell', size: contracts(BigInt(options.size)) },
  })

export type TradeOptions = RelayOptions &
  ChainOptions &
  AccountOptions &
  ProtectionOptions &
  AudienceOptions &
  FillOptions & { wait: number; fill?: boolean }

/** Milliseconds; makers that have not answered by then do not want to. */
const FIRST_QUOTE_MS = 5_000

/**
 * `wallet` is set where makers and the relay need to know it. `registers`: choosing the series may take a transaction.
 * `confirm` gets the best quote before the commit.
 */
type TradeInput = {
  choose: ChooseSeries
  trade: Trade
  wallet?: Address
  registers?: boolean
  confirm?: (shown: Pick<ShownQuote, 'price' | 'fillContracts'>) => Promise<void>
}

export async function runTrade(
  cli: Cli,
  options: TradeOptions,
  { choose, trade, wallet, registers = false, confirm }: TradeInput,
): Promise<void> {
  assertPossible(options, trade)
  partnerIn(options)
  const fills = (options.fill === true || options.relayer !== undefined) && !isSimulated(cli, options)
  const sends = fills || (registers && !isSimulated(cli, options))
  const { client } = sends ? await walletClient(cli, options) : await takerClient(cli, options)
  const relayer = fills && !isReduceOnly(trade) ? await openRelayer(cli, options) : null
  if (fills && relayer === null) await assertGas(client, cli.stop)
  const opened = await openRequest(cli, options, { client, choose, trade, ...(wallet === undefined ? {} : { wallet }) })
  const { request, saved } = opened
  cli.out.print(requestJson(request), requestLines(opened, cli.out))
  try {
    const best = await quoted(cli, { client, opened, waitMs: options.wait })
    await confirm?.(best)
    const committed = await commitSavedRequest(cli, options, { client, saved })
    if (fills) await fillSavedRequest(cli, options, { client, saved: committed, relayer })
    else if (committed.commitment.onchain !== null) cli.out.note('Next: rfqctl taker fill')
  } catch (error) {
    await leaveRequest(cli, options, { requestId: request.requestId, client })
    throw error
  }
}

/** Fails early where no quote could satisfy the limits. */
function assertPossible({ min }: ProtectionOptions, trade: Trade): void {
  const most = trade.side === 'buy' ? (trade.most ?? null) : trade.size
  if (min === undefined || most === null || BigInt(min) <= most) return
  throw new CliError(`--min ${min} is more than the ${most} options that are asked for`, {
    hint: `pass --min ${most} or less`,
  })
}

/** Waits for makers to improve on the first quote, and prints each better one. */
async function quoted(
  cli: Cli,
  { client, opened: { request }, waitMs }: { client: TakerClient; opened: Opened; waitMs: number },
): Promise<ShownQuote> {
  const { requestId, makersConnected } = request
  if (makersConnected === 0) throw noMakerQuoted(['no maker is connected'], 'start makers: rfqctl maker simulate')
  let best: ShownQuote | null = null
  const show = createBookPrinter(cli.out, requestId)
  await runFor(FIRST_QUOTE_MS, cli.stop, async (signal, endIn) => {
    for await (const book of client.watchBestQuote({ request, signal })) {
      if (best === null && book.bestQuote !== null) endIn(waitMs)
      best = book.bestQuote
      show(book)
    }
  })
  const shown = best as ShownQuote | null
  if (shown !== null) return shown
  const waited = `${plural(makersConnected, 'maker')} had ${duration(FIRST_QUOTE_MS)}`
  const isSale = request.terms.trade.side === 'sell'
  throw noMakerQuoted(isSale ? [waited, NO_BID] : [waited], 'try another series: rfqctl series list')
}

/** Simulated makers price in ticks of a strike's scale, so there may be an ask but no bid. */
const NO_BID = 'makers bid at least $0.0001, and do not buy an option worth less'

const noMakerQuoted = (why: readonly string[], hint: string): CliError =>
  new CliError('no maker quoted', { code: 'no_valid_quotes', why, hint })
