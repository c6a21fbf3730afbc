import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Series } from '@rfqctl/protocol/domain/series'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { CheckpointKeeper } from './indexer.ts'

/** A checkpoint is worthless on another chain, core or start block. */
type Origin = { chainId: number; coreAddress: Address; startBlock: number }

type Saved = Origin & { format: string; block: string; hash: Hex; series: readonly Series[]; readAt: number }

const FORMAT = 'rfqctl-series-3'

/**
 * Keeps the checkpoint of a series index in a file. Everything in it can be read from the chain again, so a missing,
 * damaged or foreign file counts as none, and a failed write is ignored.
 */
export function createCheckpointFile(path: string, origin: Origin): CheckpointKeeper {
  return {
    async load() {
      const saved = await readSaved(path)
      if (saved === null || !isOf(saved, origin)) return null
      const { block, hash, series, readAt } = saved
      return { block: BigInt(block), hash, series: new Map(series.map((entry) => [entry.seriesId, entry])), readAt }
    },
    async save({ block, hash, series, readAt }) {
      const saved = { format: FORMAT, ...origin, block: `${block}`, hash, series: [...series.values()], readAt }
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
  Array.isArray(saved.series)
