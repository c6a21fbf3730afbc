import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Commitment, Hex, TakerRequest } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { readPrivateJson, writePrivateJson } from '../../lib/private-file.ts'
import { tag, untag } from './bigint-json.ts'
import { findByPrefix } from './find-by-prefix.ts'

/** What one taker command leaves for the next: the request with its secret, then the signed trade, then its fill. */
export type SavedRequest = {
  /** Unix milliseconds. */
  createdAt: number
  request: TakerRequest
  /** The wallet of the sandbox that asked; null for one with a key of its own. */
  account: string | null
  commitment: Commitment | null
  fillHash: Hex | null
}

/** A request id names a file: a relay must not lead us elsewhere with it. */
const FILE_SAFE = /^[\w-]{1,64}$/

const folderOf = (dataDir: string): string => join(dataDir, 'requests')

/** Keeps a request, in place of the former one of the same request. */
export function saveRequest(dataDir: string, saved: SavedRequest): void {
  const { requestId } = saved.request
  if (!FILE_SAFE.test(requestId))
    throw new CliError('the relay gave the request an invalid id', {
      code: 'bad_request_id',
      exitCode: EXIT.unexpected,
    })
  writePrivateJson(join(folderOf(dataDir), `${requestId}.json`), tag(saved))
}

/** The kept request by a unique start of its id, or the newest one. */
export function findSavedRequest(dataDir: string, text: string | undefined): SavedRequest {
  const all = listSavedRequests(dataDir)
  if (text !== undefined) {
    return findByPrefix(text, {
      noun: 'request of yours',
      items: all,
      idOf: idOf,
      list: 'rfqctl taker request @1 --budget 100',
    })
  }
  const newest = all.toSorted((a, b) => b.createdAt - a.createdAt)[0]
  if (newest !== undefined) return newest
  throw new CliError('you have not opened a request yet', {
    code: 'not_found',
    exitCode: EXIT.notFound,
    why: [`there is none in ${folderOf(dataDir)}`],
    hint: 'rfqctl taker request @1 --budget 100',
  })
}

/** The transaction of the newest fill; null when nothing was filled yet. */
export const newestFill = (dataDir: string): Hex | null =>
  listSavedRequests(dataDir)
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .find(({ fillHash }) => fillHash !== null)?.fillHash ?? null

const idOf = ({ request }: SavedRequest): string => request.requestId

/** All requests made here. */
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
