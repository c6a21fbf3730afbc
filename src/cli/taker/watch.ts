import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { runFor } from '../context/run-for.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'
import { createBookPrinter } from '../show/show-trade.ts'
import { noteConnection } from '../terminal/output.ts'

/** Shows the best quote whenever it changes, until the request closes or the time is over. */
export const run: Run<RelayOptions & { for?: number }, [request?: string]> = async (cli, options, text) => {
  const { request } = findSavedRequest(dataDirOf(cli, options), text)
  const { requestId } = request
  const client = publicClient(cli, options)
  const show = createBookPrinter(cli.out, requestId)
  await runFor(options.for ?? null, cli.stop, async (signal) => {
    for await (const book of client.watchBestQuote({ request, signal, onLink: noteConnection(cli.out) })) show(book)
    cli.out.print({ type: 'closed', requestId }, 'the request is closed')
  })
}
