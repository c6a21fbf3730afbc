import { resolve } from 'node:path'
import type { ChainSetup } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import type { Address } from '@rfqctl/protocol/domain/units'
import { readSandbox, type Sandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Values } from '@rfqctl/relay/config/definitions'
import { staticMakerKeys } from '@rfqctl/relay/config/maker-keys'
import { collectSettings } from '@rfqctl/relay/config/sources'
import type { Cli } from '../cli.ts'

export type RelayOptions = { url?: string; dataDir?: string }

export type ChainOptions = { rpc?: string; dataDir?: string }

export type TradingChain = Omit<ChainSetup, 'transport' | 'pollingIntervalMs'> & {
  rpcUrl: string
  stablecoinAddress: Address | null
}

/** Order: `--url`, `RFQCTL_URL`, the sandbox, the default. */
export function relayUrl(cli: Cli, options: RelayOptions): string {
  const url = options.url ?? cli.environment.RFQCTL_URL ?? sandboxOf(cli, options)?.url ?? cli.defaults.relayUrl
  if (/^https?:\/\/\S+$/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  throw new CliError('the address of the relay is not an http(s) URL', { hint: `--url ${cli.defaults.relayUrl}` })
}

export const sandboxOf = (cli: Cli, options: { dataDir?: string }): Sandbox | null =>
  readSandbox(dataDirOf(cli, options))

/** For commands about a chain alone: defaults to the address of `rfqctl chain start`. */
export const devRpcUrl = (cli: Cli, options: ChainOptions): string =>
  sandboxOf(cli, options) === null
    ? rpcUrl(cli, { rpc: options.rpc ?? settingValues(cli).RPC_URL ?? cli.defaults.rpcUrl })
    : rpcUrl(cli, options)

/** Order: `--rpc`, the settings, the sandbox. */
function rpcUrl(cli: Cli, options: ChainOptions): string {
  const sandbox = sandboxOf(cli, options)
  const url = options.rpc ?? settingValues(cli).RPC_URL ?? sandbox?.rpcUrl ?? null
  if (url === null) throw noChain(sandbox)
  if (/^https?:\/\/\S+$/.test(url) && URL.canParse(url)) return url
  throw new CliError('the address of the chain is not an http(s) URL', { hint: `--rpc ${cli.defaults.rpcUrl}` })
}

/** Contracts come from the settings, else from the sandbox, never from the relay. */
export function tradingChain(cli: Cli, options: ChainOptions): TradingChain {
  const { values, origins } = collectSettings({ flags: {}, environment: cli.environment, cwd: cli.cwd })
  const sandbox = sandboxOf(cli, options)
  const settlementAddress = values.SETTLEMENT_ADDRESS ?? sandbox?.settlementAddress
  const coreAddress = values.CORE_ADDRESS ?? sandbox?.coreAddress
  const url = rpcUrl(cli, options)
  if (settlementAddress === undefined || coreAddress === undefined) {
    throw new CliError('the addresses of the contracts are unknown', {
      why: [`there is no sandbox in ${dataDirOf(cli, options)}`],
      hint: 'set SETTLEMENT_ADDRESS and CORE_ADDRESS',
    })
  }
  return {
    rpcUrl: url,
    chainId: origins.CHAIN_ID === 'default' ? (sandbox?.chainId ?? values.CHAIN_ID) : values.CHAIN_ID,
    settlementAddress,
    coreAddress,
    stablecoinAddress: values.STABLECOIN_ADDRESS ?? sandbox?.stablecoinAddress ?? null,
  }
}

/** From the environment and the settings file, without flags. */
export const settingValues = ({ environment, cwd }: Pick<Cli, 'environment' | 'cwd'>): Values =>
  collectSettings({ flags: {}, environment, cwd }).values

function noChain(sandbox: Sandbox | null): CliError {
  if (sandbox === null)
    return new CliError('no chain given', { exitCode: EXIT.notFound, hint: 'rfqctl up, or --rpc URL' })
  return new CliError('the relay runs in simulated mode: there is no chain', {
    code: 'simulated',
    hint: 'start it with a chain: rfqctl serve',
  })
}

/** Absolute. `--data-dir`, else the directory that `serve` would use here. */
export function dataDirOf(
  { environment, cwd }: Pick<Cli, 'environment' | 'cwd'>,
  { dataDir }: { dataDir?: string },
): string {
  const flags = dataDir === undefined ? {} : { DATA_DIR: dataDir }
  return resolve(cwd, collectSettings({ flags, environment, cwd }).values.DATA_DIR)
}

/** The sandbox file has no configured keys: makers get them in turn, as in `serve`. */
export function withConfiguredKeys(cli: Cli, sandbox: Sandbox): Sandbox {
  const values = settingValues(cli)
  const keys = staticMakerKeys(values.MAKER_API_KEYS, values.MAKER_API_KEY)
  const makers = sandbox.makers.map((maker, index) => ({
    ...maker,
    apiKey: maker.apiKey ?? keys[index]?.apiKey ?? null,
  }))
  return { ...sandbox, makers }
}
