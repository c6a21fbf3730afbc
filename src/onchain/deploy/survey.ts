import { serviceCoreAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import { type ContractName, isCodeOf, readArtifact } from './artifact.ts'
import { addressAt, type Blueprint } from './blueprint.ts'
import type { Site } from './plan.ts'

/**
 * Reads everything that a deployer created from its transaction `fromNonce` on, all as of one block: the last one, or
 * `atLeast` if that is later. Some URLs have many nodes behind them, and one that lags would hide what another showed.
 */
export async function surveySite(
  client: PublicClient,
  { blueprint, fromNonce, atLeast = 0n }: { blueprint: Blueprint; fromNonce: number; atLeast?: bigint },
): Promise<Site> {
  const { deployer, stablecoin } = blueprint
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const at = { blockNumber: head > atLeast ? head : atLeast }
  const [nonce, pendingNonce] = await Promise.all([
    client.getTransactionCount({ address: deployer, ...at }),
    client.getTransactionCount({ address: deployer, blockTag: 'pending' }),
  ])
  const created = await readCreated(client, { deployer, from: fromNonce, to: nonce, at })
  const found = created.findLast(({ name }) => name === 'ServiceCore') ?? null
  const core = found === null ? null : { ...found, stablecoin: await stablecoinOf(client, found.address, at) }
  const next = created.find((other) => other.nonce === (core?.nonce ?? Number.NaN) + 1)
  return {
    nonce,
    waiting: Math.max(0, pendingNonce - nonce),
    stablecoin:
      stablecoin.kind === 'existing'
        ? stablecoin.address
        : await findTestUsd(client, { created, core, minter: stablecoin.minter, at }),
    core,
    settlement: next?.name === 'ServiceRFQSettlement' ? next.address : null,
  }
}

type At = { blockNumber: bigint }
type Created = { nonce: number; address: Address; name: ContractName }

async function readCreated(
  client: PublicClient,
  { deployer, from, to, at }: { deployer: Address; from: number; to: number; at: At },
): Promise<Created[]> {
  const places = Array.from({ length: Math.max(0, to - from) }, (_, index) => ({
    nonce: from + index,
    address: addressAt(deployer, from + index),
  }))
  const codes = await Promise.all(places.map(({ address }) => client.getCode({ address, ...at })))
  return places.flatMap((place, index) => {
    const name = nameOf(codes[index])
    return name === null ? [] : [{ ...place, name }]
  })
}

function nameOf(code: Hex | undefined): ContractName | null {
  if (code === undefined) return null
  const names: readonly ContractName[] = ['TestUSD', 'ServiceCore', 'ServiceRFQSettlement']
  return names.find((name) => isCodeOf(readArtifact(name), code)) ?? null
}

const stablecoinOf = (client: PublicClient, address: Address, at: At): Promise<Address> =>
  client.readContract({ address, abi: serviceCoreAbi, functionName: 'stablecoin', ...at })

/** The core's own token, else the newest that the wanted faucet may mint; another faucet's is of no use. */
async function findTestUsd(
  client: PublicClient,
  { created, core, minter, at }: { created: readonly Created[]; core: Site['core']; minter: Address; at: At },
): Promise<Address | null> {
  const coins = created.filter(({ name }) => name === 'TestUSD').map(({ address }) => address)
  if (core !== null) return coins.find((address) => address === core.stablecoin) ?? null
  const newest = coins.at(-1)
  if (newest === undefined) return null
  const token = { address: newest, abi: testUsdAbi, ...at } as const
  const role = await client.readContract({ ...token, functionName: 'MINTER_ROLE' })
  return (await client.readContract({ ...token, functionName: 'hasRole', args: [role, minter] })) ? newest : null
}
