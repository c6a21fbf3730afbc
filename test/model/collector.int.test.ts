import { expect, test } from 'vitest'
import type { CommitTerms } from '../../src/protocol/domain/commit.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import type { MakerEvent } from '../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import type { Commitment } from '../../src/relay/core/relay.ts'
import type { ObservationOf } from '../invariants/observation.ts'
import { busOf, COVERAGE, type Collector, createCollector } from './collector.ts'
import { signatureOf, walletOf } from './makers.ts'

const TAKER = `0x${'9'.repeat(40)}` as const
const QUOTE = { requestId: 'r', size: contracts(200n), expiresAt: 60_000, side: 'buy' } as const
const OF_ADA = { ...QUOTE, quoteId: 'qa', makerId: 'ada', maker: walletOf('ada'), price: usd6(100_000n) } as Quote
const OF_BOB = { ...QUOTE, quoteId: 'qb', makerId: 'bob', maker: walletOf('bob'), price: usd6(200_000n) } as Quote

/** Ada is asked for 200 options of a hundred dollars at 10 cents: no more than it has. */
const ASKED = {
  requestId: 'r',
  makerId: 'ada',
  quoteId: 'qa',
  deadline: 10_000,
  order: {
    maker: walletOf('ada'),
    seriesId: '7',
    optionAmount: contracts(200n),
    premiumAmount: usd6(20_000_000n),
    makerSelling: true,
    taker: TAKER,
    validUntil: 131,
    nonce: 1,
  },
} as unknown as Acceptance

const TRADED = {
  execution: { acceptance: ASKED, signature: signatureOf('ada', 1), executionId: 'e', executedAt: 1_000 },
} as Commitment

/** What the ports of an honest relay do in one trade; a test does something beside it, or leaves something out. */
const HONEST = {
  quotes: [OF_BOB, OF_ADA],
  best: 'qa' as string | null,
  count: 2,
  asked: ASKED,
  traded: TRADED,
  events: [
    { id: 1, kind: 'quote_request', request: { requestId: 'r' } },
    { id: 2, kind: 'quote_request_expired', requestId: 'r' },
  ] as MakerEvent[],
  told: ['confirmed', 'rejected'] as const,
  statuses: ['open', 'committed'] as readonly ('open' | 'committed')[],
  makers: 2,
  endings: { ada: 'confirmed', bob: 'rejected' } as Record<string, string>,
  log: '',
}

function violationsOf(changes: Partial<typeof HONEST>, extra: (collector: Collector) => void = () => {}): string[] {
  const did = { ...HONEST, ...changes }
  const collector = createCollector(() => 1_000)
  const { observe, moment } = collector
  for (const makerId of ['ada', 'bob']) {
    observe({ kind: 'socket_opened', socket: busOf(makerId), makerId, isLasting: true })
  }
  observe({ kind: 'secret', name: 'a key', value: 'canary' })
  observe({ kind: 'request_opened', requestId: 'r', side: 'buy', budget: 100_000_000n, size: null })
  observe({ kind: 'makers_counted', requestId: null, counted: did.makers, least: 2, most: 2 })
  for (const quote of did.quotes) collector.quoted(quote, 1_000)
  collector.shown('r', did.best, did.count)
  const { answered } = collector.commit('r', { wallet: TAKER, limitPrice: null } as CommitTerms)
  collector.told(did.asked.makerId, { kind: 'accepted', acceptance: did.asked })
  const names = { requestId: 'r', makerId: 'ada', quoteId: 'qa', signature: TRADED.execution.signature }
  observe({ kind: 'confirm', ...names, sent: moment(), status: 200 })
  answered(did.traded)
  extra(collector)
  const [toAda, toBob] = did.told
  if (toAda === 'confirmed') collector.told('ada', { kind: toAda, requestId: 'r', quoteId: 'qa' })
  collector.told('bob', { kind: toBob, requestId: 'r', quoteId: 'qb', reason: 'another_quote_won' })
  for (const event of did.events) collector.fed('the feed', event)
  for (const status of did.statuses) collector.streamed('the taker', 'r', { status })
  const endings = Object.entries(did.endings).map(([makerId, status]) => ({
    kind: 'history_read' as const,
    makerId,
    endings: [{ requestId: 'r', quoteId: makerId === 'ada' ? 'qa' : 'qb', status }],
  }))
  const sink = { kind: 'sink' as const, name: 'the log', text: did.log }
  return collector.violations([...endings, sink]).map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
}

const FILLED = { state: 'filled', transactionHash: `0x${'7'.repeat(64)}`, blockNumber: 1 } as const

function putProtections(
  { observe, moment }: Collector,
  rule: Pick<ObservationOf<'protections_put'>, 'windows' | 'graceMs'>,
): void {
  observe({ kind: 'protections_put', makerId: 'ada', ...rule, moment: moment() })
}

