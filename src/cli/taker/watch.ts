import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findNote } from '../context/notes.ts'
import { until } from '../context/until.ts'
import type { RelayOptions } from '../context/where.ts'
import { createBookPrinter } from '../show/show-trade.ts'
import { noteLost } from '../terminal/note-lost.ts'

/** Shows the best quote whenever it changes, until the request closes or the time is over. */
export const run: Run<RelayOptions & { for?: number }, [request?: string]> = async (cli, options, text) => {
  const { request } = findNote(dataDirOf(cli, options), text)
  const { requestId } = request
  const client = publicClient(cli, options)
  const show = createBookPrinter(cli.out, requestId)
  await until(options.for ?? null, cli.stop, async (signal) => {
    for await (const book of client.watchBestQuote({ request, signal, onLink: noteLost(cli.out) })) show(book)
    cli.out.print({ type: 'closed', requestId }, 'the request is closed')
  })
}
