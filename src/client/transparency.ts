import type { Checkpoint } from '@rfqctl/protocol/domain/checkpoint'
import { type ReadTile, readRanges, tilePath } from '@rfqctl/protocol/domain/log-tiles'
import { consistencyRanges, HASH_BYTES, type Sha256, verifyConsistency } from '@rfqctl/protocol/domain/merkle-tree'
import type { QualityReport } from '@rfqctl/protocol/domain/quality'
import { decodeEnvironment } from '@rfqctl/protocol/wire/environment'
import { decodeQuality } from '@rfqctl/protocol/wire/quality'
import { RelayError } from './errors.ts'
import { type CallOptions, createHttp } from './http.ts'

/** The credential of a transcript's reader: a taker secret, a maker's API key, or the operator's token. */
export type TranscriptCredential = { takerSecret: string } | { apiKey: string } | { operatorToken: string }

/** The credential of a reader of makers' quality who is to see who they are. */
export type QualityCredential = { apiKey: string } | { operatorToken: string }

/** Client of a relay's transparency log. Every call rejects with `RelayError`, `RelayUnreachableError`, or the signal's reason. */
export type LogClient = {
  /**
   * Reads the file that shows how a price was found, as it is to be kept and verified.
   * @param input.requestId - The request.
   * @param input.credential - What shows that the caller may read it.
   * @returns The text of the file.
   * @throws RelayError `request_not_found`, `taker_secret_required`, `transcript_not_ready`.
   * @example
   * const { requestId, takerSecret } = request
   * const file = await log.getTranscript({ requestId, credential: { takerSecret } })
   */
  getTranscript: (input: { requestId: string; credential: TranscriptCredential } & CallOptions) => Promise<string>
  /**
   * Reads the newest signed checkpoint.
   * @param options - May carry a signal.
   * @returns The signed note.
   * @throws RelayError `not_found`: the log has no entry yet.
   * @example console.log(await log.getCheckpoint())
   */
  getCheckpoint: (options?: CallOptions) => Promise<string>
  /**
   * Reads the keys that sign the log, as the relay names them. A program that must not trust the relay has them from elsewhere.
   * @param options - May carry a signal.
   * @returns The verifier keys, as C2SP's signed-note writes them, the newest first.
   * @throws RelayError
   * @example const [key] = await log.getKeys()
   */
  getKeys: (options?: CallOptions) => Promise<readonly string[]>
  /**
   * Reads the quality of makers, as the log has it: how soon they answered, how long they held an order and how many of them they did
   * not sign, and how much better their quotes were than the next ones.
   * @param input.month - The month, such as `2027-01`; absent: this one.
   * @param input.credential - A maker's key or the operator's token, which show `makerId`; absent: pseudonyms alone.
   * @returns The makers, the most active first.
   * @throws RelayError `not_found`: the relay has no log; `invalid_api_key`.
   * @example
   * const { makers } = await log.getQuality({ month: '2027-01' })
   * for (const { pseudonym, response } of makers) console.log(pseudonym, response.p50Ms)
   */
  getQuality: (input?: { month?: string; credential?: QualityCredential } & CallOptions) => Promise<QualityReport>
}

/** Bytes of a checkpoint with the signatures of many witnesses. */
const MOST_BYTES = 100_000

/**
 * Creates a client of a relay's transparency log.
 * @param input.url - The relay's HTTP address.
 * @param input.fetch - Replacement for the global `fetch`.
 * @returns The client.
 * @example
 * import { createLogClient } from 'rfqctl/client'
 *
 * const log = createLogClient({ url: 'http://127.0.0.1:8787' })
 */
export function createLogClient(input: { url: string; fetch?: typeof globalThis.fetch }): LogClient {
  const { url, fetch } = input
  const http = createHttp({ url, ...(fetch === undefined ? {} : { fetch }) })
  return {
    getTranscript: ({ requestId, credential, signal }) =>
      http
        .readBytes(`/v1/quote-requests/${encodeURIComponent(requestId)}/transcript`, {
          headers: headersOf(credential),
          signal,
        })
        .then(textOf),
    getCheckpoint: ({ signal } = {}) => http.readBytes('/v1/log/checkpoint', { signal, most: MOST_BYTES }).then(textOf),
    getKeys: async ({ signal } = {}) =>
      (await http.call('GET', '/v1/environment', { signal, decode: decodeEnvironment })).logKeys,
    getQuality: ({ month, credential, signal } = {}) =>
      http.call('GET', `/v1/quality${month === undefined ? '' : `?${new URLSearchParams({ month })}`}`, {
        headers: credential === undefined ? {} : headersOf(credential),
        signal,
        decode: decodeQuality,
      }),
  }
}

function headersOf(credential: TranscriptCredential): Record<string, string> {
  if ('takerSecret' in credential) return { 'x-taker-secret': credential.takerSecret }
  if ('apiKey' in credential) return { 'x-api-key': credential.apiKey }
  return { authorization: `Bearer ${credential.operatorToken}` }
}

/** Whether one tree extends another, by the tiles of the log at `url`; `first` is the smaller one. */
export async function isExtension(
  { url, sha256, signal }: { url: string; sha256: Sha256 } & CallOptions,
  { first, second }: { first: Checkpoint; second: Checkpoint },
): Promise<boolean> {
  if (first.size === 0 || first.size >= second.size) return verifyConsistency(sha256, { first, second, path: [] })
  const http = createHttp({ url })
  const readTile: ReadTile = async (tile) => {
    const most = tile.width * HASH_BYTES
    const bytes = await http.readBytes(`/v1/log/${tilePath(tile)}`, { signal, most }).catch(unlessMissing)
    // A log must have the tiles of what it has signed: without them nothing is proved.
    return bytes.length === most ? bytes : new Uint8Array(most)
  }
  const ranges = consistencyRanges(first.size, second.size)
  const path = await readRanges(sha256, readTile, { ranges, size: second.size })
  return verifyConsistency(sha256, { first, second, path })
}

function unlessMissing(fault: unknown): Uint8Array {
  if (fault instanceof RelayError && fault.code === 'not_found') return new Uint8Array()
  throw fault
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
