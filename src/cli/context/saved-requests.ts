import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Offer } from '@rfqctl/client/check-order'
import type { CommittedTrade, Hex, TakerRequest } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { shortId } from '@rfqctl/lib/format'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Cli } from '../cli.ts'
import { termsText } from '../show/show-trade.ts'
import { findItem, type RowChoice } from './shown-rows.ts'
import { dataDirOf } from './targets.ts'

/**
 * The state that one taker command leaves for the next: the request with its secret, then the signed trade, then its
 * fill.
 */
export type SavedRequest = {
  /** Unix milliseconds. */
  createdAt: number
  request: TakerRequest
  /** Name of the wallet that asked; null for one with a key of its own. */
  account: string | null
  commitment: CommittedTrade | null
  fillHash: Hex | null
}

/** Ids from the relay become file names, so path characters are refused. */
const FILE_SAFE = /^[\w-]{1,64}$/

const folderOf = (dataDir: string): string => join(dataDir, 'requests')

export function saveRequest(dataDir: string, saved: SavedRequest): void {
  const { requestId } = saved.request
  if (!FILE_SAFE.test(requestId))
    throw new CliError('the relay gave the request an invalid id', { code: 'bad_request_id' })
  writePrivateJson(join(folderOf(dataDir), `${requestId}.json`), tag(saved))
}

export const REQUEST_ROWS: Pick<RowChoice<SavedRequest>, 'shown' | 'idOf' | 'nameOf'> = {
  shown: 'requests',
  idOf: ({ request }) => request.requestId,
  nameOf: ({ request }) => `request ${shortId(request.requestId)}, ${termsText(request.terms)}`,
}

/** By row, by a unique prefix of its id, or without a text the newest one. */
export function findSavedRequest(cli: Cli, options: { dataDir?: string }, text: string | undefined): SavedRequest {
  const dataDir = dataDirOf(cli, options)
  const all = listSavedRequests(dataDir).toSorted((a, b) => b.createdAt - a.createdAt)
  if (text !== undefined) {
    return findItem(cli, options, {
      text,
      ...REQUEST_ROWS,
      noun: 'request of yours',
      items: all,
      list: all.length === 0 ? 'rfqctl taker request @1 --budget 100' : 'rfqctl taker requests',
    })
  }
  const [newest] = all
  if (newest !== undefined) return newest
  throw new CliError('you have not opened a request yet', {
    code: 'not_found',
    why: [`there is none in ${folderOf(dataDir)}`],
    hint: 'rfqctl taker request @1 --budget 100',
  })
}

export const newestFill = (dataDir: string): Hex | null =>
  listSavedRequests(dataDir)
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .find(({ fillHash }) => fillHash !== null)?.fillHash ?? null

/** All requests made in this folder. */
export function listSavedRequests(dataDir: string): SavedRequest[] {
  const folder = folderOf(dataDir)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const tagged = readPrivateJson(join(folder, name))
      return tagged === null ? [] : [untag(tagged) as SavedRequest]
    })
}

/**
 * `maker confirm` checks an order against this. `nonce` is that of the order already signed; two orders with different
 * nonces would sell the same offer twice.
 */
export type KeptOffer = { quoteId: string; requestId: string; offer: Offer; nonce: number | null }

const offerPath = (dataDir: string, quoteId: string): string => join(dataDir, 'offers', `${quoteId}.json`)

export function saveOffer(dataDir: string, kept: KeptOffer): void {
  if (!FILE_SAFE.test(kept.quoteId)) {
    throw new CliError('the relay gave the quote an invalid id', { code: 'bad_quote_id' })
  }
  writePrivateJson(offerPath(dataDir, kept.quoteId), tag(kept))
}

export function findOffer(dataDir: string, quoteId: string): KeptOffer | null {
  if (!FILE_SAFE.test(quoteId)) return null
  const tagged = readPrivateJson(offerPath(dataDir, quoteId))
  return tagged === null ? null : (untag(tagged) as KeptOffer)
}

/** JSON has no bigint: one is written as `{"$bigint": "123"}`. */
const tag = (value: unknown): unknown =>
  mapDeep(value, (part) => (typeof part === 'bigint' ? { $bigint: part.toString() } : undefined))

/** Inverse of `tag`. */
const untag = (value: unknown): unknown =>
  mapDeep(value, (part) =>
    typeof part === 'object' && part !== null && '$bigint' in part ? BigInt(String(part.$bigint)) : undefined,
  )

/** Copies a JSON-like value, replacing the parts for which `change` returns a value. */
function mapDeep(value: unknown, change: (part: unknown) => unknown): unknown {
  const changed = change(value)
  if (changed !== undefined) return changed
  if (Array.isArray(value)) return value.map((part) => mapDeep(part, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapDeep(part, change)]))
}
