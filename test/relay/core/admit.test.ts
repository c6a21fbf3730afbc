import { beforeEach, describe, expect, it } from 'vitest'
import { NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import { createMemoryStore } from '../../../src/relay/adapters/store/memory.ts'
import { admit, admitSigned } from '../../../src/relay/core/admit.ts'
import type { Acceptance, Store } from '../../../src/relay/core/ports/store.ts'
import { MAX_TRIES } from '../../../src/relay/core/solvency.ts'
import { anAcceptance, aQuote, aRequest, freshWallet, SIGNATURE } from '../../ports/store.fixtures.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const SIGNED = { executionId: 'execution-1', signature: SIGNATURE }
const clock = createFakeClock()
let store: Store

beforeEach(() => {
  store = createMemoryStore({ clock })
})

/** An acceptance of ada on a request of its own, for a taker that has proved its wallet. */
async function offered(): Promise<Acceptance> {
  const request = aRequest(clock.now())
  await store.requests.insert(request)
  const quote = aQuote(request, { makerId: 'ada', maker: freshWallet() })
  return anAcceptance(request, { now: clock.now(), quote, proven: true })
}

async function allow(maxAccepted: number): Promise<number> {
  const window = { ms: 60_000, maxAccepted, maxContracts: null, maxNotional: null, maxCollateral: null }
  return (await store.protections.put('ada', { ...NO_PROTECTIONS, windows: [window] })).version
}

/** Does something else in the store before each read of facts, or before each write, so many times. */
function interfere(at: 'insert' | 'trip', work: () => Promise<unknown>, times: number): void {
  const port = at === 'insert' ? store.acceptances : store.protections
  const act = Reflect.get(port, at) as (...args: unknown[]) => Promise<unknown>
  let left = times
  Object.assign(port, {
    [at]: async (...args: unknown[]) => {
      left -= 1
      if (left >= 0) await work()
      return act(...args)
    },
  })
}

/** Another acceptance of the maker is written between decision and write. */
async function overtake(times: number, at: 'insert' | 'trip' = 'insert'): Promise<void> {
  const { insert } = store.acceptances
  const others = await Promise.all(Array.from({ length: times }, offered))
  const write = async () => {
    const other = others.pop() as Acceptance
    const { usedVersion, protections } = await store.acceptances.factsOf(other)
    const restsOn = { owed: null, protections: protections?.version ?? 0, used: usedVersion, suspendedUntil: null }
    expect(await insert(other, restsOn)).toBe(true)
  }
  interfere(at, write, times)
}

describe('an acceptance', () => {
  it('needs no read before it is written where its maker has no protections', async () => {
    store.acceptances.factsOf = () => {
      throw new Error('read')
    }
    expect(await admit(store, await offered(), { protectionsVersion: 0 })).toBe(true)
  })

  it('is decided by protections that its maker has put since', async () => {
    await allow(1)
    expect(await admit(store, await offered())).toBe(true)
    expect(await admit(store, await offered())).toBe('protected')
    expect(await admit(store, await offered(), { protectionsVersion: 0 })).toBe('protected')
  })

  it('is decided again as often as others of its maker come between, and not without end', async () => {
    const protectionsVersion = await allow(1_000)
    await overtake(3)
    expect(await admit(store, await offered(), { protectionsVersion })).toBe(true)
    await overtake(MAX_TRIES)
    expect(await admit(store, await offered(), { protectionsVersion })).toBe('outdated')
  })

  it('trips a window by its use as it is, also where another one comes between', async () => {
    const protectionsVersion = await allow(0)
    await overtake(1, 'trip')
    expect(await admit(store, await offered(), { protectionsVersion })).toBe('protected')
    expect((await store.protections.find('ada'))?.trip).toMatchObject({ used: { accepted: 1 } })
  })

  it('that is signed is not taken of a maker that has gone before a write, the second one, too (invariant V11)', async () => {
    const protectionsVersion = await allow(1_000)
    let asked = 0
    const hasGone = () => {
      asked += 1
      return asked === 2
    }
    const { insertSigned } = store.acceptances
    store.acceptances.insertSigned = async (acceptance, signed, restsOn) => {
      expect(await admit(store, await offered(), { protectionsVersion })).toBe(true)
      return insertSigned(acceptance, signed, restsOn)
    }
    const acceptance = await offered()
    expect(await admitSigned(store, acceptance, { signed: SIGNED, hasGone, protectionsVersion })).toBe('gone')
    expect(await store.executions.findByRequest(acceptance.requestId)).toBeNull()
    expect(asked).toBe(2)
  })
})
