import { join, resolve } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { stopped } from '@rfqctl/lib/stop'
import { createSystemClock } from '@rfqctl/relay/adapters/clock'
import { createLog } from '@rfqctl/relay/adapters/log'
import { resolutionSignerOf } from '@rfqctl/relay/adapters/signing'
import { type SignerSources, startSigner } from '@rfqctl/relay/app/start-signer'
import type { Values } from '@rfqctl/relay/config/definitions'
import { isProduction } from '@rfqctl/relay/config/environment'
import { averageOf } from '@rfqctl/relay/config/settings'
import type { Cli, Run } from '../cli.ts'
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
  const socket = resolve(cli.cwd, options.socket ?? ownSocket(values) ?? join(dataDir, 'signer.sock'))
  const sources = signerSources(cli, values)
  const running = await startSigner({
    signer: resolutionSignerOf(account),
    rpcUrl,
    environment: { chainId, settlementAddress, coreAddress, stablecoinAddress },
    socket,
    isForGroup: options.groupAccess === true,
    dataDir,
    maxValidityS: values.SIGNER_MAX_VALIDITY_S,
    sources,
    clock: createSystemClock(),
    log: createLog({ level: values.LOG_LEVEL }),
  })
  cli.out.print({ type: 'signer', resolutionSigner: account.address, socket, checksPrices: sources !== null }, [
    `the signer is ready: it signs as ${account.address} at ${socket}`,
    sources === null
      ? 'it signs the first price that it is given for a market and expiry: it has no sources of its own'
      : 'it checks each price by MARKETS_URL and PRICE_HISTORY_URL, to a cent',
  ])
  cli.out.note(`Next: RESOLUTION_SIGNER_SOCKET=${socket} rfqctl serve`)
  await stopped(cli.stop)
  await running.close()
}

/** With several, each signer has to be given its own. */
function ownSocket({ RESOLUTION_SIGNER_SOCKET: sockets }: Values): string | undefined {
  if (sockets === null || sockets.length === 1) return sockets?.[0]
  throw new CliError('RESOLUTION_SIGNER_SOCKET names several sockets', {
    exitCode: EXIT.usage,
    hint: 'pass the one of this signer with --socket PATH',
  })
}

/** A relay in production needs sources, too; without them a signer believes whatever price it is given. */
function signerSources(cli: Cli, values: Values): SignerSources | null {
  const { MARKETS_URL: marketsUrl, PRICE_HISTORY_URL: historyUrl, ALLOW_FIXTURES } = values
  if (marketsUrl !== null && historyUrl !== null) return { marketsUrl, historyUrl, ...averageOf(values) }
  const missing = ['MARKETS_URL', 'PRICE_HISTORY_URL']
    .filter((name) => values[name as keyof Values] === null)
    .join(', ')
  const why = 'without it the signer signs whatever price the relay gives it'
  if (isProduction(cli.environment) && !ALLOW_FIXTURES) {
    throw new CliError('a signer in production needs sources of its own', {
      code: 'bad_settings',
      why: [`${missing} is not set: ${why}`],
      hint: 'set both, or ALLOW_FIXTURES=true',
    })
  }
  cli.out.advise(
    { type: 'warning', warning: `${missing} is not set: ${why}` },
    `${cli.out.colors.yellow('warning:')} ${missing} is not set: ${why}`,
  )
  return null
}
