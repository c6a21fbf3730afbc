import type { AccountOptions } from '../account.ts'
import type { Run } from '../cli.ts'
import { walletClient } from '../clients.ts'
import { dataDirOf } from '../data-dir.ts'
import { findNote } from '../notes.ts'
import { fillNote } from '../taker/fill.ts'
import type { ChainOptions, RelayOptions } from '../where.ts'

/** Approves and fills a trade that was committed before. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [request?: string]> = async (
  cli,
  options,
  text,
) => {
  const note = findNote(dataDirOf(cli, options), text)
  const { client } = await walletClient(cli, options)
  await fillNote(cli, options, { client, note })
  cli.out.note('Next: rfqctl taker positions')
}
