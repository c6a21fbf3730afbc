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

test('gives with the first commit what is still true before it, in order, and everything from then on', () => {
  const hold = createHold(() => false)
  const before = [OPENED, quoted('ada', 1), quoted('bob', 2), quoted('ada', 3), quoted('cyd', 4)]
  for (const entry of before) expect(hold(entry)).toEqual([])
  expect(hold({ ...at(5), kind: 'quote_withdrawn', makerId: 'cyd', quoteId: 'q-cyd' })).toEqual([])
  expect(hold(COMMIT)).toEqual([OPENED, quoted('bob', 2), quoted('ada', 3), COMMIT])
  expect(hold(quoted('dan', 55))).toEqual([quoted('dan', 55)])
  expect(hold(CLOSED)).toEqual([CLOSED])
  expect(hold({ ...at(70), kind: 'order_expired', makerId: 'ada', quoteId: 'q-ada' })).toHaveLength(1)
})

test('forgets a request that ends without a commit', () => {
  const hold = createHold(() => false)
  for (const entry of [OPENED, quoted('ada', 1), CLOSED]) expect(hold(entry)).toEqual([])
  expect(hold(COMMIT)).toEqual([COMMIT])
})

test('nothing of a request that is over stays, however late it comes', () => {
  const hold = createHold(() => false)
  const late = [
    quoted('ada', 61),
    { ...at(62), kind: 'quote_sealed', makerId: 'ada', quoteId: 'q-ada' },
    { ...at(63), kind: 'quote_refused', makerId: 'ada', code: 'request_closed', detail: '' },
  ] as const satisfies readonly AuditEntry[]
  for (const entry of [OPENED, CLOSED, ...late]) expect(hold(entry)).toEqual([])
  expect(hold(COMMIT)).toEqual([COMMIT])
  for (const entry of [OPENED, COMMIT, CLOSED]) hold(entry)
  const filled = { ...at(70), kind: 'order_expired', makerId: 'ada', quoteId: 'q-ada' } as const
  expect(hold(filled)).toEqual([filled])
  // It counts for no later request of that name.
  expect(hold(OPENED)).toEqual([])
})

test('keeps nothing back of a request that the log knows', () => {
  const hold = createHold((requestId) => requestId === 'r1')
  expect(hold(quoted('ada', 1))).toHaveLength(1)
  expect(hold(CLOSED)).toHaveLength(1)
})
