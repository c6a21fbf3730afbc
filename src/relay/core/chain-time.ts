import type { Context } from './context.ts'

/** Unix seconds, a few seconds old at most; null while the chain cannot be read. */
export async function readChainTime({ chain }: Pick<Context, 'chain'>): Promise<number | null> {
  try {
    return await chain.time('cached')
  } catch {
    return null
  }
}
