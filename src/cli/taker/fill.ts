import type { Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { type FillOptions, fillSavedRequest } from './fill-order.ts'

/** Approves and fills a trade that was committed before. */
export const run: Run<RelayOptions & ChainOptions & SameAccountOptions & FillOptions, [request?: string]> = async (
  cli,
  typed,
  text,
) => {
  const saved = findSavedRequest(dataDirOf(cli, typed), text)
  const options = { ...typed, account: typed.account ?? saved.account ?? DEFAULT_TAKER }
  const { client } = await walletClient(cli, options)
  await fillSavedRequest(cli, options, { client, saved })
  cli.out.note('Next: rfqctl taker positions')
}