/** Ada is asked for another order, of another request. */
function askAgain(collector: Collector, requestId = 'other'): void {
  const acceptance = { ...ASKED, requestId, quoteId: `of ${requestId}`, acceptanceId: requestId }
  collector.accepted(acceptance)
  collector.told('ada', { kind: 'accepted', acceptance })
}

test('a trade at the ports of a relay breaks nothing, and nothing of it is hidden', () => {
  expect(violationsOf({})).toEqual([])
  expect(COVERAGE.unseen).toEqual({})
})

test.each<[string, Partial<typeof HONEST>, ((collector: Collector) => void)?]>([
  [
    'V1: r was answered with two orders, e and f',
    {},
    (collector) =>
      collector
        .commit('r', { wallet: TAKER, limitPrice: null } as CommitTerms)
        .answered({ execution: { ...TRADED.execution, executionId: 'f' } } as Commitment),
  ],
  [
    'V2: r is 200 options for 1, which nobody quoted',
    { asked: { ...ASKED, order: { ...ASKED.order, premiumAmount: usd6(1n) } } },
  ],
  [
    'V3: bob heard twice on one socket how r ended',
    {},
    ({ told }) => told('bob', { kind: 'rejected', requestId: 'r', quoteId: 'qb', reason: 'another_quote_won' }),
  ],
  ['V4: the taker went on after its end', { statuses: ['open', 'committed', 'open'] }],
  ['V4: r never ended', { statuses: ['open'], events: HONEST.events.slice(0, 1) }],
  [
    'V5: 7 was resolved at 40 and at 41',
    {},
    ({ observe }) => {
      for (const resolutionBps of [40, 41]) observe({ kind: 'series_resolved', seriesId: '7', resolutionBps })
    },
  ],
  ['V6: the feed got the id 1 after 2', { events: HONEST.events.toReversed() }],
  ['V7: r showed bob at 200000 while ada gave 100000', { best: 'qb' }],
  ['V7: r showed 1 quotes while 2 were live', { count: 1 }],
  [
    'V7: bob was asked at 200000 while ada gave 100000',
    { asked: { ...ASKED, makerId: 'bob', quoteId: 'qb', order: { ...ASKED.order, maker: walletOf('bob') } } },
  ],
  ['V8: the log shows a key', { log: 'canary' }],
  ['V9: 3 makers were told of a request, and 2 to 2 were connected', { makers: 3 }],
  [
    'V10: ada confirmed qa by a 200, and its history does not have it',
    { endings: { ada: 'rejected', bob: 'rejected' } },
  ],
  [
    'V11: ada was asked although it was gone for longer than its grace',
    {},
    (collector) => {
      putProtections(collector, { windows: [], graceMs: 0 })
      collector.observe({ kind: 'maker_gone', makerId: 'ada', moment: collector.moment() })
      askAgain(collector)
    },
  ],
  [
    'V11: ada was asked 2 times within 60000 ms',
    {},
    (collector) => {
      const bounds = { maxContracts: null, maxNotional: null }
      putProtections(collector, { windows: [{ ms: 60_000, maxAccepted: 1, ...bounds }], graceMs: null })
      askAgain(collector)
      askAgain(collector, 'another')
    },
  ],
  [
    'V12: the record of ada counts missed of qa, which it did not do',
    {},
    ({ observe }) => {
      const outcomes = [{ requestId: 'r', quoteId: 'qa', outcome: 'missed' }]
      observe({ kind: 'record_read', makerId: 'ada', outcomes })
    },
  ],
  [
    'V12: ada was asked while it was suspended',
    {},
    (collector) => {
      collector.observe({ kind: 'maker_suspended', makerId: 'ada', until: 60_000, moment: collector.moment() })
      askAgain(collector)
    },
  ],
  [
    `V17: r answered out of order: after commit by ${TAKER} of a taker from 4 to 7 (order e of qa), confirm of ada since 6 (taken) it is committed, and none of these may come next: poll of a watcher from 8 to 9 (open)`,
    {},
    (collector) => collector.poll('r').answered('open'),
  ],
  [
    'V14: ada heard twice how its order of r ended',
    {},
    ({ told }) => {
      for (let n = 0; n < 2; n += 1) told('ada', { kind: 'order_ended', requestId: 'r', quoteId: 'qa', end: FILLED })
    },
  ],
  [
    'V14: the order of r expired before its time',
    {},
    ({ told }) => told('ada', { kind: 'order_ended', requestId: 'r', quoteId: 'qa', end: { state: 'expired' } }),
  ],
])('a fault of a relay at its ports is found: %s', (sentence, changes, extra) => {
  expect(violationsOf(changes, extra)).toContain(sentence)
})
