import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'
import { bookJson, bookLine } from '../show/show-trade.ts'

/** Shows the best quote once. */
export const run: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findSavedRequest(dataDirOf(cli, options), text)
  const book = await publicClient(cli, options).getBestQuote({ request, signal: cli.stop })
  cli.out.print({ ...bookJson(request.requestId, book), confirming: book.confirming }, bookLine(book, cli.out.colors))
}
