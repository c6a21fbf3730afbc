import { DEFAULT_TAKER, type SameAccountOptions } from '../account.ts'
import type { Run } from '../cli.ts'
import { takerClient, walletClient } from '../clients.ts'
import { dataDirOf } from '../data-dir.ts'
import { findNote } from '../notes.ts'
import { commitNote, type ProtectionOptions } from '../taker/commit.ts'
import { type FillOptions, fillNote } from '../taker/fill.ts'
import type { ChainOptions, RelayOptions } from '../where.ts'

type Options = RelayOptions & ChainOptions & SameAccountOptions & ProtectionOptions & FillOptions & { fill?: boolean }

/** Takes the best quote, and fills it at once when told to. */
export const run: Run<Options, [request?: string]> = async (cli, typed, text) => {
  const note = findNote(dataDirOf(cli, typed), text)
  const options = { ...typed, account: typed.account ?? note.account ?? DEFAULT_TAKER }
  const { client } = options.fill ? await walletClient(cli, options) : await takerClient(cli, options)
  const committed = await commitNote(cli, options, { client, note })
  if (options.fill) await fillNote(cli, options, { client, note: committed })
  else if (committed.commitment.onchain !== null) cli.out.note('Next: rfqctl taker fill')
}
