import { accountOf, newPrivateKey } from '../../client/from-text.ts'
import { createMakerClient, createTakerClient, type MakerClient } from '../../client/index.ts'
import type { Address } from '../../domain/units.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type ChainOptions, type RelayOptions, relayUrl, sandboxOf } from '../context/targets.ts'
import { listKept } from '../wallet/keystores.ts'

type Options = RelayOptions & ChainOptions & AccountOptions

/** The contracts of simulated mode (decision C12). */
const NO_CONTRACT: Address = '0x0000000000000000000000000000000000000000'

/**
 * The maker that quotes and signs while a relay is timed: of the sandbox, or with a wallet that was brought along. In
 * simulated mode nothing can be filled, so that a wallet of the moment will do; the key is `RFQCTL_API_KEY`.
 * Refuses with `no_wallet` where quotes must be backed by funds and there is no wallet.
 */
export async function openMaker(cli: Cli, options: Options): Promise<MakerClient> {
  if (hasWallet(cli, options)) return (await makerClient(cli, options)).client
  const url = relayUrl(cli, options)
  const { mode, chainId } = await createTakerClient({ url }).getRelayInfo({ signal: cli.stop })
  if (mode === 'simulated') {
    const chain = { chainId, settlementAddress: NO_CONTRACT, coreAddress: NO_CONTRACT, transport: undefined }
    const apiKey = cli.environment.RFQCTL_API_KEY ?? null
    return createMakerClient({ url, apiKey, account: accountOf(newPrivateKey()), chain })
  }
  throw new CliError(`quotes on ${url} must be backed by funds, but there is no wallet here`, {
    code: 'no_wallet',
    exitCode: EXIT.notFound,
    why: [`there is no sandbox in ${dataDirOf(cli, options)}`],
    hint: 'pass a funded wallet with --key-file PATH or --key-stdin, and its maker key in RFQCTL_API_KEY',
  })
}

const hasWallet = (cli: Cli, options: Options): boolean =>
  options.keyFile !== undefined ||
  options.keyStdin === true ||
  sandboxOf(cli, options) !== null ||
  listKept(dataDirOf(cli, options)).length > 0
