import { CliError } from '@rfqctl/lib/cli-error'
import type { ChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { createDevAccounts, listDevAccounts } from '@rfqctl/onchain/devnet/accounts'
import { createDevClient, type DevClient } from '@rfqctl/onchain/devnet/client'
import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { ROLES } from '@rfqctl/protocol/domain/authority'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Rpc } from '../adapters/chain/rpc.ts'
import { isLoopback } from '../config/rules.ts'
import type { Settings } from '../config/settings.ts'

type ExternalChain = Extract<Settings['chain'], { kind: 'external' }>

/**
 * Public keys must not sign prices or hold money, except on a local Anvil and never in production (fault K3). Refuses
 * with exit code 4.
 */
export async function refusePublicKeys(settings: Settings, { rpcUrl }: Pick<ExternalChain, 'rpcUrl'>): Promise<void> {
  const { resolutionSigner, faucet } = settings.keys
  const known = listDevAccounts(createDevAccounts()).map(({ privateKey }) => privateKey)
  const isKnown = (key: string | null) => key !== null && known.some((other) => other === key.toLowerCase())
  const names = [
    ...(isKnown(resolutionSigner) ? ['RESOLUTION_SIGNER_KEY'] : []),
    ...(isKnown(faucet) ? ['FAUCET_PRIVATE_KEY'] : []),
  ]
  await refuseOnRealChains(settings, rpcUrl, names, 'use a different key for each role')
}

/** The same rule for the core's roles: their holders set its prices, appoint others, stop it or register series. */
export async function refusePublicRoles(
  settings: Settings,
  { rpcUrl, coreAddress }: ExternalChain,
  rpc: Pick<Rpc, 'read'>,
): Promise<void> {
  const core = { address: coreAddress, abi: serviceCoreAbi, functionName: 'holderOf' } as const
  const holders = await Promise.all(
    ROLES.map((_, number) => rpc.read((client) => client.readContract({ ...core, args: [number] }))),
  )
  const known = listDevAccounts(createDevAccounts()).map(({ address }) => address)
  const held = ROLES.filter((_, number) => known.some((address) => address === holders[number]))
  const text = new Intl.ListFormat('en-GB').format(held.map((role) => role.replace('_', ' ')))
  const names = held.length === 0 ? [] : [`the ${text} of the core`]
  await refuseOnRealChains(settings, rpcUrl, names, 'deploy with your own keys: rfqctl chain deploy --key-file PATH')
}

async function refuseOnRealChains({ isProduction }: Settings, rpcUrl: string, names: readonly string[], hint: string) {
  if (names.length === 0) return
  const reason = isProduction ? 'this is production' : await whyNotDevChain(createDevClient(rpcUrl), rpcUrl)
  if (reason === null) return
  throw new CliError(`${names.join(' and ')} must not be one of Anvil's ten keys: they are public`, {
    code: 'public_key',
    why: [reason],
    hint,
  })
}

/** Throws unless the chain is a local Anvil: callers move its time or use public keys on it. */
export async function assertDevChain(client: DevClient, rpcUrl: string): Promise<void> {
  const reason = await whyNotDevChain(client, rpcUrl)
  if (reason !== null) throw notOurs(reason)
}

/** Returns the reason as a sentence; null for a local Anvil. Throws `chain_unavailable`. */
export async function whyNotDevChain(client: Pick<ChainClient, 'request'>, rpcUrl: string): Promise<string | null> {
  const { hostname, origin } = new URL(rpcUrl)
  if (!isLoopback(hostname)) return `${hostname} is not this machine`
  const version = await client
    .request<{ Method: 'web3_clientVersion'; Parameters?: undefined; ReturnType: string }>({
      method: 'web3_clientVersion',
    })
    .catch((cause: unknown) => {
      throw new CliError(`no chain answers at ${origin}`, {
        code: 'chain_unavailable',
        hint: 'rfqctl chain start',
        cause,
      })
    })
  return /^anvil/i.test(version) ? null : `it runs ${safeText(version.slice(0, 40))}`
}

const notOurs = (reason: string): CliError =>
  new CliError('this is not a local Anvil', { code: 'not_local', why: [reason], hint: 'rfqctl chain start' })
