import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../src/protocol/domain/audit.ts'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import { createHold } from '../../../../src/relay/adapters/transparency/hold.ts'
import { CALL_BUY, TAKER, walletOf } from '../../../support/test-relay.ts'

const AT = 1_767_225_600_000
const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null }

const at = (after: number) => ({ at: AT + after, requestId: 'r1' })
const quoted = (makerId: string, after: number): AuditEntry => ({
  ...at(after),
  kind: 'quoted',
  isRequote: false,
  quote: {
    quoteId: `q-${makerId}`,
    requestId: 'r1',
    makerId,
    maker: walletOf(makerId),
    side: 'buy',
    price: usd6(BigInt(100_000 + after)),
    size: contracts(10n),
    pricedAt: AT + after,
    expiresAt: AT + 60_000,
  },
})
const OPENED: AuditEntry = {
  ...at(0),
  kind: 'opened',
  terms: CALL_BUY,
  seriesId: '7',
  expiresAt: AT + 1,
  makersConnected: 1,
}
const COMMIT: AuditEntry = { ...at(50), kind: 'commit_started', terms }
const CLOSED: AuditEntry = { ...at(60), kind: 'closed', status: 'expired' }

const alone = (knows: (requestId: string) => boolean = () => false) => createHold({ knows, isShared: false })
const shared = () => createHold({ knows: () => false, isShared: true })
const WITHDRAWN: AuditEntry = { ...at(5), kind: 'quote_withdrawn', makerId: 'cyd', quoteId: 'q-cyd' }

test("gives with the first commit each maker's first and last quote before it, in order, and everything from then on", () => {
  const { take } = alone()
  const before = [OPENED, quoted('ada', 1), quoted('bob', 2), quoted('ada', 3), quoted('ada', 4), quoted('cyd', 4)]
  for (const entry of [...before, WITHDRAWN]) expect(take(entry)).toEqual([])
  expect(take(COMMIT)).toEqual([
    OPENED,
    quoted('ada', 1),
    quoted('bob', 2),
    quoted('ada', 4),
    quoted('cyd', 4),
    WITHDRAWN,
    COMMIT,
  ])
  expect(take(quoted('dan', 55))).toEqual([quoted('dan', 55)])
  expect(take(CLOSED)).toEqual([CLOSED])
  expect(take({ ...at(70), kind: 'order_expired', makerId: 'ada', quoteId: 'q-ada' })).toHaveLength(1)
})

test('entries of one millisecond keep their order: a refusal comes after the quote that it takes away', () => {
  const { take } = alone()
  const refused: AuditEntry = { ...at(1), kind: 'quote_refused', makerId: 'ada', code: 'x', detail: '' }
  const [bob, again] = [quoted('bob', 1), quoted('cyd', 1)]
  for (const entry of [OPENED, quoted('ada', 1), refused, bob, again]) take(entry)
  expect(take(COMMIT)).toEqual([OPENED, quoted('ada', 1), refused, bob, again, COMMIT])
})

test('forgets a request that ends without a commit', () => {
  const { take, requests } = alone()
  for (const entry of [OPENED, quoted('ada', 1), CLOSED]) expect(take(entry)).toEqual([])
  expect(take(COMMIT)).toEqual([COMMIT])
  expect(requests()).toEqual([])
})

test('nothing of a request that is over stays, however late it comes', () => {
  const { take, requests } = alone()
  const late = [
    quoted('ada', 61),
    { ...at(62), kind: 'quote_sealed', makerId: 'ada', quoteId: 'q-ada' },
    { ...at(63), kind: 'quote_refused', makerId: 'ada', code: 'request_closed', detail: '' },
  ] as const satisfies readonly AuditEntry[]
  for (const entry of [OPENED, CLOSED, ...late]) expect(take(entry)).toEqual([])
  expect(requests()).toEqual([])
  for (const entry of [OPENED, COMMIT, CLOSED]) take(entry)
  const filled = { ...at(70), kind: 'order_expired', makerId: 'ada', quoteId: 'q-ada' } as const
  expect(take(filled)).toEqual([filled])
  // It counts for no later request of that name.
  expect(take(OPENED)).toEqual([])
})

test('keeps nothing back of a request that the log knows', () => {
  const { take } = alone((requestId) => requestId === 'r1')
  expect(take(quoted('ada', 1))).toHaveLength(1)
  expect(take(CLOSED)).toHaveLength(1)
})

test('one of several nodes keeps its entries until it learns of a commit elsewhere', () => {
  const { take, requests, release, drop } = shared()
  // Another node opened the request, and took the quote of Cyd.
  for (const entry of [quoted('ada', 1), WITHDRAWN, CLOSED]) expect(take(entry)).toEqual([])
  expect(requests()).toEqual([{ requestId: 'r1', isReleased: false }])
  expect(release('r1')).toEqual([quoted('ada', 1), WITHDRAWN, CLOSED])
  expect(requests()).toEqual([{ requestId: 'r1', isReleased: true }])
  expect(take(quoted('ada', 61))).toEqual([quoted('ada', 61)])
  drop('r1')
  expect(requests()).toEqual([])
})

test('a node with the commit of a request keeps nothing of it back, though another one opened it', () => {
  const { take, requests } = shared()
  expect(take(COMMIT)).toEqual([COMMIT])
  expect(take(quoted('ada', 55))).toEqual([quoted('ada', 55)])
  expect(take(CLOSED)).toEqual([CLOSED])
  expect(requests()).toEqual([])
})

test('one of several nodes keeps each recent quote, since a commit elsewhere may have seen any of them', () => {
  const { take, release } = shared()
  for (const after of [0, 1, 2, 10_000, 10_001, 10_002]) take(quoted('ada', after))
  // The third one was current until the fourth came.
  expect(release('r1')).toEqual([0, 2, 10_000, 10_001, 10_002].map((after) => quoted('ada', after)))
})

test('a maker that quotes without end fills no memory of a node', () => {
  const { take, release } = shared()
  for (let after = 0; after < 1_000; after += 1) take(quoted('ada', after))
  const kept = release('r1')
  expect(kept).toHaveLength(65)
  expect([kept[0], kept.at(-1)]).toEqual([quoted('ada', 0), quoted('ada', 999)])
})
