import type { Blueprint } from './blueprint.ts'

/** Parts of a deployment that are on the chain, and the state of its deployer. */
export type Site = {
  /** The block that it is as of. */
  block: bigint
  nonce: number
  /** Transactions sent and not mined yet. */
  waiting: number
  hasStablecoin: boolean
  hasFactory: boolean
  /** Core and settlement are created together or not at all. */
  hasPair: boolean
}

export type Work = 'stablecoin' | 'factory' | 'pair'

/** In order; empty once the pair is there. Each step makes what no other can make, so that nothing is created twice. */
export function remainingWork({ stablecoin }: Blueprint, { hasStablecoin, hasFactory, hasPair }: Site): Work[] {
  if (hasPair) return []
  return [
    ...(stablecoin.kind === 'test' && !hasStablecoin ? (['stablecoin'] as const) : []),
    ...(hasFactory ? [] : (['factory'] as const)),
    'pair',
  ]
}
