import { accountOf, type KeyAccount } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { createDevAccounts, listDevAccounts } from '@rfqctl/onchain/devnet/accounts'
import { createDevClient } from '@rfqctl/onchain/devnet/client'
import type { Address } from '@rfqctl/protocol/domain/units'
import { whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import { isLoopback } from '@rfqctl/relay/config/rules'
import type { Cli } from '../cli.ts'
import { findWallet } from '../wallet/find-wallet.ts'
import { type KeyOptions, readKeyFile, readOwnKey } from '../wallet/own-key.ts'

/** Options of every command that signs. */
export type AccountOptions = { account: string; dataDir?: string } & KeyOptions & PublicKeyOptions

/** The same where no one need be named: a request has its wallet already. */
export type SameAccountOptions = Omit<AccountOptions, 'account'> & { account?: string }

/** Who trades when no one is named. */
export const DEFAULT_TAKER = 'taker-1'

/** The one way to use a key that everyone knows on a chain that is not this machine's. */
export type PublicKeyOptions = { iKnowThisKeyIsPublic?: boolean }

/** A wallet that a command acts for; `name` is null for one whose key was brought along. */
export type CliAccount = { name: string | null; account: KeyAccount; apiKey: string | null }

/** The wallet of `--key-file`, `--key-stdin` or, by name, one that is kept here or is of the sandbox. */
export async function openAccount(cli: Cli, options: AccountOptions): Promise<CliAccount> {
  const own = await readOwnKey(cli, options)
  if (own !== null) return { name: null, account: accountOf(own.privateKey), apiKey: null }
  const wallet = findWallet(cli, options, options.account)
  const { name } = wallet
  if (wallet.kind === 'sandbox') return { name, account: accountOf(wallet.privateKey), apiKey: wallet.apiKey ?? null }
  return { name, account: accountOf((await readKeyFile(cli, wallet.path, name)).privateKey), apiKey: null }
}

/**
 * Refuses one of Anvil's keys where it could hold someone's money: everyone has these keys (fault K3). A local address
 * may lead elsewhere, so that the chain there must say that it is an Anvil; one that does not answer takes nothing.
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
    exitCode: EXIT.unauthorized,
    why: [reason, 'anyone can take what it receives on this chain'],
    hint: 'use your own key, or pass --i-know-this-key-is-public',
  })
}

/** The wallets of Anvil, whose keys everyone has. */
export const publicAddresses = (): Address[] => listDevAccounts(createDevAccounts()).map(({ address }) => address)
