import type { RequestTerms, ShownQuote, TakerClient, TakerRequest } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Cli } from '../cli.ts'
import { priceText } from '../terminal/format.ts'

/**
 * The quote that a commit without limits of its own goes by: the best one, or, where that fills less than half of what is
 * asked, the best one that fills half. A taker is told when the two differ, and when no quote fills half. Null: no quote.
 */
export async function chooseQuote(
  cli: Cli,
  { client, request }: { client: Pick<TakerClient, 'getBestQuote'>; request: TakerRequest },
): Promise<ShownQuote | null> {
  const { bestQuote, bestForSize } = await client.getBestQuote({ request, signal: cli.stop })
  if (bestQuote === null) return null
  const wanted = wantedAt(request.terms, bestQuote)
  if (bestQuote.fillContracts * 2n >= wanted) return bestQuote
  const small = `${safeText(bestQuote.makerId)} fills only ${bestQuote.fillContracts} of ${wanted} at ${priceText(bestQuote.price)}`
  if (bestForSize === null) {
    cli.out.note(`${small}: the rest of the budget is not spent`)
    return bestQuote
  }
  const { price, fillContracts, makerId } = bestForSize
  cli.out.note(
    `${small}; choosing ${priceText(price)} for ${fillContracts} by ${safeText(makerId)} (change this with --limit and --min)`,
  )
  return bestForSize
}

const wantedAt = ({ trade }: RequestTerms, { price }: ShownQuote): bigint =>
  trade.side === 'buy' ? trade.budget / price : trade.size
