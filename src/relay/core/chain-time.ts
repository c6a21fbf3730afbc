import type { Context } from './context.ts'

/** The time of the chain, a few seconds old at most, Unix seconds; null while the chain cannot be read. */
export async function readChainTime({ chain }: Pick<Context, 'chain'>): Promise<number | null> {
  try {
    return await chain.time('cached')
  } catch {
    return null
  }
}
