import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { shortId } from '../terminal/format.ts'
import { findPending } from './pending.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { reason?: string; wait?: number }

/** Refuses to sign, so that the taker goes on to the next maker at once. */
export const run: Run<Options, [quote?: string]> = async (cli, options, text) => {
  const { client } = await makerClient(cli, options)
  const { quoteId, requestId } = await findPending(cli, client, { text, waitMs: options.wait ?? null })
  const { reason } = options
  await client.declineOrder({ quoteId, signal: cli.stop, ...(reason === undefined ? {} : { reason }) })
  cli.out.print({ type: 'declined', requestId, quoteId, reason: reason ?? null }, `declined quote ${shortId(quoteId)}`)
}
