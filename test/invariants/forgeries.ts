import {
  ADA,
  at,
  confirm,
  DOMAIN,
  ended,
  FIRM_ORDER,
  honestHistory,
  makerEvent,
  ORDER,
  orderEnded,
  orderSent,
  recordOf,
  signedBy,
} from './forged-history.ts'
import type { Invariant } from './invariants.ts'
import type { Observation, ObservationOf } from './observation.ts'

/** One fault put into an honest history, and the sentence that it must be found by. */
export type Forgery = [invariant: Invariant, sentence: RegExp, forge: (history: Forged) => void]

/** A history that can be forged. */
export type Forged = {
  history: ReturnType<typeof honestHistory>
  add: (...observations: Observation[]) => void
  /** Changes the observation of a kind, or the nth of them. */
  change: <Kind extends Observation['kind']>(kind: Kind, fields: Partial<ObservationOf<Kind>>, index?: number) => void
  /** Leaves out the observations of a kind that meet a condition. */
  drop: (isDropped: (observation: Observation) => boolean) => void
}

/** The honest history, to be forged. */
export function forgeable(): Forged {
  const history = honestHistory()
  const { observations } = history
  return {
    history,
    add: (...added) => void observations.push(...added),
    change: (kind, fields, index = 0) => {
      const observation = observations.filter((one) => one.kind === kind)[index]
      if (observation === undefined) throw new Error('the honest history has changed')
      observations[observations.indexOf(observation)] = { ...observation, ...fields } as Observation
    },
    drop: (isDropped) => {
      const kept = observations.filter((observation) => !isDropped(observation))
      if (kept.length === observations.length) throw new Error('the honest history has changed')
      observations.splice(0, observations.length, ...kept)
    },
  }
}

/** Ada is suspended, as is heard before anything else. */
export function suspend(
  { history }: Forged,
  { from, until, reinstated }: { from: number; until: number; reinstated?: number },
): void {
  const about = { makerId: 'ada', until: at(until).at }
  if (reinstated !== undefined) {
    history.observations.unshift({ kind: 'maker_reinstated', makerId: 'ada', moment: at(reinstated) })
  }
  history.observations.unshift({ kind: 'maker_suspended', ...about, moment: at(from) })
}

/** The commit of a history. */
const commitOf = ({ history }: Forged): ObservationOf<'commit'> =>
  history.observations.find(({ kind }) => kind === 'commit') as ObservationOf<'commit'>

/** The order that a taker was given, changed; signed again by Ada, or by the signature of before. */
function reveal(forged: Forged, order: object, signer: 'ada' | 'bob' = 'bob'): void {
  const revealed = commitOf(forged).revealed as NonNullable<ObservationOf<'commit'>['revealed']>
  const changed = { ...ORDER, ...order }
  const signature = signer === 'bob' ? revealed.signature : signedBy(ADA, changed)
  forged.change('commit', { revealed: { ...revealed, order: changed, signature } })
}

/** Bob has its nonce, and is asked for it until the 90th second. */
const askedLater = (order: object) => orderSent('bob', { ...ORDER, ...order }, 90)

/** Bob trades within a moment, without a chain, and Ada is not asked although it gave better. */
function tradeAtOnce({ change, drop }: Forged): void {
  drop((one) => one.kind === 'order_sent' && one.makerId === 'ada')
  change('commit', { sent: at(20.2), answered: at(21), revealed: null })
  drop((one) => one.kind === 'quote_shown' && one.by === 'stream')
}

