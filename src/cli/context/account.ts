import { accountOf, type KeyAccount } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { createDevAccounts, listDevAccounts } from '@rfqctl/onchain/devnet/accounts'
import { createDevClient } from '@rfqctl/onchain/devnet/client'
import type { Address } from '@rfqctl/protocol/domain/units'
import { whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import { isLoopback } from '@rfqctl/relay/config/rules'
import type { Cli } from '../cli.ts'
import { findWallet } from '../wallet/find-wallet.ts'
import { type KeyOptions, readKeyFile, readOwnKey } from '../wallet/own-key.ts'

export type AccountOptions = { account: string; dataDir?: string } & KeyOptions & PublicKeyOptions

/** Optional account: a saved request already has its wallet. */
export type SameAccountOptions = Omit<AccountOptions, 'account'> & { account?: string }

/** The taker where --account is not given. */
export const DEFAULT_TAKER = 'taker-1'

/** The only consent that lets a public key be used on a chain that is not local. */
export type PublicKeyOptions = { iKnowThisKeyIsPublic?: boolean }

/** `name` is null for a key from --key-file or --key-stdin. */
export type CliAccount = { name: string | null; account: KeyAccount; apiKey: string | null }

/** Takes `--key-file` or `--key-stdin` first, else a kept or sandbox wallet by its name. */
export async function openAccount(cli: Cli, options: AccountOptions): Promise<CliAccount> {
  const own = await readOwnKey(cli, options)
  if (own !== null) return { name: null, account: accountOf(own.privateKey), apiKey: null }
  const wallet = findWallet(cli, options, options.account)
  const { name } = wallet
  if (wallet.kind === 'sandbox') return { name, account: accountOf(wallet.privateKey), apiKey: wallet.apiKey ?? null }
  return { name, account: accountOf((await readKeyFile(cli, wallet.path, name)).privateKey), apiKey: null }
}

/**
 * Refuses Anvil's keys where they could hold real money: they are public (fault K3). A local address may be a tunnel,
 * so the chain behind it must be an Anvil; one that does not answer takes no transaction.
 */
export async function refusePublicKey(
  owner: Address,
  rpcUrl: string,
  { iKnowThisKeyIsPublic = false }: PublicKeyOptions,
): Promise<void> {
  if (iKnowThisKeyIsPublic || !publicAddresses().includes(owner)) return
  const reason = isLoopback(new URL(rpcUrl).hostname)
    ? await whyNotDevChain(createDevClient(rpcUrl), rpcUrl).catch(() => null)
    : `${new URL(rpcUrl).hostname} is not this machine`
  if (reason === null) return
  throw new CliError(`the key of ${owner} is public: it is one of Anvil's ten`, {
    code: 'public_key',
    why: [reason, 'anyone can take what it receives on this chain'],
    hint: 'use your own key, or pass --i-know-this-key-is-public',
  })
}

/** Anvil's wallets, whose keys are public. */
export const publicAddresses = (): Address[] => listDevAccounts(createDevAccounts()).map(({ address }) => address)
