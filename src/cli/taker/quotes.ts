import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findNote } from '../context/notes.ts'
import type { RelayOptions } from '../context/where.ts'
import { bookJson, bookLine } from '../show/show-trade.ts'

/** Shows the best quote once. */
export const run: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findNote(dataDirOf(cli, options), text)
  const book = await publicClient(cli, options).getBestQuote({ request, signal: cli.stop })
  cli.out.print({ ...bookJson(request.requestId, book), confirming: book.confirming }, bookLine(book, cli.out.paint))
}
