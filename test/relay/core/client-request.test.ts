import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { identifyRequest } from '../../../src/relay/core/client-request.ts'
import type { OpenInput } from '../../../src/relay/core/open-request.ts'
import { settle } from '../../support/fake-clock.ts'
import { createFakeIds } from '../../support/fake-ids.ts'
import { CALL_BUY, createTestRelay, OTHER_TAKER, refusal, TAKER, type TestRelay } from '../../support/test-relay.ts'

const ID = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Opens what `ID` names, unless told otherwise. */
const openNamed = ({ relay }: TestRelay, changes: Partial<OpenInput> = {}) =>
  relay.openRequest({ ...CALL_BUY, locked: true, clientRequestId: ID, ...changes })

/** How often makers were told of a request. */
function heardOf({ relay }: TestRelay): string[] {
  const heard: string[] = []
  relay.listenMakerFeed((event) => {
    if (event.kind === 'quote_request') heard.push(event.request.requestId)
  })
  return heard
}

describe('a request that its client names', () => {
  it('is opened once, however often it is sent, and each answer has its id, its secret and its end (protocol open-6)', async () => {
    const fixture = createTestRelay()
    const heard = heardOf(fixture)
    const first = await openNamed(fixture)
    await fixture.clock.advance(1_000)
    expect(await openNamed(fixture, { clientAddress: '192.0.2.1', traceparent: null })).toEqual(first)
    expect(heard).toEqual([first.requestId])
    expect(fixture.auditLog.map(({ kind }) => kind)).toEqual(['opened'])
    await fixture.relay.cancelRequest(first)
  })

  it('is one also where both calls come at the same moment, and counts once', async () => {
    const fixture = createTestRelay({ settings: { openLimits: { total: null, perAddress: 2 } } })
    const heard = heardOf(fixture)
    const clientAddress = '192.0.2.1'
    const [one, two] = await Promise.all([openNamed(fixture, { clientAddress }), openNamed(fixture, { clientAddress })])
    expect(two).toEqual(one)
    expect(heard).toHaveLength(1)
    const another = () => openNamed(fixture, { clientAddress, clientRequestId: randomUUID() })
    expect(await refusal(another())).toBe('not refused')
    expect(await refusal(another())).toBe('too_many_requests')
    expect(await openNamed(fixture, { clientAddress })).toEqual(one)
    await fixture.relay.cancelRequest(one)
    expect(await refusal(another())).toBe('not refused')
    expect(await refusal(another())).toBe('too_many_requests')
  })

  it('is refused with other terms, whatever differs, and shows nothing of what was opened', async () => {
    const fixture = createTestRelay()
    const { takerSecret } = await openNamed(fixture, { wallet: TAKER })
    const others: Partial<OpenInput>[] = [
      { wallet: null },
      { wallet: OTHER_TAKER },
      { locked: false },
      { firmOnly: true },
      { inventory: true },
      { trade: { side: 'buy', budget: usd6(100_000_001n) } },
      { market: { ...CALL_BUY.market, question: 'Another one?' } },
      { option: { ...CALL_BUY.option, expiryMs: CALL_BUY.option.expiryMs + 1 } },
    ]
    for (const other of others) {
      const fault = await openNamed(fixture, { wallet: TAKER, ...other }).catch((error) => error)
      expect(fault).toMatchObject({ code: 'client_request_id_reused' })
      expect(JSON.stringify(fault)).not.toContain(takerSecret)
    }
    const both = [
      openNamed(fixture, { clientRequestId: randomUUID() }),
      openNamed(fixture, { clientRequestId: randomUUID() }),
    ]
    const [one, two] = await Promise.all(both)
    expect(one?.requestId).not.toBe(two?.requestId)
  })

  it('is the same after a restart, and ends in its time', async () => {
    const fixture = createTestRelay()
    const opened = await openNamed(fixture)
    const after = await fixture.restart(10_000)
    expect(await openNamed(after)).toEqual(opened)
    expect(after.ports.book.known(opened.requestId)).not.toBeNull()
    await after.clock.advance(300_000)
    expect(after.ports.book.known(opened.requestId)).toBeNull()
  })

  it('is the same after it was cancelled, committed, or has expired: a repeat opens nothing that has ended', async () => {
    const fixture = createTestRelay()
    const heard = heardOf(fixture)
    const ada = await fixture.connect('ada')
    const committed = await openNamed(fixture, { locked: false })
    await fixture.quote('ada', committed.requestId)
    const commit = fixture.commit(committed.requestId)
    await settle()
    await ada.confirm()
    await commit
    expect(await openNamed(fixture, { locked: false })).toEqual(committed)
    const other = { clientRequestId: randomUUID() }
    const cancelled = await openNamed(fixture, other)
    await fixture.relay.cancelRequest(cancelled)
    expect(await openNamed(fixture, other)).toMatchObject({ requestId: cancelled.requestId })
    const third = { clientRequestId: randomUUID() }
    const expired = await openNamed(fixture, third)
    await fixture.clock.advance(301_000)
    expect(await openNamed(fixture, third)).toMatchObject({
      requestId: expired.requestId,
      expiresAt: expired.expiresAt,
    })
    const { requestId: twice } = await openNamed(await fixture.restart(), third)
    expect(twice).toBe(expired.requestId)
    expect(heard).toHaveLength(3)
  })

  it('is opened by the repeat where the first call was not stored', async () => {
    const fixture = createTestRelay()
    const { requests } = fixture.ports.store
    const { insert } = requests
    requests.insert = () => Promise.reject(new Error('the store is down'))
    await expect(openNamed(fixture)).rejects.toThrow('the store is down')
    requests.insert = insert
    const heard = heardOf(fixture)
    const { requestId } = await openNamed(fixture)
    expect(heard).toEqual([requestId])
  })

  it('is announced to makers by the repeat where the first call was stored and nothing more, and ends in its time', async () => {
    const fixture = createTestRelay()
    const { book } = fixture.ports
    const { open } = book
    book.open = () => Promise.reject(new Error('the bus is down'))
    await expect(openNamed(fixture)).rejects.toThrow('the bus is down')
    book.open = open
    const heard = heardOf(fixture)
    const { requestId } = await openNamed(fixture)
    expect(heard).toEqual([requestId])
    await fixture.clock.advance(300_000)
    expect(book.known(requestId)).toBeNull()
  })

  it('leaves nothing of its name with the relay: no log, no audit, no store', async () => {
    const fixture = createTestRelay()
    const { requestId } = await openNamed(fixture)
    const kept = [fixture.log, fixture.auditLog, await fixture.ports.store.requests.find(requestId)]
    const text = JSON.stringify(kept, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(text).toContain(requestId)
    expect(text).not.toContain(ID)
  })
})

describe('the identity of a request', () => {
  const opening = { ...CALL_BUY, locked: true }
  const identityOf = (clientRequestId: string) => identifyRequest(createFakeIds(), { clientRequestId, opening })

  it('is a UUID and a secret that follow from the name, and neither tells it or the other', () => {
    const { requestId, takerSecret } = identityOf(ID)
    expect(identityOf(ID)).toEqual({ requestId, takerSecret })
    expect(requestId).toMatch(UUID_V4)
    expect(takerSecret).toMatch(/^[0-9a-f]{64}$/)
    expect(takerSecret).not.toContain(requestId.slice(0, 8))
    const ids = Array.from({ length: 1_000 }, () => identityOf(randomUUID()).requestId)
    expect(new Set(ids).size).toBe(1_000)
    for (const id of ids) expect(id).toMatch(UUID_V4)
  })
})
