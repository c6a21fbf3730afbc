import type { DevClient } from './client.ts'

/** The last block's time, Unix seconds. */
export const readChainTime = async (client: DevClient): Promise<number> =>
  Number((await client.getBlock({ blockTag: 'latest' })).timestamp)

/** The next block's time, Unix seconds: after a rest, the last block is old. */
export const readNextBlockTime = async (client: DevClient): Promise<number> =>
  Number((await client.getBlock({ blockTag: 'pending' })).timestamp)

/** Moves chain time forward by whole seconds and mines a block, which shows it. Returns the new time, Unix seconds. */
export async function warpChain(client: DevClient, seconds: number): Promise<number> {
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new RangeError(`Chain time cannot move by ${seconds} seconds.`)
  await client.increaseTime({ seconds })
  await client.mine({ blocks: 1 })
  return readChainTime(client)
}

/**
 * Moves chain time up to the last block if it lies behind. A restored Anvil starts at the machine's time again, which
 * would put blocks before those of a warped chain.
 */
export async function keepTimeAhead(client: DevClient): Promise<void> {
  const behind = (await readChainTime(client)) - Math.floor(Date.now() / 1_000)
  if (behind > 0) await client.increaseTime({ seconds: behind })
}
