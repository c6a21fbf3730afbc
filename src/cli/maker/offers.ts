import { join } from 'node:path'
import type { Offer } from '../../client/check-order.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { readPrivateJson, writePrivateJson } from '../../lib/private-file.ts'
import { tag, untag } from '../context/bigint-json.ts'

/**
 * What a quote by hand leaves for the command that signs: an order is checked against it. `nonce` is that of the order
 * that was signed for it; two under different ones would sell the same offer twice.
 */
export type KeptOffer = { quoteId: string; requestId: string; offer: Offer; nonce: number | null }

/** A quote id names a file: a relay must not lead us elsewhere with it. */
const FILE_SAFE = /^[\w-]{1,64}$/

const pathIn = (dataDir: string, quoteId: string): string => join(dataDir, 'offers', `${quoteId}.json`)

/** Keeps an offer, in place of the former one of the same quote. */
export function saveOffer(dataDir: string, kept: KeptOffer): void {
  if (!FILE_SAFE.test(kept.quoteId)) {
    throw new CliError('the relay gave the quote an invalid id', {
      code: 'bad_quote_id',
      exitCode: EXIT.unexpected,
    })
  }
  writePrivateJson(pathIn(dataDir, kept.quoteId), tag(kept))
}

/** The offer behind a quote; null when none was made here. */
export function findOffer(dataDir: string, quoteId: string): KeptOffer | null {
  if (!FILE_SAFE.test(quoteId)) return null
  const tagged = readPrivateJson(pathIn(dataDir, quoteId))
  return tagged === null ? null : (untag(tagged) as KeptOffer)
}
