import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { EMPTY_TREE, encodeEntries, TILE_WIDTH, type TreeEdge } from '@rfqctl/protocol/domain/log-tiles'
import { concat } from '@rfqctl/protocol/domain/merkle-tree'
import { createRequestIndex } from './request-index.ts'
import type { LogStorage } from './storage.ts'

/** Leaves whose records are kept: some 20 MB. */
const KEPT = 20_000

/** A log that a restart ends, for a relay without a store. */
export function createMemoryStorage(): LogStorage {
  const requests = createRequestIndex()
  const texts = new Map<number, string>()
  const commitments: Uint8Array[] = []
  const levels: Uint8Array[][] = []
  let waiting: AuditEntry[] = []
  let edge: TreeEdge = EMPTY_TREE
  let checkpoint: string | null = null

  return {
    add: (entry) => void waiting.push(entry),
    advance: async (number) => {
      if (waiting.length === 0) return
      const entries = waiting
      waiting = []
      const numbered = await number({ edge, heads: requests.headsOf(entries), entries })
      for (const leaf of numbered.leaves) {
        const index = commitments.push(leaf.commitment) - 1
        texts.set(index, leaf.text)
        requests.add(leaf, index)
      }
      for (const { level, hashes } of numbered.growths) {
        levels[level] ??= []
        for (const hash of hashes) levels[level].push(hash)
      }
      const oldest = Math.max(0, commitments.length - KEPT)
      requests.forgetBefore(oldest)
      for (const index of texts.keys()) {
        if (index >= oldest) break
        texts.delete(index)
      }
      edge = numbered.edge
      checkpoint = numbered.checkpoint
    },
    knows: (requestId) => requests.indexesOf(requestId).length > 0,
    statesOf: null,
    checkpoint: async () => checkpoint,
    readTile: async ({ level, index, width }) => {
      const start = index * TILE_WIDTH
      if (level === 'entries') return encodeEntries(commitments.slice(start, start + width))
      return concat((levels[level] ?? []).slice(start, start + width))
    },
    leavesOf: async (requestId) => {
      const leaves = requests.indexesOf(requestId).map((index) => ({ index, text: texts.get(index) ?? '' }))
      return leaves.every(({ text }) => text !== '') ? leaves : []
    },
    leavesFrom: async (index, limit) => {
      const start = Math.max(index, commitments.length - texts.size)
      const end = Math.min(start + limit, commitments.length)
      return Array.from({ length: Math.max(0, end - start) }, (_, i) => ({
        index: start + i,
        text: texts.get(start + i) as string,
      }))
    },
    lost: () => 0,
    close: async () => {},
  }
}
