import { getContractAddress } from 'viem'
import type { Address } from '../domain/units.ts'

/** What is to stand on a chain, and in whose hands it is to be. */
export type Blueprint = {
  chainId: number
  /** Pays and signs; it owns the core until the owner accepts. */
  deployer: Address
  /** Registers series, and names a price where the signer does not; may be the deployer. */
  owner: Address
  resolutionSigner: Address
  /** One that exists, of 6 decimals, or a `TestUSD` of our own whose minter is the faucet's wallet. */
  stablecoin: { kind: 'existing'; address: Address } | { kind: 'test'; minter: Address }
  /** ERC-1155 metadata address of the options; it cannot be changed later. */
  tokenUri: string
}

/** Where the contract that an account creates with its n-th transaction will be. */
export const addressAt = (deployer: Address, nonce: number): Address =>
  getContractAddress({ from: deployer, nonce: BigInt(nonce) })

/**
 * Why roles must not be held as a blueprint says, as sentences; empty when they may. Whoever gets hold of one key must not
 * get two roles (fault K4), and no one may hold one by a key that everyone knows (fault K3).
 */
export function roleFaults(blueprint: Blueprint, publicKeys: readonly Address[]): string[] {
  const { deployer, owner, resolutionSigner, stablecoin } = blueprint
  const faucet = stablecoin.kind === 'test' ? [['faucet', stablecoin.minter] as const] : []
  const hands = [['deployer', deployer], ['resolution signer', resolutionSigner], ...faucet] as const
  const all = owner === deployer ? hands : ([...hands, ['owner', owner]] as const)
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

/** How two blueprints of one deployer differ, as sentences. */
export function differences(before: Blueprint, now: Blueprint): string[] {
  const coin = ({ stablecoin }: Blueprint) =>
    stablecoin.kind === 'existing' ? stablecoin.address : `a TestUSD minted by ${stablecoin.minter}`
  const pairs = [
    ['owner', before.owner, now.owner],
    ['resolution signer', before.resolutionSigner, now.resolutionSigner],
    ['stablecoin', coin(before), coin(now)],
    ['token URI', before.tokenUri || 'none', now.tokenUri || 'none'],
  ] as const
  return pairs.filter(([, a, b]) => a !== b).map(([name, a, b]) => `the ${name} was ${a} and is now ${b}`)
}
