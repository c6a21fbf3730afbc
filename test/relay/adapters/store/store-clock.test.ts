import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import { createMemoryStore } from '../../../../src/relay/adapters/store/memory.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { anAcceptance, aQuote, aRequest, freshWallet, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SIGNED = { executionId: 'execution', signature: SIGNATURE }

describe.each<{ name: string; open: (clock: FakeClock, dir: string) => Promise<Store> }>([
  { name: 'memory', open: async (clock) => createMemoryStore({ clock }) },
  { name: 'file', open: (clock, dir) => createFileStore({ dir, clock, log: createFakeLog() }) },
])('the $name store and its clock', ({ open }) => {
  let clock: FakeClock
  let store: Store
  let folder: string

  beforeEach(async () => {
    clock = createFakeClock()
    folder = newFolder()
    store = await open(clock, folder)
  })
  afterEach(async () => {
    await store.close()
    removeFolder(folder)
  })

  async function accept() {
    const request = aRequest(clock.now())
    const acceptance = anAcceptance(request, { now: clock.now() })
    await store.requests.insert(request)
    await store.acceptances.insert(acceptance)
    return { request, acceptance, acceptanceId: acceptance.acceptanceId }
  }

  it('confirms in the last millisecond before the deadline', async () => {
    const { acceptanceId } = await accept()
    await clock.advance(9_999)
    expect(await store.acceptances.end(acceptanceId, 'timed_out')).toBe(false)
    expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject({ executedAt: clock.now() })
  })

  it('times out, and no longer confirms, from the very millisecond of the deadline on', async () => {
    const { acceptanceId } = await accept()
    await clock.advance(10_000)
    expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toBeNull()
    expect(await store.acceptances.end(acceptanceId, 'timed_out')).toBe(true)
  })

  it('takes a decline after the deadline as well', async () => {
    const { acceptanceId } = await accept()
    await clock.advance(10_000)
    expect(await store.acceptances.end(acceptanceId, 'declined')).toBe(true)
  })

  it('remembers from when it was made what ended while the clock showed less (fault I19)', async () => {
    const request = aRequest(clock.now() + 10 * MINUTE)
    await store.requests.insert(request)
    await store.requests.close(request.requestId, 'cancelled')
    await clock.advance(25 * MINUTE - 1)
    expect(await store.requests.find(request.requestId)).toMatchObject({ status: 'cancelled' })
    await clock.advance(1)
    expect(await store.requests.find(request.requestId)).toBeNull()
  })

  it('forgets a request that closed without a trade after 15 minutes, and never a committed one', async () => {
    const cancelled = aRequest(clock.now())
    await store.requests.insert(cancelled)
    await store.requests.close(cancelled.requestId, 'cancelled')
    const { request, acceptanceId } = await accept()
    await store.acceptances.confirm(acceptanceId, SIGNED)
    await clock.advance(15 * MINUTE - 1)
    expect(await store.requests.find(cancelled.requestId)).toMatchObject({ status: 'cancelled' })
    await clock.advance(1)
    expect(await store.requests.find(cancelled.requestId)).toBeNull()
    await clock.advance(48 * HOUR)
    await accept()
    expect(await store.requests.find(request.requestId)).toMatchObject({ status: 'committed' })
    expect(await store.executions.findByRequest(request.requestId)).toMatchObject(SIGNED)
  })

  it('forgets an acceptance that came to nothing after 24 hours', async () => {
    const { acceptance, acceptanceId } = await accept()
    await store.acceptances.end(acceptanceId, 'declined')
    await clock.advance(24 * HOUR - 1)
    expect(await store.acceptances.findByQuote(acceptance.quoteId)).toMatchObject({ state: 'declined' })
    await clock.advance(1)
    expect(await store.acceptances.findByQuote(acceptance.quoteId)).toBeNull()
  })

  it('gives the next turn at the faucet in the very millisecond in which the cooldown is over', async () => {
    const wallet = freshWallet()
    await store.faucetClaims.claim(wallet, { cooldownMs: HOUR, perHour: 1_000_000 })
    const until = clock.now() + HOUR
    await clock.advance(HOUR - 1)
    expect(await store.faucetClaims.claim(wallet, { cooldownMs: HOUR, perHour: 1_000_000 })).toEqual({
      kind: 'cooldown',
      until,
    })
    await clock.advance(1)
    expect(await store.faucetClaims.claim(wallet, { cooldownMs: HOUR, perHour: 1_000_000 })).toEqual({
      kind: 'claimed',
    })
  })

  it('finds a lapsed order again when chain time steps back', async () => {
    const maker = freshWallet()
    const request = aRequest(clock.now())
    const acceptance = anAcceptance(request, { now: clock.now(), quote: aQuote(request, { maker }), validUntil: 5_000 })
    await store.requests.insert(request)
    await store.acceptances.insert(acceptance)
    await store.acceptances.confirm(acceptance.acceptanceId, SIGNED)
    expect((await store.acceptances.outstandingOf(maker, 5_001)).orders).toEqual([])
    expect((await store.acceptances.outstandingOf(maker, 5_000)).orders).toHaveLength(1)
  })
})
