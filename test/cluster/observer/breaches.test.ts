import { describe, expect, it } from 'vitest'
import { breachesOf } from './breaches.ts'
import { ADA, asked, honestHistory, OPENED_AT, ORDER, signedBy } from './forged-history.ts'
import type { History, MakerMessage, StreamEvent } from './history.ts'

/** The item of a list that every honest history has. */
function only<Item>(list: readonly Item[], index = 0): Item {
  const item = list[index]
  if (item === undefined) throw new Error('the honest history has changed')
  return item
}

/** Adds to the messages of one socket. */
function tell(history: History, socket: number, ...messages: MakerMessage[]): void {
  const { makerId, messages: before } = only(history.sockets, socket)
  history.sockets[socket] = { makerId, messages: [...before, ...messages] }
}

/** Adds to the events of one stream. */
function stream(history: History, index: number, ...events: StreamEvent[]): void {
  const { events: before, ...rest } = only(history.makerStreams, index)
  history.makerStreams[index] = { ...rest, events: [...before, ...events] }
}

const event = (id: number | null, name: string, requestId: string): StreamEvent => ({
  event: name,
  id,
  requestId,
  best: null,
})

const at = (s: number) => OPENED_AT + s * 1_000

/** The order that a taker was given, changed, and signed anew unless the signature is what is changed. */
function reveal(history: History, order: object, signer = 'maker'): void {
  const commit = only(history.commits)
  if (commit.revealed === null) throw new Error('the honest history has changed')
  const changed = { ...ORDER, ...order }
  const signature = signer === 'maker' ? commit.revealed.signature : signedBy(ADA, changed)
  commit.revealed = { ...commit.revealed, order: changed, signature }
}

/** Each forgery is one fault, and the sentence that it must be found by. */
const FORGERIES: readonly [breach: RegExp, forge: (history: History) => void][] = [
  [
    /^V1: one was answered with two orders/,
    (history) => history.commits.push({ ...only(history.commits), executionId: 'another', revealed: null }),
  ],
  [
    /^V1: one was won by ada and by bob/,
    (history) => tell(history, 0, { type: 'quote:confirmed', requestId: 'one', quoteId: 'of ada' }),
  ],
  [
    /^V1: bob was asked for one while ada could sign/,
    (history) => tell(history, 0, asked({ ...ORDER, maker: ADA.address }, 'of ada', at(22))),
  ],
  [
    /^V1: nonce 5 of .* was given to one and to two/,
    (history) => tell(history, 1, { ...asked(ORDER, 'other', at(90)), requestId: 'two' } as MakerMessage),
  ],
  [/^V1: .* got the nonces 5 and 6 for one/, (history) => tell(history, 1, asked({ ...ORDER, nonce: 6 }, 'x', at(90)))],
  [/^V2: the order of one names .* and was signed by/, (history) => reveal(history, {}, 'ada')],
  [/^V2: the order of one names .* and was signed by/, (history) => reveal(history, { premiumAmount: '1' })],
  [
    /^V2: the order of one is for .*, not for/,
    (history) => {
      only(history.commits).wallet = ADA.address
    },
  ],
  [
    /^V2: the order of one had ended when it was revealed/,
    (history) => {
      only(history.commits).answeredAt = at(201)
    },
  ],
  [
    /^V2: one is to be signed for .*, who did not commit/,
    (history) => tell(history, 1, asked({ ...ORDER, taker: ADA.address }, 'of bob', at(90))),
  ],
  [
    /^V2: one is 834 options for 99960000, which nobody quoted/,
    (history) => tell(history, 1, asked({ ...ORDER, optionAmount: '834' }, 'of bob', at(90))),
  ],
  [
    /^V2: one is to be signed after its order has ended/,
    (history) => tell(history, 1, asked(ORDER, 'of bob', at(201))),
  ],
  [
    /^V3: bob heard twice on one socket how one ended/,
    (history) => tell(history, 1, { type: 'quote:confirmed', requestId: 'one', quoteId: 'of bob' }),
  ],
  [
    /^V3: bob heard of one both quote:confirmed and quote:rejected/,
    (history) =>
      history.sockets.push({
        makerId: 'bob',
        messages: [{ type: 'quote:rejected', requestId: 'one', quoteId: 'of bob' }],
      }),
  ],
  [
    /^V3: ada was never told how one ended/,
    (history) => {
      history.outcomes[0] = { makerId: 'ada', endings: [] }
    },
  ],
  [
    /^V3: the history of bob has 2 endings of one/,
    (history) => {
      const { makerId, endings } = only(history.outcomes, 1)
      history.outcomes[1] = { makerId, endings: [...endings, ...endings] }
    },
  ],
  [
    /^V3: ada heard quote:rejected of one and its history says confirmed/,
    (history) => {
      history.outcomes[0] = { makerId: 'ada', endings: [{ requestId: 'one', quoteId: 'of ada', status: 'confirmed' }] }
    },
  ],
  [
    /^V4: ada was told twice on one stream that one is over/,
    (history) => stream(history, 0, event(9, 'quote_request_expired', 'one')),
  ],
  [
    /^V4: a stream of one closed 2 times/,
    (history) => {
      const { requestId, events } = only(history.takerStreams)
      history.takerStreams[0] = { requestId, events: [...events, event(null, 'closed', 'one')] }
    },
  ],
  [
    /^V4: a stream of one went on after its end/,
    (history) => {
      const { requestId, events } = only(history.takerStreams)
      history.takerStreams[0] = { requestId, events: events.toReversed() }
    },
  ],
  [/^V5: 7 was resolved at 40 and at 41/, (history) => history.resolutions.push({ seriesId: '7', resolutionBps: 41 })],
  [/^V6: ada got the id 8 after 8/, (history) => stream(history, 0, event(8, 'quote_request', 'two'))],
  [
    /^V6: the id 8 is "quote_request_expired one" and "quote_request two"/,
    (history) => {
      history.makerStreams[1] = { makerId: 'bob', after: 7, events: [event(8, 'quote_request', 'two')] }
    },
  ],
  [/^V6: ada missed between 8 and 10/, (history) => stream(history, 0, event(10, 'quote_request', 'two'))],
  [
    /^V6: bob missed between 6 and 8/,
    (history) => {
      only(history.makerStreams, 1).after = 6
    },
  ],
  [
    /^V6: bob got the id 8 after 9/,
    (history) => {
      only(history.makerStreams, 1).after = 9
    },
  ],
  [
    /^V6: ada heard of another epoch between 8 and 1000000001/,
    (history) => stream(history, 0, event(1_000_000_001, 'quote_request', 'two')),
  ],
  [
    /^V7: one showed bob at 120000 while ada gave 110000/,
    (history) => {
      only(history.looks).best = 'of bob'
    },
  ],
  [
    /^V7: one showed bob at 120000 while ada gave 110000/,
    (history) => {
      // Just before somebody commits.
      Object.assign(only(history.looks), { best: 'of bob', askedAt: at(9.98), answeredAt: at(9.99) })
    },
  ],
  [
    /^V7: one showed ada at 110000 while bob gave 120000/,
    (history) => {
      // The one that has missed comes last, whatever its price.
      only(history.looks, 1).best = 'of ada'
    },
  ],
  [
    /^V7: one showed ada at 120000 while bob gave 120000/,
    (history) => {
      const [first, second] = [only(history.quotes), only(history.quotes, 1)]
      Object.assign(first, { price: 120_000n, sentAt: at(3), answeredAt: at(3) })
      Object.assign(second, { sentAt: at(2), answeredAt: at(2) })
    },
  ],
  [
    /^V7: one showed no quote while that of ada was live/,
    (history) => {
      only(history.looks).best = null
    },
  ],
  [
    /^V7: one showed of nobody, which nobody quoted/,
    (history) => {
      only(history.looks).best = 'of nobody'
    },
  ],
  [
    /^V7: one showed the quote of ada after its end/,
    (history) => {
      only(history.quotes).livesMs = 1_000
    },
  ],
  [
    /^V7: one showed the quote of ada after its end/,
    (history) => history.withdrawals.push({ quoteId: 'of ada', sentAt: at(2) }),
  ],
  [/^V8: the log shows a key/, (history) => history.sinks.push({ name: 'the log', text: '{"apiKey":"canary"}' })],
  [
    /^V8: Postgres shows a late signature of ada/,
    (history) => {
      history.confirms.push({ makerId: 'ada', quoteId: 'of ada', signature: '0x11', sentAt: at(15), status: 404 })
      history.sinks.push({ name: 'Postgres', text: '(of ada,0x11)' })
    },
  ],
  [
    /^V9: one was told to 3 makers, and 2 to 2 were connected/,
    (history) => {
      only(history.opened).makersConnected = 3
    },
  ],
  [
    /^V9: one was told to -1 makers/,
    (history) => {
      only(history.opened).makersConnected = -1
    },
  ],
  [
    /^V10: ada confirmed of ada by a 200, and its history does not have it/,
    (history) =>
      history.confirms.push({ makerId: 'ada', quoteId: 'of ada', signature: '0x11', sentAt: at(12), status: 200 }),
  ],
  [
    /^V10: the commit of one was answered by traded, and after a kill by nothing/,
    (history) => {
      only(history.promises).kept = 'nothing'
    },
  ],
]

