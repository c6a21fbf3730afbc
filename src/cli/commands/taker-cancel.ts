import type { Run } from '../cli.ts'
import { publicClient } from '../clients.ts'
import { dataDirOf } from '../data-dir.ts'
import { shortId } from '../format.ts'
import { findNote } from '../notes.ts'
import type { RelayOptions } from '../where.ts'

/** Withdraws a request; its makers are told. */
export const run: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findNote(dataDirOf(cli, options), text)
  await publicClient(cli, options).cancelQuoteRequest({ request, signal: cli.stop })
  const { requestId } = request
  cli.out.print({ type: 'cancelled', requestId }, `request ${shortId(requestId)} is cancelled`)
}
