import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { assertGas } from '../context/assert-gas.ts'
import { isSimulated, takerClient, walletClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { findSavedRequest, type SavedRequest } from '../context/saved-requests.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { shortId } from '../terminal/format.ts'
import { commitSavedRequest, type ProtectionOptions } from './commit-request.ts'
import { type FillOptions, fillSavedRequest } from './fill-order.ts'

type Options = RelayOptions & ChainOptions & SameAccountOptions & ProtectionOptions & FillOptions & { fill?: boolean }

/** Takes the best quote, and fills it at once when told to. */
export const run: Run<Options, [request?: string]> = async (cli, typed, text) => {
  const saved = findSavedRequest(dataDirOf(cli, typed), text)
  assertUncommitted(saved)
  const options = { ...typed, account: typed.account ?? saved.account ?? DEFAULT_TAKER }
  const { client } = options.fill ? await walletClient(cli, options) : await takerClient(cli, options)
  if (options.fill && !isSimulated(cli, options)) await assertGas(client, cli.stop)
  const committed = await commitSavedRequest(cli, options, { client, saved })
  if (options.fill) await fillSavedRequest(cli, options, { client, saved: committed })
  else if (committed.commitment.onchain !== null) cli.out.note('Next: rfqctl taker fill')
}

/** The signed order is here already: asking again could only lose it. */
function assertUncommitted({ commitment, fillHash, request }: SavedRequest): void {
  if (commitment === null) return
  throw new CliError(`request ${shortId(request.requestId)} is already committed`, {
    code: 'already_committed',
    exitCode: EXIT.refused,
    hint: fillHash === null && commitment.onchain !== null ? 'rfqctl taker fill' : 'rfqctl taker request',
  })
}
