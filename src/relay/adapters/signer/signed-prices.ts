import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivateJson, readPrivateJson } from '@rfqctl/lib/private-file'
import type { SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { ResolutionBps } from '@rfqctl/protocol/domain/units'

/** What was signed for a market and an expiry. */
export type SignedPrices = {
  /** The price that stands for all series of a market and expiry: the first one that was given. It is durable once told. */
  agree: (terms: SeriesTerms, resolutionBps: ResolutionBps) => Promise<ResolutionBps>
}

type Kept = Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'> & { resolutionBps: ResolutionBps }

/** Prices in a directory, a file for each market and expiry. Whoever makes the file has named the price, also of two processes. */
export const createSignedPrices = (dir: string): SignedPrices => ({
  agree: async ({ conditionId, yesTokenId, expiry }, resolutionBps) => {
    const kept: Kept = { conditionId, yesTokenId, expiry, resolutionBps }
    const path = join(dir, `${expiry}-${hash('sha256', `${BigInt(conditionId)} ${BigInt(yesTokenId)}`, 'hex')}.json`)
    const isFirst = createPrivateJson(path, kept)
    // Also when another process has made it: that one may not have come so far.
    flushNames(dir)
    const standing = isFirst ? kept : readPrivateJson<Kept>(path)
    if (standing === null) throw new Error(`${path} is gone.`)
    return standing.resolutionBps
  },
})

/** A file is found after a power cut only when its folder was written through, and each folder above that is as new. */
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
