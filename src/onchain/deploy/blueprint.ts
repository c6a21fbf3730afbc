import type { Address } from '@rfqctl/protocol/domain/units'
import { getContractAddress, zeroAddress } from 'viem'

export type Blueprint = {
  chainId: number
  /** Pays and signs; that gives it no role. */
  deployer: Address
  /** Appoints, resumes halted series, and names a price if the signer does not; may be the deployer. */
  owner: Address
  /** Registers series; may be the owner. */
  registrar: Address
  /** Halts, vetoes and revokes; may be the owner. */
  guardian: Address
  /** Halts, and nothing else; null for none beside owner and guardian. */
  halter: Address | null
  resolutionSigner: Address
  /** Seconds before expiry at which trading ends. */
  tradingCutoff: number
  /** Seconds until an attested price is final. */
  disputeWindow: number
  /** The contract whose reported payouts are the last resort; null for none. */
  conditionalTokens: Address | null
  /** An existing token of 6 decimals, or our own `TestUSD` with the faucet's wallet as minter. */
  stablecoin: { kind: 'existing'; address: Address } | { kind: 'test'; minter: Address }
  /** ERC-1155 metadata address of the options; permanent. */
  tokenUri: string
}

/** Address of the contract that an account creates by its transaction, or a contract by its creation, of a number. */
export const addressAt = (creator: Address, nonce: number): Address =>
  getContractAddress({ from: creator, nonce: BigInt(nonce) })

export const coreSetup = (
  choices: Omit<Blueprint, 'chainId' | 'deployer' | 'stablecoin'>,
  at: { stablecoin: Address; settlement: Address },
) => ({
  ...at,
  owner: choices.owner,
  registrar: choices.registrar,
  guardian: choices.guardian,
  halter: choices.halter ?? zeroAddress,
  resolutionSigner: choices.resolutionSigner,
  tradingCutoff: BigInt(choices.tradingCutoff),
  disputeWindow: BigInt(choices.disputeWindow),
  conditionalTokens: choices.conditionalTokens ?? zeroAddress,
  uri: choices.tokenUri,
})

/**
 * Sentences that say why the blueprint's roles are unsafe; empty if they are safe. One stolen key must not yield two
 * roles (fault K4), and no role may have a publicly known key (fault K3).
 */
export function roleFaults(blueprint: Blueprint, publicKeys: readonly Address[]): string[] {
  const { deployer, owner, registrar, guardian, halter, resolutionSigner, stablecoin } = blueprint
  const faucet = stablecoin.kind === 'test' ? [['faucet', stablecoin.minter] as const] : []
  const hands = [['deployer', deployer], ['resolution signer', resolutionSigner], ...faucet] as const
  const keepers = [
    ['owner', owner] as const,
    ['guardian', guardian] as const,
    ['registrar', registrar] as const,
    ...(halter === null ? [] : [['halter', halter] as const]),
  ]
  // These may share one key, the deployer's included: each key is checked once.
  const own = keepers.filter(
    ([, address], index) => address !== deployer && keepers.findIndex(([, other]) => other === address) === index,
  )
  const all = [...hands, ...own]
  const shared = all.flatMap(([role, address], index) =>
    all
      .slice(index + 1)
      .filter(([, other]) => other === address)
      .map(([other]) => `${role} and ${other} are both ${address}`),
  )
  const known = all
    .filter(([, address]) => publicKeys.includes(address))
    .map(([role, address]) => `the key of the ${role} ${address} is public: it is one of Anvil's ten`)
  return [...shared, ...known]
}

/** Differences of two blueprints of one deployer, as sentences. */
export function differences(before: Blueprint, now: Blueprint): string[] {
  const coin = ({ stablecoin }: Blueprint) =>
    stablecoin.kind === 'existing' ? stablecoin.address : `a TestUSD minted by ${stablecoin.minter}`
  const pairs = [
    ['owner', before.owner, now.owner],
    ['registrar', before.registrar, now.registrar],
    ['guardian', before.guardian, now.guardian],
    ['halter', before.halter ?? 'none', now.halter ?? 'none'],
    ['resolution signer', before.resolutionSigner, now.resolutionSigner],
    ['trading cut-off', `${before.tradingCutoff} s`, `${now.tradingCutoff} s`],
    ['dispute window', `${before.disputeWindow} s`, `${now.disputeWindow} s`],
    ['conditional-token contract', before.conditionalTokens ?? 'none', now.conditionalTokens ?? 'none'],
    ['stablecoin', coin(before), coin(now)],
    ['token URI', before.tokenUri || 'none', now.tokenUri || 'none'],
  ] as const
  return pairs.filter(([, a, b]) => a !== b).map(([name, a, b]) => `the ${name} was ${a} and is now ${b}`)
}
