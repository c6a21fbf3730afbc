import { afterAll, afterEach, beforeAll } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { closeAll } from '../kit/keep.ts'
import { type Cluster, type ClusterOptions, createCluster } from './cluster.ts'
import type { Node } from './node.ts'

/** The cluster of a suite; it is there from before the first test to after the last one. */
export type InUse = { readonly cluster: Cluster; readonly nodes: readonly Node[] }

/**
 * A cluster of so many nodes for the suite around it. What must hold is checked after each test, and once more when all is
 * over: then also what nodes have written, and what only the end shows.
 */
export function useCluster(count: number, options: ClusterOptions): InUse {
  const inUse: { cluster?: Cluster; nodes: readonly Node[] } = { nodes: [] }

  beforeAll(async () => {
    await buildWhenStale()
    inUse.cluster = await createCluster(options)
    inUse.nodes = await inUse.cluster.startAll(count)
  })
  afterEach(() => inUse.cluster?.collector.check())
  afterAll(async () => {
    try {
      await inUse.cluster?.finish()
    } finally {
      closeAll()
      await inUse.cluster?.remove()
    }
  })

  return inUse as InUse
}