describe('the observer of a cluster', () => {
  it('finds nothing wrong with a history in which nothing is', () => {
    expect(breachesOf(honestHistory())).toEqual([])
  })

  it.each(FORGERIES)('finds %s', (breach, forge) => {
    const history = honestHistory()
    forge(history)
    expect(breachesOf(history)).toContainEqual(expect.stringMatching(breach))
  })

  it('has a forgery of each invariant', () => {
    const named = new Set(FORGERIES.map(([breach]) => /V\d+/.exec(breach.source)?.[0]))
    expect(named.size).toBe(10)
  })

  it('misses no event where ids are left out that nobody was told', () => {
    const history: History = { ...honestHistory(), strangeEvents: true }
    stream(history, 0, event(11, 'quote_request', 'two'))
    expect(breachesOf(history)).toEqual([])
    stream(history, 1, event(10, 'quote_request', 'three'))
    expect(breachesOf(history)).toEqual(['V6: ada missed between 8 and 11'])
  })

  it('does not hold against a relay what was on its way, or what Redis has lost', () => {
    const late = honestHistory()
    Object.assign(only(late.looks), { best: 'of bob', by: 'stream' })
    only(late.quotes).answeredAt = at(4.5)
    expect(breachesOf(late)).toEqual([])
    only(late.looks).by = 'poll'
    expect(breachesOf(late)).toEqual(['V7: one showed bob at 120000 while ada gave 110000'])
    const lost = honestHistory()
    only(lost.looks).best = null
    lost.bookLosses.push(at(2))
    expect(breachesOf(lost)).toEqual([])
    const unknown = honestHistory()
    only(unknown.looks).best = 'of cyd'
    unknown.quotes.push({
      ...only(unknown.quotes),
      makerId: 'cyd',
      quoteId: null,
      answeredAt: Number.POSITIVE_INFINITY,
    })
    expect(breachesOf(unknown)).toEqual([])
  })
})
