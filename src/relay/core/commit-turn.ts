import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Context } from './context.ts'
import type { CommitLease, CommitOutcome } from './ports/live.ts'
import { wantsProof } from './solvency.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'

/** The right to run the commit of a request; another node may take it over, for instance because this one stalled. */
export type CommitTurn = Extract<CommitLease, { kind: 'begun' }>

/**
 * If a commit with this key runs, here or on another node, waits for its end; takes its place if its node is gone, or if
 * it was refused for want of a proof that this call has. `committed`: another call has made the trade.
 */
export async function inTurn<Result>(
  context: Context,
  { requestId, key, isProven }: { requestId: string; key: string; isProven: boolean },
  work: (turn: CommitTurn) => Promise<Result>,
): Promise<Result | 'committed'> {
  let waitingFor: string | null = null
  for (;;) {
    const lease = await context.leases.begin(requestId, key, waitingFor)
    if (lease.kind === 'begun') return concluding(context, lease, work)
    if (lease.kind === 'running') {
      if (lease.terms !== key) throw new RfqError('commit_in_progress')
      waitingFor = lease.leaseId
      if ((await waitForTurn(context, requestId, waitingFor)) === 'committed') return 'committed'
      continue
    }
    if (lease.outcome.kind === 'committed') return 'committed'
    const { code, detail, data } = lease.outcome
    if (!isProven || !wantsProof(lease.outcome)) throw new RfqError(code, { detail, data })
    waitingFor = null
  }
}

/** Also ends when the request is committed: the maker may sign after the commit's node is gone. */
function waitForTurn(
  { leases, store, clock }: Pick<Context, 'leases' | 'store' | 'clock'>,
  requestId: string,
  leaseId: string,
) {
  return waitFor<'over' | 'committed'>(clock, {
    listen: (end) => leases.onEnd(leaseId, () => end('over')),
    poll: async () => {
      if ((await store.requests.find(requestId))?.status === 'committed') return 'committed'
      return (await leases.isRunning(requestId)) ? null : 'over'
    },
    nextPoll: () => clock.now() + POLL_INTERVAL_MS,
  })
}

async function concluding<Result>(
  context: Pick<Context, 'background'>,
  turn: CommitTurn,
  work: (turn: CommitTurn) => Promise<Result>,
): Promise<Result> {
  const end = (outcome: CommitOutcome) => context.background.run('lease_not_ended', () => turn.end(outcome))
  try {
    const result = await work(turn)
    end({ kind: 'committed' })
    return result
  } catch (fault) {
    const { code, message, data } = fault instanceof RfqError ? fault : new RfqError('internal_error')
    end({ kind: 'refused', code, detail: message, data })
    throw fault
  }
}
