import { accountOf, type KeyAccount } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { type ChainClient, createChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { hasProxy, PROXY } from '@rfqctl/onchain/deploy/proxy'
import { createQuorum, quorumAddress, type SignerQuorum } from '@rfqctl/onchain/deploy/quorum-signer'
import { DeploymentError } from '@rfqctl/onchain/deploy/record'
import { createDevAccounts } from '@rfqctl/onchain/devnet/accounts'
import type { Address } from '@rfqctl/protocol/domain/units'
import { whyNotDevChain } from '@rfqctl/relay/app/dev-chain'
import type { Cli, Run } from '../cli.ts'
import { type PublicKeyOptions, publicAddresses } from '../context/account.ts'
import { addressIn } from '../context/address-in.ts'
import { type ChainOptions, devRpcUrl } from '../context/targets.ts'
import { type KeyOptions, readOwnKey } from '../wallet/own-key.ts'

/** As the contract has it. */
const MOST_KEYS = 16

type Options = ChainOptions & KeyOptions & PublicKeyOptions & { threshold: number; dryRun?: boolean }

/** Creates the contract of several keys that sign resolutions together, where it is not there yet, and gives it no role. */
export const createSigner: Run<Options, [keys: string[]]> = async (cli, options, texts) => {
  const url = devRpcUrl(cli, options)
  const client = createChainClient(url)
  const isDevChain = (await whyNotDevChain(client, url)) === null
  const quorum = quorumIn(texts, options.threshold)
  if (!isDevChain) assertPrivate(quorum, options)
  if (options.dryRun === true) return tell(cli, quorumAddress(quorum), quorum)
  const key =
    (await readOwnKey(cli, options))?.privateKey ?? (isDevChain ? createDevAccounts().deployer.privateKey : null)
  if (key === null) throw new CliError('no key given that pays for it', { hint: 'pass --key-file PATH or --key-stdin' })
  tell(cli, await createQuorumSigner(cli, client, { account: accountOf(key), quorum }), quorum)
  cli.out.note(`Next: rfqctl chain signer propose ${quorumAddress(quorum)}`)
}

function tell(cli: Cli, address: Address, { keys, threshold }: SignerQuorum): void {
  const text = `${address} signs by ${threshold} of ${keys.length} keys`
  cli.out.print({ type: 'signer_contract', address, keys, threshold }, text)
}

export function quorumIn(texts: readonly string[], threshold: number): SignerQuorum {
  const keys = texts.map((text) => addressIn('KEY', text))
  const faults = [
    ...(keys.length > 0 && keys.length <= MOST_KEYS
      ? []
      : [`there are ${keys.length} keys, and may be 1 to ${MOST_KEYS}`]),
    ...(new Set(keys).size === keys.length ? [] : ['a key is named twice']),
    ...(threshold >= 1 && threshold <= keys.length ? [] : [`${threshold} of ${keys.length} keys cannot sign`]),
  ]
  if (faults.length === 0) return { keys, threshold }
  throw new CliError('these keys cannot sign together', { code: 'bad_quorum', exitCode: EXIT.usage, why: faults })
}

export function assertPrivate({ keys }: SignerQuorum, { iKnowThisKeyIsPublic = false }: PublicKeyOptions): void {
  const known = iKnowThisKeyIsPublic ? [] : keys.filter((key) => publicAddresses().includes(key))
  if (known.length === 0) return
  throw new CliError('each key of a signer must be private', {
    code: 'unsafe_roles',
    why: known.map((key) => `the key of ${key} is public: it is one of Anvil's ten`),
    hint: 'make one for each signer: rfqctl wallet create',
  })
}

export async function createQuorumSigner(
  cli: Cli,
  client: ChainClient,
  { account, quorum }: { account: KeyAccount; quorum: SignerQuorum },
): Promise<Address> {
  if (!(await hasProxy(client))) {
    throw new CliError(`this chain lacks the deterministic deployment proxy ${PROXY}`, {
      code: 'unfit_chain',
      hint: 'docs/guides/operator/deployment.md says what a chain must have',
    })
  }
  try {
    return await createQuorum(client, {
      account,
      quorum,
      onSent: (hash) => cli.out.note(`create the signer contract: sent ${hash}`),
    })
  } catch (fault) {
    if (!(fault instanceof DeploymentError)) throw fault
    throw new CliError(fault.message, { code: `deployment_${fault.fault}`, exitCode: EXIT.chain })
  }
}
