import { type Usd6, usd6ToNumber } from '../../client/index.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { isSimulated, makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { duration, plural, priceText, shortId, usd, when } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'

/** Above this an allowance is as good as without limit: there are not that many dollars. */
const NO_LIMIT = 10n ** 24n

/** Shows what a maker can pay and what it has on offer. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions> = async (cli, options) => {
  const { maker, client } = await makerClient(cli, options)
  const { quotes, pending } = await client.getOwnBook({ signal: cli.stop })
  const funds = isSimulated(cli, options) ? null : await readFunds(client)
  const { address } = maker.account
  const now = Date.now()
  cli.out.print(
    {
      type: 'maker_status',
      wallet: address,
      balance: funds === null ? null : usd6ToNumber(funds.balance),
      coreAllowance: funds === null ? null : allowanceJson(funds.core),
      settlementAllowance: funds === null ? null : allowanceJson(funds.settlement),
      quotes: quotes.map((quote) => ({
        ...quote,
        price: usd6ToNumber(quote.price),
        size: Number(quote.size),
        expiresAt: new Date(quote.expiresAt).toISOString(),
      })),
      pending: pending.map(({ requestId, quoteId, deadline }) => ({
        requestId,
        quoteId,
        confirmationDeadline: new Date(deadline).toISOString(),
      })),
    },
    [
      ...factLines(
        [
          ['wallet', address],
          ...(funds === null
            ? ([['balance', 'none: simulated mode']] as const)
            : ([
                ['balance', usd(funds.balance)],
                ['core may draw', `${allowanceWords(funds.core)} as collateral, when you sell`],
                ['settlement may draw', `${allowanceWords(funds.settlement)} as premium, when you buy`],
              ] as const)),
          ['live', plural(quotes.length, 'quote')],
          ['to sign', plural(pending.length, 'order')],
        ],
        cli.out.colors,
      ),
      ...quotes.map((quote) => `  ${shortId(quote.requestId)}  ${priceText(quote.price)} for up to ${quote.size}`),
      ...pending.map(
        ({ quoteId, deadline }) =>
          `  quote ${shortId(quoteId)} must be signed ${when(deadline, now)} (${duration(deadline - now)})`,
      ),
    ],
  )
}

type Funds = { balance: Usd6; core: Usd6; settlement: Usd6 }

async function readFunds(client: {
  getBalance: () => Promise<Usd6>
  getAllowance: (spender: 'core' | 'settlement') => Promise<Usd6>
}): Promise<Funds> {
  const [balance, core, settlement] = await Promise.all([
    client.getBalance(),
    client.getAllowance('core'),
    client.getAllowance('settlement'),
  ])
  return { balance, core, settlement }
}

const allowanceJson = (amount: Usd6): number | 'unlimited' => (amount >= NO_LIMIT ? 'unlimited' : usd6ToNumber(amount))

const allowanceWords = (amount: Usd6): string => (amount >= NO_LIMIT ? 'without limit' : usd(amount))
