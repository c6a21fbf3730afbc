import { describe, expect, it } from 'vitest'
import {
  checkRequest,
  describeVerdict,
  type RequestAnswer,
  type RequestCall,
  type RequestOperation,
  refusedWith,
} from './request-register.ts'

const W = '0xw'
const COMMIT: RequestCall = { kind: 'commit', wallet: W }
const CANCEL: RequestCall = { kind: 'cancel' }
const TRADED: RequestAnswer = { kind: 'traded', executionId: 'e', quoteId: 'q' }
const DONE: RequestAnswer = { kind: 'done' }

type Times = [called: number, returned: number | null]

const op = ([called, returned]: Times, input: RequestCall, output: RequestAnswer | null): RequestOperation => ({
  process: 'p',
  input,
  output,
  called,
  returned,
})

const poll = (times: Times, status: (RequestAnswer & { kind: 'status' })['status']) =>
  op(times, { kind: 'poll' }, { kind: 'status', status })

/** Its time may be over from then on. */
const expiry = (at: number) => op([at, null], { kind: 'expire' }, null)

const find = (isClockExact: boolean, ...operations: RequestOperation[]) =>
  describeVerdict(checkRequest(operations, { isClockExact }))

/** Null where the answers are right. */
const found = (...operations: RequestOperation[]) => find(true, ...operations)

/** One history for each way that a request may be: a call or two that brought it there before 10. */
const REACHED: Record<string, readonly RequestOperation[]> = {
  open: [],
  committed: [op([0, 9], COMMIT, TRADED)],
  cancelled: [op([0, 9], CANCEL, DONE)],
  expired: [expiry(0), poll([1, 9], 'expired')],
}

/** In which of these a call may be answered so. */
const rightIn = (input: RequestCall, output: RequestAnswer): string[] =>
  Object.entries(REACHED).flatMap(([status, before]) =>
    found(...before, op([10, 11], input, output)) === null ? [status] : [],
  )

