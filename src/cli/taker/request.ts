import { contracts, type Trade, type Usd6 } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { publicClient } from '../context/clients.ts'
import type { RelayOptions } from '../context/targets.ts'
import { openRequest, requestJson, requestLines } from './open-request.ts'

type Options = RelayOptions & AccountOptions & { budget?: Usd6; size?: number }

/** Asks all makers for quotes and keeps what the next commands need. */
export const run: Run<Options, [series: string]> = async (cli, options, text) => {
  const opened = await openRequest(cli, options, {
    client: publicClient(cli, options),
    series: text,
    trade: tradeOf(options),
  })
  cli.out.print(requestJson(opened.request), requestLines(opened, cli.out))
  cli.out.note('Next: rfqctl taker watch, rfqctl taker commit')
}

function tradeOf({ budget, size }: Options): Trade {
  if (budget !== undefined) return { side: 'buy', budget }
  if (size !== undefined) return { side: 'sell', size: contracts(BigInt(size)) }
  throw new CliError('no amount given', { hint: '--budget USD to buy, --size COUNT to sell' })
}
