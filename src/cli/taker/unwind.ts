import { contracts, type TakerClient, type Trade, usd6 } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { optionText, plural, usd } from '@rfqctl/lib/format'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import type { Cli, Run } from '../cli.ts'
import { isSimulated, walletClient } from '../context/clients.ts'
import { assertYes, nothingToDo } from '../send/send.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import { type CloseOptions, close } from './close.ts'
import { runTrade } from './trade.ts'

/** Milliseconds for makers to improve on the first quote. */
const WAIT_MS = 2_000

/**
 * Options both held and written are netted without a counterparty; the rest is sold, or bought and closed, at the best
 * quote and in one transaction.
 */
export const closeOrTrade: Run<CloseOptions, [series?: string]> = async (cli, options, text) => {
  if (text === undefined || options.calldata === true || options.to !== undefined || isSimulated(cli, options))
    return close(cli, options, text)
  const { client, owner } = await walletClient(cli, options)
  const { find } = await listSeriesRows(cli, options, client)
  const series = find(text)
  const [position] = await client.listPositions({ seriesIds: [series.seriesId], signal: cli.stop })
  const { long, short } = position ?? { long: 0n, short: 0n }
  if (long > 0n && short > 0n) return close(cli, options, text)
  const has = long + short
  if (has === 0n) throw nothingToDo(`the wallet has no ${optionText(series)}`)
  const amount = contracts(options.amount === undefined ? has : BigInt(options.amount))
  if (amount > has) {
    throw new CliError(`only ${plural(Number(has), 'option')} can be closed`, {
      code: 'position_too_small',
      why: [long > 0n ? 'the wallet holds no more' : 'the wallet has written no more'],
    })
  }
  if (long > 0n) await letSell(cli, client)
  await runTrade(
    cli,
    { ...options, wait: WAIT_MS, fill: true },
    {
      choose: () => series,
      trade: tradeOf(series, { amount, isSale: long > 0n }),
      wallet: owner.account.address,
      confirm: ({ price, fillContracts }) => {
        const [verb, total] = [long > 0n ? 'sell' : 'buy back', usd(usd6(price * fillContracts))]
        return assertYes(cli, options, { act: `${verb} ${fillContracts} ${optionText(series)} for ${total}` })
      },
    },
  )
}

/** A purchase's budget is the options' max payoff: its quote says what it costs. */
const tradeOf = (
  series: SeriesRow,
  { amount, isSale }: { amount: ReturnType<typeof contracts>; isSale: boolean },
): Trade =>
  isSale
    ? { side: 'sell', size: amount, reduceOnly: true }
    : { side: 'buy', budget: usd6(amount * maxPayoff(series)), reduceOnly: true, most: amount }

/** Once per wallet, for everything it sells. */
async function letSell(cli: Cli, client: TakerClient): Promise<void> {
  const receipt = await client.approveInventory({ signal: cli.stop })
  if (receipt !== null) cli.out.note(`the settlement contract may move your options now: ${receipt.transactionHash}`)
}
