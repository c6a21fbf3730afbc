import type { Run } from '../cli.ts'
import { publicClient } from '../clients.ts'
import { dataDirOf } from '../data-dir.ts'
import { findNote } from '../notes.ts'
import { bookJson, bookLine } from '../show-trade.ts'
import type { RelayOptions } from '../where.ts'

/** Shows the best quote once. */
export const run: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findNote(dataDirOf(cli, options), text)
  const book = await publicClient(cli, options).getBestQuote({ request, signal: cli.stop })
  cli.out.print({ ...bookJson(request.requestId, book), confirming: book.confirming }, bookLine(book, cli.out.paint))
}
