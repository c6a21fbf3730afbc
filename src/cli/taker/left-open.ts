import { RelayError, type TakerClient } from '@rfqctl/client/index'
import { shortId, when } from '@rfqctl/lib/format'
import type { Cli } from '../cli.ts'
import { findSavedRequest } from '../context/saved-requests.ts'

/** Cancelling is too late: a maker signs, or has signed. */
const COMMITTING = new Set(['commit_in_progress', 'already_committed'])

/**
 * Cancels the request of a command that failed, and reports what remains open when the command was stopped or the
 * cancellation failed: for how long, and how to end it. Without a client, a request from before this command is left as
 * it is.
 */
export async function leaveRequest(
  cli: Cli,
  options: { dataDir?: string },
  { requestId, client }: { requestId: string; client: Pick<TakerClient, 'cancelQuoteRequest'> | null },
): Promise<void> {
  const { request, commitment, fillHash } = findSavedRequest(cli, options, requestId)
  const id = shortId(requestId, 'column')
  const advise = (state: string, until: number | null, text: string) =>
    cli.out.advise(
      { type: 'left_open', requestId, state, until: until === null ? null : new Date(until).toISOString() },
      text,
    )
  if (commitment !== null) {
    if (!cli.stop.aborted || commitment.onchain === null || fillHash !== null) return
    const until = commitment.onchain.order.validUntil * 1_000
    advise(
      'signed',
      until,
      `the order is signed and ends ${when(until, Date.now())}; to fill it: rfqctl taker fill ${id}`,
    )
    return
  }
  if (client !== null) {
    // A failed trade must not leave a request for makers to quote on; a committed one cannot be cancelled.
    const failure: unknown = await client.cancelQuoteRequest({ request }).then(
      () => null,
      (error: unknown) => error,
    )
    if (failure === null) {
      if (cli.stop.aborted) advise('cancelled', null, `request ${id} is cancelled`)
      return
    }
    if (failure instanceof RelayError) {
      if (!cli.stop.aborted || !COMMITTING.has(failure.code)) return
      advise(
        'committing',
        null,
        `a maker may have signed for request ${id}; to get its order: rfqctl taker commit ${id}`,
      )
      return
    }
  }
  const now = Date.now()
  if (request.expiresAt <= now || !(cli.stop.aborted || client !== null)) return
  advise(
    'open',
    request.expiresAt,
    `request ${id} stays open and closes ${when(request.expiresAt, now)}; to cancel it: rfqctl taker cancel ${id}`,
  )
}
