import type { PublicClient } from 'viem'
import { deploymentOf, type Numbered } from './creation.ts'
import type { Site } from './plan.ts'

/**
 * Reads what there is of a deployment, all as of one block: the last one, or `atLeast` if that is later. Some URLs have
 * many nodes behind them, and one that lags would hide what another showed.
 */
export async function surveySite(
  client: PublicClient,
  { blueprint, salt, atLeast = 0n }: Numbered & { atLeast?: bigint },
): Promise<Site> {
  const { stablecoinAddress, factoryAddress, coreAddress } = deploymentOf({ blueprint, salt })
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const block = head > atLeast ? head : atLeast
  const at = { blockNumber: block }
  const [nonce, pendingNonce, ...codes] = await Promise.all([
    client.getTransactionCount({ address: blueprint.deployer, ...at }),
    client.getTransactionCount({ address: blueprint.deployer, blockTag: 'pending' }),
    ...[stablecoinAddress, factoryAddress, coreAddress].map((address) => client.getCode({ address, ...at })),
  ])
  const [hasStablecoin = false, hasFactory = false, hasPair = false] = codes.map((code) => code !== undefined)
  return { block, nonce, waiting: Math.max(0, pendingNonce - nonce), hasStablecoin, hasFactory, hasPair }
}
