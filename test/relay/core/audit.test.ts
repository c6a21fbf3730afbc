import { expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, walletOf } from '../../support/test-relay.ts'

it('the audit log tells the life of a request: who quoted, who was asked, who missed, who signed', async () => {
  const fixture = createTestRelay()
  const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
  const { requestId, takerSecret } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  await fixture.quote('cyd', requestId, { expiresInMs: 1_000 })
  await refusal(fixture.quote('dan', requestId, { price: usd6(600_000n) }))
  const gone = await fixture.quote('eve', requestId)
  await fixture.relay.withdrawQuote({ makerId: 'eve', quoteId: gone })
  await fixture.quote('fay', requestId, { price: usd6(90_000n) })
  fixture.chain.wallets.set(walletOf('fay'), { core: { balance: usd6(0n), allowance: usd6(0n) } })
  await fixture.clock.advance(1_000)
  const commit = fixture.commit(requestId)
  await fixture.clock.advance(10_000)
  const forged = await ada.sign()
  const quoteId = bob.accepted()[0]?.quoteId as string
  await refusal(fixture.relay.confirm({ makerId: 'bob', quoteId, signature: forged }))
  await bob.confirm()
  await commit

  const told = fixture.auditLog.map((entry) =>
    [entry.kind, 'makerId' in entry ? entry.makerId : '', 'code' in entry ? entry.code : ''].join(' ').trim(),
  )
  expect(told).toEqual([
    'opened',
    'quoted',
    'quoted',
    'quoted',
    'quote_refused dan price_above_max_payoff',
    'quoted',
    'quote_withdrawn eve',
    'quoted',
    'quote_expired cyd',
    'commit_started',
    'ranked',
    'passed_over fay maker_insufficient_balance',
    'ranked',
    'asked ada',
    'missed ada',
    'ranked',
    'asked bob',
    'signature_refused bob',
    'confirmed bob',
    'closed',
  ])
  expect(fixture.auditLog.every((entry) => entry.requestId === requestId)).toBe(true)
  expect(fixture.auditLog.at(-2)).toMatchObject({ kind: 'confirmed', waitedMs: 0 })
  const text = JSON.stringify(fixture.auditLog, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  for (const secret of [takerSecret, forged, await bob.sign()]) expect(text).not.toContain(secret)
})

it('it tells why a commit was refused, and who declined or could not be reached', async () => {
  const fixture = createTestRelay()
  await fixture.connect('ada')
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId)
  const commit = refusal(fixture.commit(requestId))
  await settle()
  await fixture.relay.decline({ makerId: 'ada', quoteId, reason: 'inventory is full' })
  await fixture.clock.advance(1_000)
  expect(await commit).toBe('no_maker_confirmed')
  expect(fixture.auditLog.slice(-8)).toMatchObject([
    { kind: 'commit_started' },
    { kind: 'ranked', chosen: quoteId },
    { kind: 'asked', makerId: 'ada' },
    { kind: 'declined', makerId: 'ada', reason: 'inventory is full' },
    { kind: 'ranked' },
    { kind: 'passed_over', makerId: 'bob', code: 'maker_unreachable' },
    { kind: 'ranked', chosen: null },
    { kind: 'commit_refused', code: 'no_maker_confirmed' },
  ])
})

it('it tells a re-quote from a first quote, also after a withdrawal', async () => {
  const fixture = createTestRelay()
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId)
  await fixture.quote('ada', requestId, { price: usd6(110_000n) })
  await fixture.relay.withdrawQuote({ makerId: 'ada', quoteId })
  await fixture.quote('ada', requestId)
  await fixture.quote('bob', requestId)
  const quoted = fixture.auditLog.flatMap((entry) => (entry.kind === 'quoted' ? [entry.isRequote] : []))
  expect(quoted).toEqual([false, true, true, false])
})

it('it tells how long a maker took to answer', async () => {
  const fixture = createTestRelay()
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const commit = fixture.commit(requestId)
  await fixture.clock.advance(1_234)
  await ada.confirm()
  await commit
  expect(fixture.auditLog.at(-2)).toMatchObject({ kind: 'confirmed', makerId: 'ada', waitedMs: 1_234 })
})
