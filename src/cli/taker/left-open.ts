import { RelayError, type TakerClient } from '@rfqctl/client/index'
import { shortId, when } from '@rfqctl/lib/format'
import type { Cli } from '../cli.ts'
import { findSavedRequest } from '../context/saved-requests.ts'

/** Why a request cannot be cancelled any longer: a maker signs, or has signed. */
const COMMITTING = new Set(['commit_in_progress', 'already_committed'])

/**
 * Ends what a command opened that came to nothing, and says what it leaves behind when it was stopped, or where that could not be
 * ended: how long it lasts, and how to end it. Without a client a request that was there before is left as it is.
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
    // A trade that did not come about leaves no request behind for makers to quote on; one that did cannot be cancelled.
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
