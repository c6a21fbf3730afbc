import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'
import { shortId } from '../terminal/format.ts'

/** Withdraws a request; its makers are told. */
export const run: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findSavedRequest(dataDirOf(cli, options), text)
  await publicClient(cli, options).cancelQuoteRequest({ request, signal: cli.stop })
  const { requestId } = request
  cli.out.print({ type: 'cancelled', requestId }, `request ${shortId(requestId)} is cancelled`)
}
