import { CliError } from '@rfqctl/lib/cli-error'
import { type Blueprint, roleFaults } from '@rfqctl/onchain/deploy/blueprint'
import type { DevAccounts } from '@rfqctl/onchain/devnet/accounts'
import type { Address } from '@rfqctl/protocol/domain/units'
import { type PublicKeyOptions, publicAddresses } from '../../context/account.ts'
import { addressIn } from '../../context/address-in.ts'

export type RoleOptions = {
  owner?: string
  registrar?: string
  guardian?: string
  halter?: string
  resolutionSigner?: string
  tradingCutoff?: number
  disputeWindow?: number
  conditionalTokens?: string
  minter?: string
  stablecoin?: string
  tokenUri: string
} & PublicKeyOptions

/** `devAccounts` are those of a local Anvil, null on every other chain. */
export type DeployTarget = { chainId: number; deployer: Address; devAccounts: DevAccounts | null }

/** On a local Anvil its own accounts hold the roles that no flag names. */
export function blueprintOf(options: RoleOptions, { chainId, deployer, devAccounts }: DeployTarget): Blueprint {
  const owner = addressGiven('--owner', options.owner) ?? deployer
  const resolutionSigner =
    addressGiven('--resolution-signer', options.resolutionSigner) ?? devAccounts?.resolutionSigner.address
  const minter = addressGiven('--minter', options.minter) ?? devAccounts?.faucet.address
  const stablecoin = addressGiven('--stablecoin', options.stablecoin)
  if (resolutionSigner === undefined) throw missing('--resolution-signer', 'it signs the prices at which series settle')
  if (stablecoin === undefined && minter === undefined) {
    throw missing('--minter', 'it is the wallet of the faucet, which mints the test stablecoin', '--stablecoin')
  }
  const blueprint: Blueprint = {
    chainId,
    deployer,
    owner,
    registrar: addressGiven('--registrar', options.registrar) ?? owner,
    guardian: addressGiven('--guardian', options.guardian) ?? owner,
    halter: addressGiven('--halter', options.halter) ?? null,
    resolutionSigner,
    tradingCutoff: Math.ceil((options.tradingCutoff ?? 0) / 1_000),
    disputeWindow: Math.ceil((options.disputeWindow ?? 0) / 1_000),
    conditionalTokens: addressGiven('--conditional-tokens', options.conditionalTokens) ?? null,
    stablecoin:
      stablecoin === undefined
        ? { kind: 'test', minter: minter as Address }
        : { kind: 'existing', address: stablecoin },
    tokenUri: options.tokenUri,
  }
  if (devAccounts === null) assertRoles(blueprint, options)
  return blueprint
}

function assertRoles(blueprint: Blueprint, { iKnowThisKeyIsPublic = false }: PublicKeyOptions): void {
  const faults = roleFaults(blueprint, iKnowThisKeyIsPublic ? [] : publicAddresses())
  if (faults.length === 0) return
  throw new CliError('each role of a deployment needs its own private key', {
    code: 'unsafe_roles',
    why: faults,
    hint: 'use a different key for each role',
  })
}

const addressGiven = (flag: string, text: string | undefined): Address | undefined =>
  text === undefined ? undefined : addressIn(flag, text)

const missing = (flag: string, why: string, other?: string): CliError =>
  new CliError(`${flag} ADDRESS is required`, {
    why: [why],
    hint: other === undefined ? `pass ${flag} 0x…` : `pass ${flag} 0x…, or ${other} 0x… for an existing one`,
  })
