import { checkLinearizable, type Model, type Operation, type Verdict } from './check-linearizable.ts'

/** Calls on one request. A cancel without an answer is also that of a relay that makes room (protocol open-4). */
export type RequestCall =
  | { kind: 'commit'; wallet: string }
  | { kind: 'cancel' }
  /** A maker sends its signature. */
  | { kind: 'confirm'; quoteId: string }
  | { kind: 'poll' }
  /** Its time ends: a call that no one answers. */
  | { kind: 'expire' }

/** Their answers. `done`: a cancel or a confirm was taken. */
export type RequestAnswer =
  | { kind: 'traded'; executionId: string; quoteId: string }
  | { kind: 'done' }
  | { kind: 'refused'; code: string }
  | { kind: 'status'; status: Status }

type Status = 'open' | 'committed' | 'cancelled' | 'expired'

export type RequestOperation = Operation<RequestCall, RequestAnswer>

/** Null in a trade: no answer has named it yet. */
type RequestState =
  | { status: 'open' | 'cancelled' | 'expired' }
  | { status: 'committed'; wallet: string; executionId: string | null; quoteId: string | null }

export type RequestVerdict = Verdict<RequestState, RequestCall, RequestAnswer>

/**
 * Codes that say how a request stands (protocol commit-6). Any other code is right in every state, among them those of the
 * body, the secret and the proof.
 */
const STATUSES_OF: Readonly<Record<RequestCall['kind'], Readonly<Record<string, readonly Status[]>>>> = {
  commit: {
    request_closed: ['committed', 'cancelled', 'expired'],
    already_committed: ['committed'],
    // Near the option's expiry also of a request that is open (protocol commit-8).
    request_expired: ['open', 'expired'],
    wallet_mismatch: ['open'],
    commit_in_progress: ['open'],
    no_valid_quotes: ['open'],
    no_acceptable_quote: ['open'],
    quote_changed: ['open'],
    series_not_registered: ['open'],
    series_halted: ['open'],
    no_maker_confirmed: ['open'],
  },
  cancel: {
    request_closed: ['committed', 'cancelled', 'expired'],
    request_expired: ['expired'],
    commit_in_progress: ['open'],
  },
  confirm: {},
  poll: {},
  expire: {},
}

/** Refusals and faults after which the call may still take effect. */
const UNKNOWN = ['internal_error', 'store_unavailable', 'chain_unavailable', 'shutting_down', 'request_timeout']

/** An answer with such a code; null: it does not say whether the call had an effect. */
export const refusedWith = (code: string): RequestAnswer | null =>
  UNKNOWN.includes(code) ? null : { kind: 'refused', code }

/**
 * One request as a register: open, then committed, cancelled or expired. `isClockExact`: all nodes have the same clock.
 * Otherwise one may find it expired that is open for another.
 */
const requestRegister = ({
  isClockExact,
}: {
  isClockExact: boolean
}): Model<RequestState, RequestCall, RequestAnswer> => ({
  initial: { status: 'open' },
  keyOf: (state) => JSON.stringify(state),
  step: (state, call, answer) => {
    if (answer === null) return effectOf(call, state)
    if (answer.kind === 'traded') return call.kind === 'commit' ? afterTrade(state, call.wallet, answer) : null
    if (answer.kind === 'done') {
      if (call.kind === 'confirm') return afterConfirm(state, call.quoteId)
      return call.kind === 'cancel' && MAY_BE_CANCELLED.includes(state.status) ? effectOf(call, state) : null
    }
    const statuses = answer.kind === 'status' ? [answer.status] : STATUSES_OF[call.kind][answer.code]
    const mayBeOpen = !isClockExact && statuses?.includes('expired') === true
    return statuses === undefined || statuses.includes(state.status) || (mayBeOpen && state.status === 'open')
      ? state
      : null
  },
})

/** A cancel that was under way when the time ended may still be taken: the request is over either way. */
const MAY_BE_CANCELLED: readonly Status[] = ['open', 'expired']

/** The state after a call that has its effect, if it still can. */
function effectOf(call: RequestCall, state: RequestState): RequestState {
  if (call.kind === 'cancel') return MAY_BE_CANCELLED.includes(state.status) ? { status: 'cancelled' } : state
  if (state.status !== 'open') return state
  if (call.kind === 'expire') return { status: 'expired' }
  if (call.kind !== 'commit') return state
  return { status: 'committed', wallet: call.wallet, executionId: null, quoteId: null }
}

/** A trade is one, and of the wallet that committed, whoever asks again (protocol commit-5). */
function afterTrade(
  state: RequestState,
  wallet: string,
  { executionId, quoteId }: RequestAnswer & { kind: 'traded' },
): RequestState | null {
  if (state.status === 'open') return { status: 'committed', wallet, executionId, quoteId }
  const isSame =
    state.status === 'committed' &&
    state.wallet === wallet &&
    (state.executionId ?? executionId) === executionId &&
    (state.quoteId ?? quoteId) === quoteId
  return isSame ? { status: 'committed', wallet, executionId, quoteId } : null
}

/** A signature is taken for a commit that runs: its effect is the commit's, and comes with it. */
function afterConfirm(state: RequestState, quoteId: string): RequestState | null {
  if (state.status !== 'committed' || (state.quoteId ?? quoteId) !== quoteId) return null
  return { ...state, quoteId }
}

/** Judges the calls of one request; those of another say nothing of it. */
export const checkRequest = (
  operations: readonly RequestOperation[],
  clock: { isClockExact: boolean },
): RequestVerdict => checkLinearizable(requestRegister(clock), operations)

/** Calls that come before a wrong answer and are named with it. */
const MOST_NAMED = 8

/** A verdict as a sentence; null where nothing is wrong. */
export function describeVerdict(verdict: RequestVerdict): string | null {
  if (verdict.kind === 'linearizable') return null
  if (verdict.kind === 'undecided') return `undecided after ${verdict.looked} configurations`
  const { prefix, state, misfits } = verdict
  const left = prefix.length > MOST_NAMED ? `${prefix.length - MOST_NAMED} others, ` : ''
  const first = prefix.length === 0 ? 'at first' : `after ${left}${prefix.slice(-MOST_NAMED).map(describe).join(', ')}`
  return `${first} it is ${state.status}, and none of these may come next: ${misfits.map(describe).join(', ')}`
}

function describe({ process, input, output, called, returned }: RequestOperation): string {
  if (input.kind === 'expire') return 'the end of its time'
  const detail = input.kind === 'commit' ? ` by ${input.wallet}` : ''
  const answer = output === null ? 'no answer' : answerText(output)
  const times = returned === null ? `since ${called}` : `from ${called} to ${returned}`
  return `${input.kind}${detail} of ${process} ${times} (${answer})`
}

function answerText(output: RequestAnswer): string {
  if (output.kind === 'traded') return `order ${output.executionId} of ${output.quoteId}`
  if (output.kind === 'refused') return output.code
  return output.kind === 'status' ? output.status : 'taken'
}
