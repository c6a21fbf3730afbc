import { transportOf } from '@rfqctl/client/from-text'
import {
  type ChainSetup,
  createMakerClient,
  createTakerClient,
  type MakerClient,
  type TakerClient,
} from '@rfqctl/client/index'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Sandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { type AccountOptions, type CliAccount, openAccount, type PublicKeyOptions, refusePublicKey } from './account.ts'
import { addressIn } from './address-in.ts'
import { type ChainOptions, type RelayOptions, relayUrl, sandboxOf, tradingChain } from './targets.ts'

/** Quick enough for a local chain, where a transaction is mined in milliseconds. */
const POLLING_INTERVAL_MS = 50

/** A client for what needs no wallet. */
export const publicClient = (cli: Cli, options: RelayOptions): TakerClient =>
  createTakerClient({ url: relayUrl(cli, options) })

/** A taker with its wallet, but without a chain: enough to ask, watch and commit. */
export async function takerClient(
  cli: Cli,
  options: RelayOptions & AccountOptions,
): Promise<{ taker: CliAccount; client: TakerClient }> {
  const taker = await openAccount(cli, options)
  return { taker, client: createTakerClient({ url: relayUrl(cli, options), account: taker.account }) }
}

/** A wallet on the chain, of whichever side. */
export async function walletClient(
  cli: Cli,
  options: RelayOptions & ChainOptions & AccountOptions,
): Promise<{ owner: CliAccount; client: TakerClient; chain: ChainSetup }> {
  const owner = await openAccount(cli, options)
  const chain = await chainSetup(cli, options, owner.account.address)
  return { owner, chain, client: createTakerClient({ url: relayUrl(cli, options), account: owner.account, chain }) }
}

/** Options of the commands of a maker, whose key may be one that signs for another wallet. */
export type MakerClientOptions = RelayOptions & ChainOptions & AccountOptions & { maker?: string }

/**
 * A maker with its API key: that of `RFQCTL_API_KEY`, else the sandbox's. Simulated mode needs no chain to sign for. `wallet` is the
 * one that pays: that of `--maker`, else that of the key.
 */
export async function makerClient(
  cli: Cli,
  options: MakerClientOptions,
): Promise<{ maker: CliAccount; wallet: Address; client: MakerClient }> {
  const maker = await openAccount(cli, options)
  const apiKey = cli.environment.RFQCTL_API_KEY ?? maker.apiKey
  const chain = await signingChain(cli, options, maker.account.address)
  const wallet = options.maker === undefined ? maker.account.address : addressIn('--maker', options.maker)
  const client = createMakerClient({
    url: relayUrl(cli, options),
    apiKey,
    account: maker.account,
    maker: wallet,
    chain,
  })
  return { maker, wallet, client }
}

/** The contracts to sign for: those of the chain, or the zero addresses of simulated mode (decision C12). */
export async function signingChain(
  cli: Cli,
  options: ChainOptions & PublicKeyOptions,
  owner: Address,
): Promise<ChainSetup> {
  const sandbox = sandboxOf(cli, options)
  const isSimulation = sandbox !== null && sandbox.rpcUrl === null && options.rpc === undefined
  return isSimulation ? sandboxChain(sandbox) : chainSetup(cli, options, owner)
}

/** The chain of a sandbox; without a transport in simulated mode, where there is none to reach. */
export const sandboxChain = ({ rpcUrl, chainId, settlementAddress, coreAddress }: Sandbox): ChainSetup => ({
  chainId,
  settlementAddress,
  coreAddress,
  transport: rpcUrl === null ? undefined : transportOf(rpcUrl),
  pollingIntervalMs: POLLING_INTERVAL_MS,
})

/** The chain for a wallet, refused where the wallet's key is public and the chain is no Anvil of this machine. */
export async function chainSetup(
  cli: Cli,
  options: ChainOptions & PublicKeyOptions,
  owner: Address,
): Promise<ChainSetup> {
  const { rpcUrl, stablecoinAddress: _, ...setup } = tradingChain(cli, options)
  await refusePublicKey(owner, rpcUrl, options)
  return { ...setup, transport: transportOf(rpcUrl), pollingIntervalMs: POLLING_INTERVAL_MS }
}

/** Whether the sandbox trades without a chain (decision C12). */
export const isSimulated = (cli: Cli, options: { dataDir?: string }): boolean =>
  sandboxOf(cli, options)?.rpcUrl === null
