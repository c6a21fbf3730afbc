import { transportOf } from '@rfqctl/client/from-text'
import { type ChainSetup, createMakerClient, createTakerClient, type TakerClient } from '@rfqctl/client/index'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Sandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { type AccountOptions, openAccount, type PublicKeyOptions, refusePublicKey } from './account.ts'
import { addressIn } from './address-in.ts'
import { type ChainOptions, type RelayOptions, relayUrl, sandboxOf, tradingChain } from './targets.ts'

/** Quick enough for a local chain, where a transaction is mined in milliseconds. */
const POLLING_INTERVAL_MS = 50

export const publicClient = (cli: Cli, options: RelayOptions): TakerClient =>
  createTakerClient({ url: relayUrl(cli, options) })

/** Has no chain: enough to ask, watch and commit. */
export async function takerClient(cli: Cli, options: RelayOptions & AccountOptions) {
  const taker = await openAccount(cli, options)
  return { taker, client: createTakerClient({ url: relayUrl(cli, options), account: taker.account }) }
}

export async function walletClient(cli: Cli, options: RelayOptions & ChainOptions & AccountOptions) {
  const owner = await openAccount(cli, options)
  const chain = await chainSetup(cli, options, owner.account.address)
  return { owner, chain, client: createTakerClient({ url: relayUrl(cli, options), account: owner.account, chain }) }
}

export type MakerClientOptions = RelayOptions & ChainOptions & AccountOptions & { maker?: string }

/**
 * Takes the API key from `RFQCTL_API_KEY`, else from the sandbox. Simulated mode signs without a chain. `wallet` is the
 * paying one: `--maker`, else the address of the key.
 */
export async function makerClient(cli: Cli, options: MakerClientOptions) {
  const maker = await openAccount(cli, options)
  const apiKey = cli.environment.RFQCTL_API_KEY ?? maker.apiKey
  const chain = await signingChain(cli, options, maker.account.address)
  const wallet = options.maker === undefined ? maker.account.address : addressIn('--maker', options.maker)
  const { account } = maker
  return {
    maker,
    wallet,
    client: createMakerClient({ url: relayUrl(cli, options), apiKey, account, maker: wallet, chain }),
  }
}

/** Simulated mode signs for the zero addresses (decision C12). */
export async function signingChain(
  cli: Cli,
  options: ChainOptions & PublicKeyOptions,
  owner: Address,
): Promise<ChainSetup> {
  const sandbox = sandboxOf(cli, options)
  const isSimulation = sandbox !== null && sandbox.rpcUrl === null && options.rpc === undefined
  return isSimulation ? sandboxChain(sandbox) : chainSetup(cli, options, owner)
}

/** Has no transport in simulated mode. */
export const sandboxChain = ({ rpcUrl, chainId, settlementAddress, coreAddress }: Sandbox): ChainSetup => ({
  chainId,
  settlementAddress,
  coreAddress,
  transport: rpcUrl === null ? undefined : transportOf(rpcUrl),
  pollingIntervalMs: POLLING_INTERVAL_MS,
})

/** Refuses a public key on a chain that is not an Anvil of this machine. */
export async function chainSetup(
  cli: Cli,
  options: ChainOptions & PublicKeyOptions,
  owner: Address,
): Promise<ChainSetup> {
  const { rpcUrl, stablecoinAddress: _, ...setup } = tradingChain(cli, options)
  await refusePublicKey(owner, rpcUrl, options)
  return { ...setup, transport: transportOf(rpcUrl), pollingIntervalMs: POLLING_INTERVAL_MS }
}

/** Simulated mode trades without a chain (decision C12). */
export const isSimulated = (cli: Cli, options: { dataDir?: string }): boolean =>
  sandboxOf(cli, options)?.rpcUrl === null
