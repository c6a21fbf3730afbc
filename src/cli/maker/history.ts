import { type MakerClient, usd6ToNumber } from '../../client/index.ts'
import { usd6 } from '../../domain/units.ts'
import type { QuoteOutcome } from '../../wire/maker-history.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { plural, shortId, usd, when } from '../terminal/format.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { since?: number; status?: QuoteOutcome['status'] }

/** Shows how this maker's quotes ended, page by page, oldest first. */
export const run: Run<Options> = async (cli, options) => {
  const { client } = await makerClient(cli, options)
  const now = Date.now()
  let count = 0
  for await (const outcome of outcomesOf(client, options, now, cli.stop)) {
    count += 1
    cli.out.print(outcomeJson(outcome), outcomeLine(outcome, now))
  }
  cli.out.note(count === 0 ? 'no quote of this maker has ended' : plural(count, 'quote'))
}

async function* outcomesOf(
  client: MakerClient,
  { since, status }: Pick<Options, 'since' | 'status'>,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<QuoteOutcome> {
  const filter = { ...(since === undefined ? {} : { since: now - since }), ...(status === undefined ? {} : { status }) }
  let cursor: string | null = null
  do {
    const page = await client.listQuoteOutcomes({ ...filter, ...(cursor === null ? {} : { cursor }), signal })
    yield* page.outcomes
    cursor = page.nextCursor
  } while (cursor !== null)
}

const outcomeJson = (outcome: QuoteOutcome) => ({
  type: 'outcome',
  requestId: outcome.requestId,
  quoteId: outcome.quoteId,
  status: outcome.status,
  at: new Date(outcome.at).toISOString(),
  ...(outcome.status === 'rejected'
    ? { reason: outcome.reason }
    : {
        executionId: outcome.executionId,
        taker: outcome.order.taker,
        makerSelling: outcome.order.makerSelling,
        optionAmount: Number(outcome.order.optionAmount),
        premium: usd6ToNumber(usd6(outcome.order.premiumAmount)),
        nonce: outcome.order.nonce,
      }),
})

function outcomeLine(outcome: QuoteOutcome, now: number): string {
  const head = `${when(outcome.at, now)}  quote ${shortId(outcome.quoteId)}`
  if (outcome.status === 'rejected') return `${head}  rejected: ${outcome.reason.replaceAll('_', ' ')}`
  const { makerSelling, optionAmount, premiumAmount, nonce } = outcome.order
  return `${head}  ${makerSelling ? 'sold' : 'bought'} ${optionAmount} for ${usd(usd6(premiumAmount))}, nonce ${nonce}`
}
