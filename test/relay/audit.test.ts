import { expect, it } from 'vitest'
import { usd6 } from '../../src/domain/units.ts'
import { settle } from '../support/fake-clock.ts'
import { createRelayHouse, refusal, walletOf } from '../support/relay-house.ts'

it('the audit trail tells the life of a request: who quoted, who was asked, who missed, who signed', async () => {
  const house = createRelayHouse()
  const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
  const { requestId, takerSecret } = await house.open()
  await house.quote('ada', requestId, { price: usd6(100_000n) })
  await house.quote('bob', requestId, { price: usd6(110_000n) })
  await house.quote('cyd', requestId, { expiresInMs: 1_000 })
  await refusal(house.quote('dan', requestId, { price: usd6(600_000n) }))
  const gone = await house.quote('eve', requestId)
  await house.relay.withdrawQuote({ makerId: 'eve', quoteId: gone })
  await house.quote('fay', requestId, { price: usd6(90_000n) })
  house.chain.wallets.set(walletOf('fay'), { core: { balance: usd6(0n), allowance: usd6(0n) } })
  await house.clock.advance(1_000)
  const commit = house.commit(requestId)
  await house.clock.advance(10_000)
  const forged = await ada.sign()
  const quoteId = bob.accepted()[0]?.quoteId as string
  await refusal(house.relay.confirm({ makerId: 'bob', quoteId, signature: forged }))
  await bob.confirm()
  await commit

  const told = house.trail.map((entry) =>
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
    'passed_over fay maker_insufficient_balance',
    'asked ada',
    'missed ada',
    'asked bob',
    'signature_refused bob',
    'confirmed bob',
    'closed',
  ])
  expect(house.trail.every((entry) => entry.requestId === requestId)).toBe(true)
  expect(house.trail.at(-2)).toMatchObject({ kind: 'confirmed', waitedMs: 0 })
  const text = JSON.stringify(house.trail, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  for (const secret of [takerSecret, forged, await bob.sign()]) expect(text).not.toContain(secret)
})

it('it tells why a commit was refused, and who declined or could not be reached', async () => {
  const house = createRelayHouse()
  await house.connect('ada')
  const { requestId } = await house.open()
  const quoteId = await house.quote('ada', requestId, { price: usd6(100_000n) })
  await house.quote('bob', requestId)
  const commit = refusal(house.commit(requestId))
  await settle()
  await house.relay.decline({ makerId: 'ada', quoteId, reason: 'inventory is full' })
  await house.clock.advance(1_000)
  expect(await commit).toBe('no_maker_confirmed')
  expect(house.trail.slice(-5)).toMatchObject([
    { kind: 'commit_started' },
    { kind: 'asked', makerId: 'ada' },
    { kind: 'declined', makerId: 'ada', reason: 'inventory is full' },
    { kind: 'passed_over', makerId: 'bob', code: 'maker_unreachable' },
    { kind: 'commit_refused', code: 'no_maker_confirmed' },
  ])
})

it('it tells a re-quote from a first quote, also after a withdrawal', async () => {
  const house = createRelayHouse()
  const { requestId } = await house.open()
  const quoteId = await house.quote('ada', requestId)
  await house.quote('ada', requestId, { price: usd6(110_000n) })
  await house.relay.withdrawQuote({ makerId: 'ada', quoteId })
  await house.quote('ada', requestId)
  await house.quote('bob', requestId)
  const quoted = house.trail.flatMap((entry) => (entry.kind === 'quoted' ? [entry.isRequote] : []))
  expect(quoted).toEqual([false, true, true, false])
})

it('it tells how long a maker took to answer', async () => {
  const house = createRelayHouse()
  const ada = await house.connect('ada')
  const { requestId } = await house.open()
  await house.quote('ada', requestId)
  const commit = house.commit(requestId)
  await house.clock.advance(1_234)
  await ada.confirm()
  await commit
  expect(house.trail.at(-2)).toMatchObject({ kind: 'confirmed', makerId: 'ada', waitedMs: 1_234 })
})