/** One fault each. */
export const FORGERIES: readonly Forgery[] = [
  [
    'V1',
    /^one was answered with two orders/,
    (forged) => forged.add({ ...commitOf(forged), executionId: 'another', revealed: null }),
  ],
  ['V1', /^one was won by bob and by ada/, ({ add }) => add(ended('ada', 'confirmed', 'another'))],
  ['V1', /^one took the signatures of bob and of ada/, ({ add }) => add(confirm('ada', 200))],
  [
    'V1',
    /^bob was asked for one while ada could sign/,
    ({ change }) => change('order_sent', { deadline: at(22).at, asked: at(18) }),
  ],
  [
    'V1',
    /^one asked bob for another order than before/,
    ({ add }) => add(orderSent('bob', { ...ORDER, optionAmount: '832' }, 24)),
  ],
  ['V1', /^.* got the nonces 5 and 6 for one/, ({ add }) => add(askedLater({ nonce: 6 }))],
  ['V2', /^the order of one names .* and was signed by/, (forged) => reveal(forged, {}, 'ada')],
  ['V2', /^the order of one names .* and was signed by/, (forged) => reveal(forged, { premiumAmount: '1' })],
  ['V2', /^the order of one is for .*, not for/, ({ change }) => change('commit', { wallet: ADA.address })],
  [
    'V2',
    /^the order of one had ended when it was revealed/,
    (forged) => {
      const revealed = commitOf(forged).revealed as NonNullable<ObservationOf<'commit'>['revealed']>
      forged.change('commit', { revealed: { ...revealed, at: at(201).at } })
    },
  ],
  ['V2', /^the order of one is beyond the limit of 119999/, ({ change }) => change('commit', { limitPrice: 119_999n })],
  ['V2', /^one is to be signed for .*, who did not commit/, ({ add }) => add(askedLater({ taker: ADA.address }))],
  [
    'V2',
    /^one is 834 options for 99960000, which nobody quoted/,
    ({ add }) => add(askedLater({ optionAmount: '834' })),
  ],
  [
    'V2',
    /^one is 833 options for 99960001, which nobody quoted/,
    ({ add }) => add(askedLater({ premiumAmount: '99960001' })),
  ],
  ['V2', /^one is 833 options for 99960000, which nobody quoted/, ({ change }) => change('quote', { size: 832n }, 1)],
  [
    'V2',
    /^one is 833 options for 99960000, which nobody quoted/,
    ({ change }) => change('request_opened', { size: 832n }),
  ],
  ['V2', /^the order of one names .*, who did not quote/, ({ add }) => add(askedLater({ maker: ADA.address }))],
  ['V2', /^the order of one is the wrong way round/, ({ add }) => add(askedLater({ makerSelling: false }))],
  ['V2', /^one is to be signed after its order has ended/, ({ add }) => add(orderSent('bob', ORDER, 201))],
  ['V3', /^bob heard twice on one socket how one ended/, ({ add }) => add(ended('bob', 'confirmed'))],
  ['V3', /^bob heard of one both confirmed and rejected/, ({ add }) => add(ended('bob', 'rejected', 'another'))],
  [
    'V3',
    /^bob heard that its quote for one was rejected, which is not so/,
    ({ change }) => change('quote_ended', { outcome: 'rejected' }, 1),
  ],
  [
    'V3',
    /^ada heard that its quote for one was confirmed, which is not so/,
    ({ change }) => change('quote_ended', { outcome: 'confirmed' }),
  ],
  [
    'V3',
    /^ada did not hear how one ended/,
    ({ drop }) => drop((one) => one.kind === 'quote_ended' && one.makerId === 'ada'),
  ],
  ['V3', /^a late signature of ada for one was taken/, ({ add }) => add(confirm('ada', 200, 15))],
  ['V3', /^ada was never told how one ended/, ({ change }) => change('history_read', { endings: [] })],
  [
    'V3',
    /^the history of bob has 2 endings of one/,
    ({ change }) => {
      const ending = { requestId: 'one', quoteId: 'of bob', status: 'confirmed' }
      change('history_read', { endings: [ending, ending] }, 1)
    },
  ],
  [
    'V3',
    /^ada heard rejected of one and its history says confirmed/,
    ({ change }) => change('history_read', { endings: [{ requestId: 'one', quoteId: 'of ada', status: 'confirmed' }] }),
  ],
  [
    'V4',
    /^ada was told 2 times that one is over/,
    ({ add }) => add(makerEvent('ada', 9, 'quote_request_expired', 'one')),
  ],
  [
    'V4',
    /^bob was not told that one is over/,
    ({ drop }) => drop((one) => one.kind === 'maker_event' && one.stream === 'bob'),
  ],
  [
    'V4',
    /^the taker closed twice/,
    ({ add }) => add({ kind: 'taker_event', stream: 'the taker', event: 'closed', requestId: 'one', moment: at(22) }),
  ],
  [
    'V4',
    /^the taker did not close when one was over/,
    ({ drop }) => drop((one) => one.kind === 'taker_event' && one.event === 'closed'),
  ],
  [
    'V4',
    /^the taker went on after its end/,
    ({ add }) =>
      add({ kind: 'taker_event', stream: 'the taker', event: 'best_quote', requestId: 'one', moment: at(22) }),
  ],
  [
    'V4',
    /^one never ended/,
    ({ history, drop }) => {
      history.isComplete = true
      drop(
        (one) => (one.kind === 'maker_event' && one.id === 8) || (one.kind === 'taker_event' && one.event === 'closed'),
      )
    },
  ],
  ['V5', /^7 was resolved at 40 and at 41/, ({ change }) => change('series_resolved', { resolutionBps: 41 }, 1)],
  ['V6', /^ada got the id 8 after 8/, ({ add }) => add(makerEvent('ada', 8, 'quote_request', 'two'))],
  [
    'V6',
    /^the id 8 is "quote_request_expired one" and "quote_request two"/,
    ({ add }) =>
      add(
        { kind: 'maker_stream_opened', stream: 'cyd', after: 7, isLasting: false },
        makerEvent('cyd', 8, 'quote_request', 'two'),
      ),
  ],
  ['V6', /^ada missed between 8 and 10/, ({ add }) => add(makerEvent('ada', 10, 'quote_request', 'two'))],
  ['V6', /^bob missed between 6 and 8/, ({ change }) => change('maker_stream_opened', { after: 6 }, 1)],
  ['V6', /^bob got the id 8 after 9/, ({ change }) => change('maker_stream_opened', { after: 9 }, 1)],
  [
    'V6',
    /^ada heard of another epoch between 8 and 1000000001/,
    ({ add }) => add(makerEvent('ada', 1_000_000_001, 'quote_request', 'two')),
  ],
  [
    'V7',
    /^one showed bob at 120000 while ada gave 110000/,
    ({ change }) => change('quote_shown', { quoteId: 'of bob' }),
  ],
  [
    'V7',
    /^one showed bob at 120000 while ada gave 110000/,
    // Just before somebody commits.
    ({ change }) => change('quote_shown', { quoteId: 'of bob', asked: at(9.98), answered: at(9.99) }),
  ],
  [
    'V7',
    /^one showed ada at 110000 while bob gave 120000/,
    // The one that has missed comes last, whatever its price.
    ({ change }) => change('quote_shown', { quoteId: 'of ada' }, 1),
  ],
  [
    'V7',
    /^one showed ada at 120000 while bob gave 120000/,
    ({ change }) => {
      change('quote', { price: 120_000n, sent: at(3), answered: at(3.001) })
      change('quote', { sent: at(2), answered: at(2.001) }, 1)
    },
  ],
  ['V7', /^one showed no quote while that of ada was live/, ({ change }) => change('quote_shown', { quoteId: null })],
  ['V7', /^one showed of nobody, which nobody quoted/, ({ change }) => change('quote_shown', { quoteId: 'of nobody' })],
  ['V7', /^one showed the quote of ada after its end/, ({ change }) => change('quote', { livesMs: 1_000 })],
  [
    'V7',
    /^one showed the quote of ada after its end/,
    ({ add }) => add({ kind: 'quote_withdrawn', requestId: 'one', quoteId: 'of ada', sent: at(2) }),
  ],
  [
    'V7',
    /^one was shown at 120000, the best of all was 110000/,
    // Too soon for a stream to be held against the clock: but it counts both quotes.
    ({ change }) => change('quote_shown', { quoteId: 'of bob', by: 'stream', asked: at(1.1), answered: at(1.1) }),
  ],
  [
    'V7',
    /^one was shown at 110000, the best of all was 120000/,
    ({ change }) => change('request_opened', { side: 'sell', budget: null, size: 100n }),
  ],
  ['V7', /^one was taken at 120000 while ada gave 110000/, tradeAtOnce],
  [
    'V7',
    /^bob was asked at 120000 while ada gave 110000/,
    (forged) => {
      tradeAtOnce(forged)
      Object.assign(forged.history, { coverage: EXACT })
      forged.change('order_sent', { asked: at(20.5) })
    },
  ],
  [
    'V7',
    /^one showed 3 quotes while 2 were live/,
    (forged) => {
      Object.assign(forged.history, { coverage: EXACT })
      forged.change('quote_shown', { quoteCount: 3 })
    },
  ],
  [
    'V7',
    /^one showed ada at 110000 while bob gave 120000/,
    (forged) => {
      // With exact moments a miss is told, and counts at once.
      Object.assign(forged.history, { coverage: EXACT })
      forged.add({ kind: 'deadlines_missed', requestId: 'one', makerId: 'ada', misses: 1, moment: at(4) })
    },
  ],
  [
    'V7',
    /^one showed ada at 110000 while bob gave 120000/,
    (forged) => {
      Object.assign(forged.history, { coverage: EXACT })
      forged.add({ kind: 'maker_demoted', makerId: 'ada', isDemoted: true, moment: at(4) })
    },
  ],
  ['V8', /^the log shows a key/, ({ change }) => change('sink', { text: '{"apiKey":"canary"}' })],
  [
    'V8',
    /^Postgres shows a late signature of ada/,
    ({ add }) => add(confirm('ada', 404, 15), { kind: 'sink', name: 'Postgres', text: '(of ada,0x11ada)' }),
  ],
  [
    'V9',
    /^3 makers were told of one, and 2 to 2 were connected/,
    ({ change }) => change('makers_counted', { counted: 3 }),
  ],
  ['V9', /^-1 makers were told of one/, ({ change }) => change('makers_counted', { counted: -1 })],
  ['V10', /^ada confirmed of ada by a 200, and its history does not have it/, ({ add }) => add(confirm('ada', 200))],
  [
    'V10',
    /^the commit of one was answered by traded, and later by nothing/,
    ({ change }) => change('promise_reread', { kept: 'nothing' }),
  ],
  [
    'V11',
    /^bob was asked although it was gone for longer than its grace/,
    ({ drop }) => drop(({ kind }) => kind === 'maker_back'),
  ],
  [
    'V16',
    /^bob lost its quote on one as if it were gone, and was not/,
    ({ add }) => add({ kind: 'quote_withdrawn', requestId: 'one', quoteId: 'of bob', sent: at(0.5), goneMaker: 'bob' }),
  ],
  [
    'V11',
    /^bob was asked 2 times within 60000 ms/,
    ({ history: { observations } }) => {
      const other = { ...orderSent('bob', { ...ORDER, nonce: 4 }, 22), requestId: 'two' }
      observations.splice(
        observations.findIndex(({ kind }) => kind === 'order_sent'),
        0,
        other,
      )
    },
  ],
  [
    'V11',
    /^bob was asked 1 times within 60000 ms without a proof/,
    ({ change }) => change('order_sent', { isProven: false }, 1),
  ],
  [
    'V11',
    /^bob was asked 1 times within 60000 ms/,
    ({ change }) => {
      const bounds = { ms: 60_000, maxAccepted: null, maxNotional: null }
      change('protections_put', { windows: [{ ...bounds, maxContracts: 832n }] })
    },
  ],
  [
    'V11',
    /^bob was asked 1 times within 60000 ms/,
    ({ change }) => {
      const bounds = { ms: 60_000, maxAccepted: null, maxContracts: null }
      change('protections_put', { windows: [{ ...bounds, maxNotional: 99_959_999n }] })
    },
  ],
  [
    'V11',
    /^bob was asked although it was gone for longer than its grace/,
    // It is heard of when Bob is back, but was decided before.
    (forged) => {
      absent(forged, { from: 15, until: 20 })
      forged.change('order_sent', { asked: at(20.5), counted: at(18.5) }, 1)
    },
  ],
  [
    'V11',
    /^bob was asked for a quote from before it was gone for too long/,
    (forged) => absent(forged, { from: 5, until: 9 }),
  ],
  [
    'V11',
    /^bob was asked 2 times within 60000 ms/,
    // The earlier one is heard of later.
    ({ add }) => add({ ...orderSent('bob', { ...ORDER, nonce: 4 }, 18), requestId: 'two' }),
  ],
  ...['confirmed', 'declined', 'bad_signature', 'insolvent', 'cancelled', 'defunded', 'what nobody knows'].map(
    (outcome): Forgery => [
      'V12',
      new RegExp(`^the record of ada counts ${outcome} of of ada, which it did not do`),
      ({ add }) => add(recordOf('ada', outcome)),
    ],
  ),
  [
    'V12',
    /^the record of ada counts declined of of ada, which it did not do/,
    // It was shown the taker with the order.
    ({ add }) => {
      add({
        kind: 'request_opened',
        requestId: 'one',
        side: 'buy',
        budget: 100_000_000n,
        size: null,
        namesWallet: false,
      })
      add({ kind: 'declined', requestId: 'one', makerId: 'ada', quoteId: 'of ada', sent: at(12), status: 200 })
      add(recordOf('ada', 'declined'))
    },
  ],
  ['V12', /^the record of ada counts missed of of ada twice/, ({ add }) => add(recordOf('ada', 'missed', 'missed'))],
  [
    'V12',
    /^the record of bob counts missed of of bob/,
    // It was asked, and has signed.
    ({ add }) => add(recordOf('bob', 'missed')),
  ],
  [
    'V12',
    /^the record of ada counts missed of of ada/,
    // Its signature came in time, and the relay could not keep it.
    ({ add }) => add(confirm('ada', 503)),
  ],
  [
    'V12',
    /^the record of ada counts missed of of ada/,
    // Its signature came in time, and the relay looked at it too late.
    ({ add }) => add(confirm('ada', 404)),
  ],
  [
    'V12',
    /^the record of ada counts missed of of ada/,
    ({ add }) =>
      add({ kind: 'declined', requestId: 'one', makerId: 'ada', quoteId: 'of ada', sent: at(12), status: 503 }),
  ],
  ['V12', /^the record of ada counts missed of of ada/, ({ add }) => add({ kind: 'relay_killed', moment: at(11) })],
  [
    'V12',
    /^the record of cyd counts missed of of cyd/,
    // Nobody had asked it.
    ({ add }) => add(recordOf('cyd', 'missed')),
  ],
  ['V12', /^ada was asked while it was suspended/, (forged) => suspend(forged, { from: 5, until: 60 })],
  [
    'V12',
    /^ada was asked while it was suspended/,
    // It was let in again, and that was later.
    (forged) => suspend(forged, { from: 5, until: 60, reinstated: 15 }),
  ],
  [
    'V12',
    /^ada was asked while it was suspended/,
    // That is heard of afterwards.
    ({ add }) => add({ kind: 'maker_suspended', makerId: 'ada', until: at(60).at, moment: at(5) }),
  ],
  ['V12', /^a quote of ada was taken while it was suspended/, (forged) => suspend(forged, { from: -5, until: 60 })],
  [
    'V12',
    /^bob was suspended for nothing/,
    ({ add }) => add({ kind: 'maker_suspended', makerId: 'bob', until: at(60).at, moment: at(30), because: [] }),
  ],
  ...['missed', 'confirmed'].map(
    (outcome): Forgery => [
      'V12',
      new RegExp(`^bob was suspended for ${outcome} of of bob, which it did not do`),
      ({ add }) => {
        const because = recordOf('bob', outcome).outcomes
        add({ kind: 'maker_suspended', makerId: 'bob', until: at(60).at, moment: at(30), because })
      },
    ],
  ),
  [
    'V12',
    /^two nodes tell the record of ada as one and as two/,
    ({ add }) => add({ kind: 'records_compared', makerId: 'ada', one: 'one', other: 'two' }),
  ],
  [
    'V13',
    /^two returned an order that no one signed beforehand for of ada in two/,
    ({ change }) => change('quote_sealed', { order: { ...FIRM_ORDER, premiumAmount: '99999999' } }),
  ],
  [
    'V13',
    /^two returned an order that no one signed beforehand for of ada in two/,
    ({ change }) => change('quote_sealed', { status: 400 }),
  ],
  [
    'V13',
    /^two returned an order signed beforehand as one that was asked for/,
    ({ change, history }) => {
      history.coverage = { lagMs: 0, unseen: {} }
      change('commit', { isFirm: false }, 1)
    },
  ],
  [
    'V13',
    /^ada was asked for the order that it had signed beforehand for two/,
    ({ add }) => add({ ...orderSent('ada', FIRM_ORDER, 70), requestId: 'two', quoteId: 'of ada in two' }),
  ],
  [
    'V13',
    /^two returned a firm signature of ada whose quote was replaced/,
    ({ add, history: { observations } }) => {
      const quoted = observations.filter(({ kind }) => kind === 'quote').at(-1) as ObservationOf<'quote'>
      add({ ...quoted, price: 120_000n, sent: at(63), answered: at(63.1) })
    },
  ],
  [
    'V13',
    /^two returned a firm signature of ada whose quote was withdrawn/,
    ({ add }) => add({ kind: 'quote_withdrawn', requestId: 'two', quoteId: 'of ada in two', sent: at(63) }),
  ],
  [
    'V13',
    /^two returned a soft quote where only firm ones were asked for/,
    ({ change }) => change('commit', { isFirmOnly: true, isFirm: false }, 1),
  ],
  [
    'V13',
    /^the firm signature of ada for two was signed by 0x/,
    ({ change }) => change('quote_sealed', { domain: { ...DOMAIN, chainId: 2 } }),
  ],
  [
    'V13',
    /^two returned a firm signature of ada whose quote had lapsed/,
    ({ change }) => change('quote', { livesMs: 2_000 }, 2),
  ],
  [
    'V8',
    /^the log shows a firm signature of ada/,
    ({ change, drop }) => {
      drop((one) => one.kind === 'order_taken' || (one.kind === 'commit' && one.requestId === 'two'))
      change('sink', { text: `made firm ${signedBy(ADA, FIRM_ORDER)}` })
    },
  ],
  ['V14', /^bob heard twice how its order of one ended/, ({ add }) => add(orderEnded('filled'))],
  [
    'V14',
    /^the order of one ended filled by a fill and expired/,
    ({ add }) => add(orderEnded('expired', { socket: 'another', s: 300, by: null })),
  ],
  [
    'V14',
    /^the order of one ended filled by another and filled by a fill/,
    ({ change }) => change('order_ended', { transactionHash: 'another' }),
  ],
  [
    'V14',
    /^the order of one expired before its time/,
    ({ change }) => change('order_ended', { state: 'expired', transactionHash: null, moment: at(198) }),
  ],
  [
    'V14',
    /^bob heard that an order of one ended, which it never signed/,
    ({ change }) => change('confirm', { status: 404 }),
  ],
  [
    'V14',
    /^the history of bob has the order of one open, which had ended/,
    ({ change, history: { observations } }) => {
      const read = observations.filter(({ kind }) => kind === 'history_read')[1] as ObservationOf<'history_read'>
      change('history_read', { endings: read.endings.map((one) => ({ ...one, orderStatus: { state: 'open' } })) }, 1)
    },
  ],
  [
    'V15',
    /^nonce 5 of .* was given to one and to two/,
    ({ add }) => add({ ...askedLater({}), requestId: 'two', quoteId: 'other' }),
  ],
  [
    'V15',
    /^nonce 6 of .* was given to two and to three/,
    ({ history: { observations }, add }) => {
      const firm = observations.find(({ kind }) => kind === 'quote_sealed') as ObservationOf<'quote_sealed'>
      add({ ...firm, requestId: 'three', quoteId: 'of ada in three' })
    },
  ],
  [
    'V17',
    /^one answered out of order: after .*commit .*\(order traded of of bob\).* it is committed, .*: poll .*\(open\)$/,
    ({ add }) => add(polled('open', 22)),
  ],
  ['V17', /^one .* at first it is open, .*: poll .*\(committed\)$/, ({ add }) => add(polled('committed', 9))],
  [
    'V17',
    /^one .* it is committed, .*: commit .*\(order another of of bob\)$/,
    (forged) => forged.add({ ...commitOf(forged), ...between(22, 23), executionId: 'another', revealed: null }),
  ],
  [
    'V17',
    /^one .* it is committed, .*: commit by 0xstranger .*\(order traded of of bob\)$/,
    (forged) => forged.add({ ...commitOf(forged), ...between(22, 23), wallet: '0xStranger', revealed: null }),
  ],
  [
    'V17',
    /^one .* it is committed, .*: commit .*\(no_valid_quotes\)$/,
    (forged) =>
      forged.add({
        ...commitOf(forged),
        ...{ ...between(22, 23), status: 409, code: 'no_valid_quotes', executionId: null, revealed: null },
      }),
  ],
  [
    'V17',
    /^one .* after .*cancel .*\(taken\) it is cancelled, .*: commit .*\(order traded of of bob\)/,
    ({ add }) => add({ kind: 'cancel', requestId: 'one', ...between(8, 9), status: 200 }),
  ],
  [
    'V17',
    /^one .* it is committed, .*: cancel .*\(taken\)$/,
    ({ add }) => add({ kind: 'cancel', requestId: 'one', ...between(22, 23), status: 200 }),
  ],
  [
    'V17',
    /^one .* it is committed, .*: cancel .*\(commit_in_progress\)$/,
    ({ add }) => add({ kind: 'cancel', requestId: 'one', ...between(22, 23), status: 409, code: 'commit_in_progress' }),
  ],
  ['V17', /^one .* confirm of ada .*\(taken\)/, ({ add }) => add({ ...confirm('ada', 200), answered: at(13) })],
  [
    'V17',
    /^three .* after the end of its time, poll .*\(expired\) it is expired, .*: poll .*\(open\)$/,
    ({ history, add }) => {
      Object.assign(history, { coverage: EXACT })
      for (const [s, status] of [
        [300, 'expired'],
        [301, 'open'],
      ] as const)
        add({ ...polled(status, s), requestId: 'three' })
    },
  ],
]

/** The moments of a call. */
const between = (sentS: number, answeredS: number) => ({ sent: at(sentS), answered: at(answeredS) })

/** A poll of the request, and its answer. */
const polled = (status: ObservationOf<'polled'>['status'], s: number): ObservationOf<'polled'> => ({
  kind: 'polled',
  requestId: 'one',
  asked: at(s),
  answered: at(s + 0.001),
  status,
})

/** Bob is gone from one second of the history until another one. */
function absent({ history: { observations } }: Forged, { from, until }: { from: number; until: number }): void {
  const index = observations.findIndex(({ kind }) => kind === 'order_sent')
  observations.splice(
    index,
    0,
    { kind: 'maker_gone', makerId: 'bob', moment: at(from) },
    { kind: 'maker_back', makerId: 'bob', moment: at(until) },
  )
}

const EXACT = { lagMs: 0, unseen: {} }
