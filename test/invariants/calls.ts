import {
  checkRequest,
  describeVerdict,
  type RequestOperation,
  refusedWith,
} from '../linearizability/request-register.ts'
import type { Assert } from './invariants.ts'
import type { Moment, ObservationOf } from './observation.ts'
import type { RequestHistory, Surroundings } from './request-history.ts'

/** V17: some order of the calls, each between its sending and its answer, explains all answers. */
export function checkCalls(request: RequestHistory, { isExact, bookLosses }: Surroundings, assert: Assert): void {
  // A live market that is back without its last writes shows as open what has ended, until it is put back (fault I4).
  const isPutBack = ({ at }: Moment) =>
    !isExact && bookLosses.some((lost) => lost.at <= at && at < lost.at + PUT_BACK_MS)
  const operations = operationsOf(request, (polled) => polled.status !== 'open' || !isPutBack(polled.answered))
  if (operations.length === 0) return
  const found = describeVerdict(checkRequest([...operations, EXPIRY], { isClockExact: isExact }))
  assert('V17', request.requestId, found === null, () => `${request.requestId} answered out of order: ${found}`)
}

/** A live market is put back within this, in milliseconds. */
const PUT_BACK_MS = 5_000

function operationsOf(
  request: RequestHistory,
  isSure: (polled: ObservationOf<'polled'>) => boolean,
): RequestOperation[] {
  const commits = request.of('commit').map((commit): RequestOperation => {
    const { wallet, side, sent, answered, status, executionId, quoteId, code } = commit
    const isTraded = status === 200 && executionId !== null && quoteId !== null
    const output = isTraded ? ({ kind: 'traded', executionId, quoteId } as const) : refusalBy({ status, code })
    return {
      process: 'a taker',
      // Where both sides are asked for, a commit of the other side is another one.
      input: { kind: 'commit', wallet: [wallet.toLowerCase(), side ?? []].flat().join(' ') },
      output,
      ...times(sent, answered),
    }
  })
  const cancels = request.of('cancel').map(({ sent, answered, status, code }): RequestOperation => {
    const output = status === 200 ? ({ kind: 'done' } as const) : refusalBy({ status, code })
    return { process: 'its taker', input: { kind: 'cancel' }, output, ...times(sent, answered) }
  })
  const confirms = request.of('confirm').flatMap(({ makerId, quoteId, sent, answered, status }): RequestOperation[] => {
    // One that was refused, or may have been, says nothing of the request.
    if (status !== 200) return []
    const output = { kind: 'done' } as const
    return [{ process: makerId, input: { kind: 'confirm', quoteId }, output, ...times(sent, answered ?? null) }]
  })
  const polls = request
    .of('polled')
    .filter(isSure)
    .map(
      ({ asked, answered, status }): RequestOperation => ({
        process: 'a watcher',
        input: { kind: 'poll' },
        output: { kind: 'status', status },
        ...times(asked, answered),
      }),
    )
  return [...commits, ...cancels, ...confirms, ...polls]
}

/** The end of its time, which is not observed: it comes at any time, or not before another end. */
const EXPIRY: RequestOperation = { process: 'time', input: { kind: 'expire' }, output: null, called: 0, returned: null }

/** Null where it is not known whether the call had an effect. */
const refusalBy = ({ status, code }: { status: number; code?: string | undefined }) =>
  status === 0 || code === undefined ? null : refusedWith(code)

const times = (called: Moment, returned: Moment | null) => ({
  called: called.order,
  returned: returned === null ? null : returned.order,
})
