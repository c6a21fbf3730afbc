import { type AuditEntry, makerOf } from '@rfqctl/protocol/domain/audit'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isForMaker, type Transcript } from '@rfqctl/protocol/domain/transcript'
import type { Context } from './context.ts'
import { assertTakerSecret } from './find-request.ts'
import type { KeyedQueue, QueueBounds } from './keyed-queue.ts'

/** Transcripts that are put together at a time, each of some megabytes at most, and readers that wait for theirs. */
export const TRANSCRIPT_TURNS: QueueBounds = { atWork: 2, waiting: 64 }

/** The end of a request that the store has is in the log by then, or never, in milliseconds. */
const END_LOST_MS = 60_000

/** A reader of a transcript, by the credential that it showed. */
export type TranscriptReader =
  | { kind: 'taker'; takerSecret: string | null }
  | { kind: 'maker'; makerId: string }
  | { kind: 'operator' }

/**
 * The life of a request with proofs. Its taker and the operator see every line, a maker its own; makers and taker once the request
 * has ended, since it shows the quotes of others.
 * Refuses with `not_found` where there is no log, `request_not_found`, `taker_secret_required`, `transcript_not_ready`, and
 * `too_many_requests` if too many wait.
 */
export async function readTranscript(
  context: Context,
  inTurn: KeyedQueue,
  { requestId, reader }: { requestId: string; reader: TranscriptReader },
): Promise<Transcript> {
  const { transparency, chain } = context
  if (transparency === null) throw new RfqError('not_found')
  const isPending = reader.kind === 'taker' && (await statusFor(context, requestId, reader)) !== 'over'
  const found = await inTurn('transcript', () => transparency.linesOf(requestId))
  if (found === null) throw new RfqError(isPending ? 'transcript_not_ready' : 'request_not_found')
  const entries = found.lines.flatMap(({ record: { entry } }) => entry ?? [])
  const isShown = (entry: AuditEntry | null) =>
    reader.kind !== 'maker' || (entry !== null && isForMaker(entry, reader.makerId))
  if (reader.kind === 'maker' && !entries.some((entry) => makerOf(entry) === reader.makerId))
    throw new RfqError('request_not_found')
  if (
    reader.kind !== 'operator' &&
    !(await isComplete(context, { requestId, entries, completeMs: waitOf(context, reader, transparency.completeMs) }))
  )
    throw new RfqError('transcript_not_ready')
  const leaves = found.lines.map(({ commitment, salt, record, ...place }) =>
    isShown(record.entry) ? { ...place, salt, record } : { ...place, commitment },
  )
  const hasOrder = entries.some(
    (entry) => entry.kind === 'confirmed' && entry.orderHash !== undefined && isShown(entry),
  )
  const { chainId, settlementAddress } = chain.environment
  return {
    requestId,
    checkpoint: found.checkpoint,
    keys: found.keys,
    domain: hasOrder ? { chainId, settlementAddress } : null,
    leaves,
  }
}

/** A loser hears of the end no sooner by its transcript. */
const waitOf = ({ settings }: Context, { kind }: TranscriptReader, completeMs: number): number =>
  kind === 'maker' ? Math.max(completeMs, settings.feedbackDelayMs) : completeMs

/** Whether the log has the end of a request, and what every node heard of it. A crash may have taken the end. */
async function isComplete(
  { store, clock }: Context,
  { requestId, entries, completeMs }: { requestId: string; entries: readonly AuditEntry[]; completeMs: number },
): Promise<boolean> {
  const closed = entries.find(({ kind }) => kind === 'closed')
  if (closed !== undefined && hasOrder(entries)) return clock.now() >= closed.at + completeMs
  const newest = Math.max(...entries.map(({ at }) => at))
  if (clock.now() < newest + END_LOST_MS) return false
  return (await store.requests.find(requestId))?.status !== 'open'
}

/** A node that crashed may have lost the order of a signature, which is entered again soon; an earlier one was missed. */
function hasOrder(entries: readonly AuditEntry[]): boolean {
  const trade = entries.find((entry) => entry.kind === 'confirmed')
  if (trade === undefined || trade.order !== undefined) return true
  return entries.some(
    (entry) => entry.kind === 'asked' && entry.quoteId === trade.quoteId && entry.deadline >= trade.at,
  )
}

/** A request that ended without a trade has no leaves unless it had a commit. */
async function statusFor(
  context: Context,
  requestId: string,
  { takerSecret }: { takerSecret: string | null },
): Promise<'pending' | 'over'> {
  const found = await context.store.requests.find(requestId)
  if (found === null) throw new RfqError('request_not_found')
  assertTakerSecret(context, found.request, takerSecret)
  return found.status === 'open' || found.status === 'committed' ? 'pending' : 'over'
}