describe('a request', () => {
  it.each<[string, RequestCall, RequestAnswer, string[]]>([
    ['a commit', COMMIT, TRADED, ['open', 'committed']],
    ['a commit of another wallet', { kind: 'commit', wallet: '0xv' }, TRADED, ['open']],
    ['a commit by another order', COMMIT, { ...TRADED, executionId: 'f' }, ['open']],
    ['a commit by the order of another quote', COMMIT, { ...TRADED, quoteId: 'r' }, ['open']],
    ['a cancel', CANCEL, DONE, ['open', 'expired']],
    ['a confirm of the traded quote', { kind: 'confirm', quoteId: 'q' }, DONE, ['committed']],
    ['a confirm of another quote', { kind: 'confirm', quoteId: 'r' }, DONE, []],
    ['a poll by `open`', { kind: 'poll' }, { kind: 'status', status: 'open' }, ['open']],
    ['a poll by `committed`', { kind: 'poll' }, { kind: 'status', status: 'committed' }, ['committed']],
    ['a poll by `cancelled`', { kind: 'poll' }, { kind: 'status', status: 'cancelled' }, ['cancelled']],
    ['a poll by `expired`', { kind: 'poll' }, { kind: 'status', status: 'expired' }, ['expired']],
  ])('answers %s only where it may', (_, input, output, statuses) => {
    expect(rightIn(input, output)).toEqual(statuses)
  })

  it.each<[string, RequestCall, string[]]>([
    ['request_closed', COMMIT, ['committed', 'cancelled', 'expired']],
    ['already_committed', COMMIT, ['committed']],
    ['request_expired', COMMIT, ['open', 'expired']],
    ['commit_in_progress', COMMIT, ['open']],
    ['no_maker_confirmed', COMMIT, ['open']],
    ['no_valid_quotes', COMMIT, ['open']],
    ['invalid_signature', COMMIT, ['open', 'committed', 'cancelled', 'expired']],
    ['request_closed', CANCEL, ['committed', 'cancelled', 'expired']],
    ['commit_in_progress', CANCEL, ['open']],
    ['request_expired', CANCEL, ['expired']],
    ['taker_secret_required', CANCEL, ['open', 'committed', 'cancelled', 'expired']],
  ])('refuses with %s only where it may', (code, input, statuses) => {
    expect(rightIn(input, { kind: 'refused', code })).toEqual(statuses)
  })

  it('is open to one who asks while it is committed, and committed to one who asks later (protocol commit-5)', () => {
    const commit = op([0, 10], COMMIT, TRADED)
    expect(found(commit, poll([1, 9], 'open'), poll([5, 8], 'committed'))).toBeNull()
    expect(found(commit, poll([11, 12], 'open'))).toBe(
      'after commit by 0xw of p from 0 to 10 (order e of q) it is committed, and none of these may come next: poll of p from 11 to 12 (open)',
    )
    expect(found(commit, poll([1, 2], 'committed'), poll([3, 4], 'open'))).not.toBeNull()
  })

  it('takes one of a commit and a cancel that are made at once', () => {
    const both = (cancelled: RequestAnswer, committed: RequestAnswer) =>
      found(op([0, 10], COMMIT, committed), op([0, 10], CANCEL, cancelled))
    const closed: RequestAnswer = { kind: 'refused', code: 'request_closed' }
    expect(both(closed, TRADED)).toBeNull()
    expect(both(DONE, closed)).toBeNull()
    expect(both(DONE, TRADED)).not.toBeNull()
    expect(both(closed, closed)).not.toBeNull()
  })

  it('may be committed by a call that was never answered, once, at any time, and to its wallet alone', () => {
    const lost = op([0, null], COMMIT, null)
    expect(found(lost, poll([50, 51], 'open'), poll([60, 61], 'committed'))).toBeNull()
    expect(found(lost, poll([50, 51], 'committed'), op([60, 61], COMMIT, TRADED))).toBeNull()
    expect(
      found(lost, poll([50, 51], 'committed'), op([60, 61], { kind: 'commit', wallet: '0xv' }, TRADED)),
    ).not.toBeNull()
    expect(found(lost, op([1, 2], CANCEL, DONE), poll([3, 4], 'committed'))).not.toBeNull()
  })

  it('may be cancelled by a call that was never answered', () => {
    expect(found(op([0, null], CANCEL, null), poll([50, 51], 'cancelled'))).toBeNull()
    expect(found(poll([50, 51], 'cancelled'))).not.toBeNull()
  })

  it('is of the quote that its maker has confirmed, in either order of the answers', () => {
    const confirm = op([4, 5], { kind: 'confirm', quoteId: 'q' }, DONE)
    expect(found(op([0, 10], COMMIT, TRADED), confirm)).toBeNull()
    expect(found(op([6, 10], COMMIT, TRADED), confirm)).not.toBeNull()
    expect(found(op([0, 10], COMMIT, { ...TRADED, quoteId: 'r' }), confirm)).not.toBeNull()
  })

  it('expires once where all clocks agree, and for each node alone where they do not', () => {
    const late = [expiry(0), poll([0, 1], 'expired'), poll([2, 3], 'open')]
    expect(find(true, ...late)).not.toBeNull()
    expect(find(false, ...late)).toBeNull()
    expect(find(false, op([0, 1], COMMIT, TRADED), poll([2, 3], 'expired'))).not.toBeNull()
  })

  it('expires when its time is over, and ends no second time', () => {
    expect(found(poll([0, 1], 'expired'))).not.toBeNull()
    expect(found(expiry(2), poll([0, 1], 'expired'))).not.toBeNull()
    expect(found(expiry(2), poll([0, 3], 'expired'))).toBeNull()
    expect(found(expiry(2), op([3, 4], COMMIT, TRADED), poll([5, 6], 'expired'))).not.toBeNull()
    expect(
      found(expiry(2), {
        ...poll([3, 4], 'expired'),
        input: CANCEL,
        output: { kind: 'refused', code: 'request_closed' },
      }),
    ).toBeNull()
  })

  it('may have taken a call whose refusal is a fault of the relay', () => {
    expect(refusedWith('store_unavailable')).toBeNull()
    expect(refusedWith('no_maker_confirmed')).toEqual({ kind: 'refused', code: 'no_maker_confirmed' })
  })

  it('is undecided if the search was given up', () => {
    expect(describeVerdict({ kind: 'undecided', looked: 7 })).toBe('undecided after 7 configurations')
  })
})
