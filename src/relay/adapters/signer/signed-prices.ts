import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivateJson, readPrivateJson } from '@rfqctl/lib/private-file'
import type { SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { ResolutionBps } from '@rfqctl/protocol/domain/units'

export type SignedPrices = ReturnType<typeof createSignedPrices>

type Fixing = Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>

type Kept = Fixing & { resolutionBps: ResolutionBps }

/** A file for each market and expiry. Creating the file decides the price, even between two processes. */
export function createSignedPrices(dir: string) {
  const pathOf = ({ conditionId, yesTokenId, expiry }: Fixing): string =>
    join(dir, `${expiry}-${hash('sha256', `${BigInt(conditionId)} ${BigInt(yesTokenId)}`, 'hex')}.json`)

  return {
    /** The one price for all series of a market and expiry; null while there is none. */
    find: async (fixing: Fixing): Promise<ResolutionBps | null> =>
      readPrivateJson<Kept>(pathOf(fixing))?.resolutionBps ?? null,

    /** The one price for all series of a market and expiry: the first that was given. Durable once returned. */
    agree: async (fixing: Fixing, resolutionBps: ResolutionBps): Promise<ResolutionBps> => {
      const { conditionId, yesTokenId, expiry } = fixing
      const kept: Kept = { conditionId, yesTokenId, expiry, resolutionBps }
      const path = pathOf(fixing)
      const isFirst = createPrivateJson(path, kept)
      // Even when another process made the file: that one may not have flushed yet.
      flushNames(dir)
      const standing = isFirst ? kept : readPrivateJson<Kept>(path)
      if (standing === null) throw new Error(`${path} is gone.`)
      return standing.resolutionBps
    },
  }
}

/** A file survives a power cut only if its folder was flushed, and each new folder above it. */
function flushNames(dir: string): void {
  const folder = openFolder(dir)
  if (folder === null) return
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
  if (dirname(dir) !== dir) flushNames(dirname(dir))
}

/** Null for a folder that this process may not read: no signer has made it. */
function openFolder(dir: string): number | null {
  try {
    return openSync(dir, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null
    throw error
  }
}
