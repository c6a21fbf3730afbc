import { join, resolve } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { stopped } from '@rfqctl/lib/stop'
import { createSystemClock } from '@rfqctl/relay/adapters/clock'
import { createLog } from '@rfqctl/relay/adapters/log'
import { resolutionSignerOf } from '@rfqctl/relay/adapters/signing'
import { startSigner } from '@rfqctl/relay/app/start-signer'
import type { Run } from '../cli.ts'
import { openAccount, refusePublicKey, type SameAccountOptions } from '../context/account.ts'
import { type ChainOptions, dataDirOf, settingValues, tradingChain } from '../context/targets.ts'
import { isService, logToStderr } from '../serve/serve.ts'

type Options = ChainOptions & SameAccountOptions & { socket?: string; groupAccess?: true }

export const serve: Run<Options> = async (cli, options) => {
  const values = settingValues(cli)
  if (isService(cli)) logToStderr(cli, values.LOG_LEVEL)
  const { account: name = null, keyFile, keyStdin } = options
  if (name === null && keyFile === undefined && keyStdin !== true) {
    throw new CliError('no key given', { hint: '--account NAME, --key-file PATH or --key-stdin' })
  }
  const { rpcUrl, stablecoinAddress, chainId, settlementAddress, coreAddress } = tradingChain(cli, options)
  if (stablecoinAddress === null) throw new CliError('the stablecoin is unknown', { hint: 'set STABLECOIN_ADDRESS' })
  const { account } = await openAccount(cli, { ...options, account: name ?? '' })
  await refusePublicKey(account.address, rpcUrl, options)
  const dataDir = dataDirOf(cli, options)
  const socket = resolve(cli.cwd, options.socket ?? values.RESOLUTION_SIGNER_SOCKET ?? join(dataDir, 'signer.sock'))
  const running = await startSigner({
    signer: resolutionSignerOf(account),
    rpcUrl,
    environment: { chainId, settlementAddress, coreAddress, stablecoinAddress },
    socket,
    isForGroup: options.groupAccess === true,
    dataDir,
    maxValidityS: values.SIGNER_MAX_VALIDITY_S,
    clock: createSystemClock(),
    log: createLog({ level: values.LOG_LEVEL }),
  })
  cli.out.print(
    { type: 'signer', resolutionSigner: account.address, socket },
    `the signer is ready: it signs as ${account.address} at ${socket}`,
  )
  cli.out.note(`Next: RESOLUTION_SIGNER_SOCKET=${socket} rfqctl serve`)
  await stopped(cli.stop)
  await running.close()
}
