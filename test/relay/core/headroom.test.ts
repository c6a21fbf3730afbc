import { expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { createLocalLive } from '../../../src/relay/adapters/live/memory/live.ts'
import { createFakeMemory } from '../../support/fake-memory.ts'
import { createTestRelay, DEMOTION, refusal } from '../../support/test-relay.ts'

it('requests are refused while the heap is nearly full after a collection, and quotes are not', async () => {
  const memory = createFakeMemory()
  const fixture = createTestRelay({ ports: { memory } })
  const { requestId } = await fixture.open()
  memory.collected(0.8)
  await fixture.open()
  memory.collected(0.81)
  await expect(fixture.open()).rejects.toMatchObject({ code: 'overloaded', data: { retryAfterS: 5 } })
  await fixture.quote('ada', requestId)
  memory.collected(0.5)
  await fixture.open()
})

it('requests are taken again when a quarter of those have ended that filled the heap, collected or not', async () => {
  const memory = createFakeMemory()
  const fixture = createTestRelay({ ports: { memory } })
  const opened = []
  for (let n = 0; n < 8; n += 1) opened.push(await fixture.open())
  memory.collected(0.9)
  for (const request of opened.slice(0, 2)) {
    expect(await refusal(fixture.open())).toBe('overloaded')
    await fixture.relay.cancelRequest(request)
  }
  expect(await refusal(fixture.open())).toBe('not refused')
  expect(await refusal(fixture.open())).toBe('overloaded')
})

it('a heap that is full of something else stops nothing for longer than the requests last that are open', async () => {
  const memory = createFakeMemory()
  const fixture = createTestRelay({ ports: { memory } })
  await fixture.open()
  memory.collected(0.99)
  expect(await refusal(fixture.open())).toBe('overloaded')
  await fixture.clock.advance(300_000)
  expect(await refusal(fixture.open())).toBe('not refused')
})

it('a quote that leaves for a better one is in the audit log, and one for which none leaves is refused', async () => {
  const plain = createTestRelay()
  const { clock, log } = plain
  const live = createLocalLive({ clock, log, epoch: 1, demotion: DEMOTION, recordQuoter: () => {}, maxQuotes: 1 })
  const fixture = createTestRelay({ ports: { ...live, clock } })
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId, { price: usd6(120_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  expect(fixture.auditLog).toContainEqual(expect.objectContaining({ kind: 'quote_dropped', makerId: 'ada', quoteId }))
  expect(await refusal(fixture.quote('cyd', requestId, { price: usd6(130_000n) }))).toBe('overloaded')
  expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).best).toMatchObject({ makerId: 'bob' })
})
