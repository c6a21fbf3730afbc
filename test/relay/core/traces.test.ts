import { expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { StepFacts, Tracer } from '../../../src/relay/core/ports/tracer.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal } from '../../support/test-relay.ts'

type FakeStep = {
  name: string
  id: string
  parent: string | null
  link: string | null
  facts: StepFacts
  code?: string
}

/** A tracer that keeps its steps; ids are numbers in the form of a traceparent. */
function createFakeTracer(): { tracer: Tracer; steps: FakeStep[] } {
  const steps: FakeStep[] = []
  const tracer: Tracer = {
    step: async (name, { parent, link = null, facts }, work) => {
      const step: FakeStep = { name, id: `step ${steps.length + 1}`, parent, link, facts: { ...facts } }
      steps.push(step)
      try {
        return await work({ traceparent: step.id, note: (more) => Object.assign(step.facts, more) })
      } catch (fault) {
        if (fault instanceof RfqError) step.code = fault.code
        throw fault
      }
    },
  }
  return { tracer, steps }
}

it('a trade is one trace: create, quote, commit, ask, tell, confirm, each below what caused it', async () => {
  const { tracer, steps } = createFakeTracer()
  const fixture = createTestRelay({ ports: { tracer } })
  const { requestId, quoteId, acceptanceId } = await fixture.trade()
  const name = (id: string | null) => steps.find((step) => step.id === id)?.name ?? id
  expect(steps.map((step) => [step.name, name(step.parent)])).toEqual([
    ['create', null],
    ['quote', 'create'],
    ['commit', 'create'],
    ['ask', 'commit'],
    ['tell', 'ask'],
    ['confirm', 'ask'],
  ])
  expect(steps.every(({ facts }) => facts.requestId === requestId)).toBe(true)
  expect(steps.find((step) => step.name === 'ask')?.facts).toMatchObject({ quoteId, outcome: 'confirmed' })
  expect(steps.find((step) => step.name === 'confirm')?.facts).toMatchObject({ makerId: 'ada', quoteId, acceptanceId })
})

it('a client that traces has the request below its own step, and its commit linked to it', async () => {
  const { tracer, steps } = createFakeTracer()
  const fixture = createTestRelay({ ports: { tracer } })
  const { requestId } = await fixture.open({ traceparent: 'the client opens' } as never)
  const terms = { wallet: `0x${'22'.repeat(20)}`, limitPrice: null, minContracts: null, expectedQuoteId: null } as const
  const commit = { requestId, takerSecret: null, terms, traceparent: 'the client commits' }
  expect(await refusal(fixture.relay.commit(commit))).toBe('no_valid_quotes')
  expect(steps).toMatchObject([
    { name: 'create', parent: 'the client opens' },
    { name: 'commit', parent: 'step 1', link: 'the client commits', code: 'no_valid_quotes' },
  ])
})

it('a quote that is refused, and a maker that declines, are steps that say so', async () => {
  const { tracer, steps } = createFakeTracer()
  const fixture = createTestRelay({ ports: { tracer } })
  await fixture.connect('ada')
  const { requestId } = await fixture.open()
  expect(await refusal(fixture.quote('ada', requestId, { price: usd6(2_000_000n) }))).toBe('price_out_of_range')
  const quoteId = await fixture.quote('ada', requestId)
  const commit = refusal(fixture.commit(requestId))
  await settle()
  await fixture.relay.decline({ makerId: 'ada', quoteId, reason: 'a word of the maker' })
  expect(await commit).toBe('no_maker_confirmed')
  expect(steps).toContainEqual(expect.objectContaining({ name: 'quote', code: 'price_out_of_range' }))
  expect(steps).toContainEqual(expect.objectContaining({ name: 'decline', parent: expect.stringMatching(/^step/) }))
  expect(steps.find(({ name }) => name === 'ask')?.facts.outcome).toBe('declined')
  expect(JSON.stringify(steps)).not.toContain('a word of the maker')
})

it('an untraced request keeps nothing of a trace, whatever its client sends', async () => {
  const fixture = createTestRelay()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const { requestId } = await fixture.open({ traceparent } as never)
  expect(fixture.ports.book.known(requestId)).not.toHaveProperty('traceparent')
  expect((await fixture.ports.store.requests.find(requestId))?.request).not.toHaveProperty('traceparent')
})

it('a relay that traces begins no trace in the middle of one that it did not see the start of', async () => {
  const { tracer, steps } = createFakeTracer()
  const untraced = createTestRelay()
  const fixture = createTestRelay({ ports: { tracer, store: untraced.ports.store, book: untraced.ports.book } })
  const { requestId } = await untraced.open()
  await fixture.quote('ada', requestId)
  expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(1n) }))).toBe('no_acceptable_quote')
  expect(steps).toEqual([])
})
