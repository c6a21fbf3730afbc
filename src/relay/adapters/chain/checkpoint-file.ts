import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Series } from '@rfqctl/protocol/domain/series'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { CheckpointKeeper } from './indexer.ts'
import type { Fixing } from './series-logs.ts'

/** A checkpoint is worthless on another chain, core or start block. */
type Origin = { chainId: number; coreAddress: Address; startBlock: number }

type Saved = Origin & {
  format: string
  block: string
  hash: Hex
  series: readonly Series[]
  fixings: readonly [string, Fixing][]
  readAt: number
}

const FORMAT = 'rfqctl-series-4'

/**
 * Keeps the checkpoint of a series index in a file. Everything in it can be read from the chain again, so a missing,
 * damaged or foreign file counts as none, and a failed write is ignored.
 */
export function createCheckpointFile(path: string, origin: Origin): CheckpointKeeper {
  return {
    async load() {
      const saved = await readSaved(path)
      if (saved === null || !isOf(saved, origin)) return null
      const { block, hash, series, fixings, readAt } = saved
      const bySeries = new Map(series.map((entry) => [entry.seriesId, entry]))
      return { block: BigInt(block), hash, series: bySeries, fixings: new Map(fixings), readAt }
    },
    async save({ block, hash, series, fixings, readAt }) {
      const maps = { series: [...series.values()], fixings: [...fixings] }
      const saved = { format: FORMAT, ...origin, block: `${block}`, hash, ...maps, readAt }
      const draft = `${path}.new`
      try {
        await mkdir(dirname(path), { recursive: true })
        // A draft that a crash left may have another mode, which writing to it would keep.
        await rm(draft, { force: true })
        await writeFile(draft, JSON.stringify(saved), { mode: 0o600 })
        await rename(draft, path)
      } catch {
        // Ignored: the next start reads more of the chain.
      }
    },
  }
}

async function readSaved(path: string): Promise<Saved | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Saved
  } catch {
    return null
  }
}

const isOf = (saved: Saved, { chainId, coreAddress, startBlock }: Origin): boolean =>
  saved.format === FORMAT &&
  saved.chainId === chainId &&
  saved.coreAddress === coreAddress &&
  saved.startBlock === startBlock &&
  /^\d+$/.test(saved.block) &&
  Number.isFinite(saved.readAt) &&
  Array.isArray(saved.series) &&
  Array.isArray(saved.fixings)
