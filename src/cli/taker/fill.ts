import type { Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findNote } from '../context/notes.ts'
import type { ChainOptions, RelayOptions } from '../context/where.ts'
import { type FillOptions, fillNote } from './fill-order.ts'

/** Approves and fills a trade that was committed before. */
export const run: Run<RelayOptions & ChainOptions & SameAccountOptions & FillOptions, [request?: string]> = async (
  cli,
  typed,
  text,
) => {
  const note = findNote(dataDirOf(cli, typed), text)
  const options = { ...typed, account: typed.account ?? note.account ?? DEFAULT_TAKER }
  const { client } = await walletClient(cli, options)
  await fillNote(cli, options, { client, note })
  cli.out.note('Next: rfqctl taker positions')
}
