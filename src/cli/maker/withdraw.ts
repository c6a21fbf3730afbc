import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { OwnQuote } from '../../wire/maker-book.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { findByPrefix } from '../context/find-by-prefix.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { plural, priceText, shortId } from '../terminal/format.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { all?: boolean }

/** Withdraws one live quote of this maker, or all of them. */
export const run: Run<Options, [quote?: string]> = async (cli, options, text) => {
  const { client } = await makerClient(cli, options)
  const { quotes } = await client.getOwnBook({ signal: cli.stop })
  const chosen = options.all ? quotes : [chooseQuote(quotes, text)]
  for (const { quoteId, requestId, price, size } of chosen) {
    await client.withdrawQuote({ quoteId, signal: cli.stop })
    cli.out.print(
      { type: 'withdrawn', requestId, quoteId },
      `withdrew quote ${shortId(quoteId)}: ${priceText(price)} for up to ${size}`,
    )
  }
  if (options.all && quotes.length === 0) cli.out.note('no live quotes to withdraw')
}

/** The quote whose quoteId or requestId starts with `text`; without a text, the only one. Refuses a choice that is not unique. */
function chooseQuote(quotes: readonly OwnQuote[], text: string | undefined): OwnQuote {
  if (text === undefined) return onlyQuote(quotes)
  const ofRequest = quotes.find(({ requestId }) => requestId === text)
  const isByRequest = !quotes.some(({ quoteId }) => quoteId.startsWith(text))
  const idOf = ({ quoteId, requestId }: OwnQuote) => (isByRequest ? requestId : quoteId)
  return ofRequest ?? findByPrefix(text, { noun: 'live quote', items: quotes, idOf, list: 'rfqctl maker status' })
}

function onlyQuote(quotes: readonly OwnQuote[]): OwnQuote {
  const [only, other] = quotes
  if (only !== undefined && other === undefined) return only
  if (only === undefined) {
    throw new CliError('this maker has no live quote', {
      code: 'not_found',
      exitCode: EXIT.notFound,
      hint: 'rfqctl maker status',
    })
  }
  throw new CliError(`this maker has ${plural(quotes.length, 'live quote')}`, {
    code: 'ambiguous',
    why: quotes.slice(0, 5).map(({ quoteId, requestId }) => `quote ${quoteId} of request ${requestId}`),
    hint: 'name one of them, or withdraw all with --all',
  })
}
