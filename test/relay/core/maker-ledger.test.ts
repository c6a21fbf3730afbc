import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditFact } from '../../../src/protocol/domain/audit.ts'
import type { DemotedMaker } from '../../../src/protocol/domain/reliability.ts'
import { createIds } from '../../../src/relay/adapters/ids.ts'
import { createLocalBus } from '../../../src/relay/adapters/live/memory/bus.ts'
import { createLocalPresence } from '../../../src/relay/adapters/live/memory/live.ts'
import { createMakerLedger } from '../../../src/relay/core/maker-ledger.ts'
import type { Book } from '../../../src/relay/core/ports/book.ts'
import type { Takeover } from '../../../src/relay/core/ports/live.ts'
import type { AuditEvent } from '../../../src/relay/core/ports/operations.ts'
import type { Store, SuspendedMaker } from '../../../src/relay/core/ports/store.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

/** As many as the ledger keeps. */
const MAKERS_KEPT = 5_000

/** The ledger of a node: alone, or one of several on a bus. */
function openLedger({ bus = createLocalBus({ log: createFakeLog() }), isAlone = true } = {}) {
  const clock = createFakeClock()
  const demoted: DemotedMaker[] = []
  const suspended: SuspendedMaker[] = []
  const makerRecords = { suspended: async () => suspended } as Pick<Store['makerRecords'], 'suspended'>
  let tell = (_: readonly AuditEvent[]) => {}
  const ledger = createMakerLedger({
    ownAuditFeed: {
      position: async () => 0,
      newest: async () => [],
      since: async () => null,
      listen: (onEvents) => {
        tell = onEvents
        return () => {}
      },
    },
    store: { makerRecords } as Store,
    presence: createLocalPresence({ clock: { now: () => 0 } }),
    book: { demoted: async () => demoted } as Pick<Book, 'demoted'> as Book,
    bus,
    ids: createIds(),
    clock,
    takeover: isAlone ? null : ({} as Takeover),
  })
  const hear = (fact: AuditFact) => {
    const entry: AuditEntry = { at: 1, requestId: 'r', ...fact }
    tell([{ id: 1, entry }])
  }
  const standings = async () => {
    const looking = ledger.makers()
    await clock.advance(100)
    return looking
  }
  const recordOf = async (makerId: string) => (await standings()).find((maker) => maker.makerId === makerId)?.record
  return { hear, standings, recordOf, demoted, suspended, makerRecords }
}

const withdrawn = (makerId: string): AuditFact => ({ kind: 'quote_withdrawn', makerId, quoteId: 'q' })
const missed = (makerId: string): AuditFact => ({ kind: 'missed', makerId, quoteId: 'q' })
const confirmed = (makerId: string, waitedMs: number): AuditFact => ({
  kind: 'confirmed',
  makerId,
  quoteId: 'q',
  executionId: 'e',
  waitedMs,
})

it('beyond 5,000 makers the least recently seen one is forgotten', async () => {
  const { hear, standings } = openLedger()
  for (let i = 0; i < MAKERS_KEPT; i += 1) hear(withdrawn(`maker-${i}`))
  hear(withdrawn('maker-0'))
  hear(withdrawn('newcomer'))
  const makers = new Set((await standings()).map(({ makerId }) => makerId))
  expect(makers.size).toBe(MAKERS_KEPT)
  expect([makers.has('maker-0'), makers.has('maker-1'), makers.has('newcomer')]).toEqual([true, false, true])
})

describe('the ledgers of several nodes', () => {
  function openTwo() {
    const bus = createLocalBus({ log: createFakeLog() })
    const published: string[] = []
    const counting: typeof bus = {
      ...bus,
      publish: async (topic, key, message) => {
        published.push(JSON.stringify(message))
        await bus.publish(topic, key, message)
      },
    }
    const here = openLedger({ bus: counting, isAlone: false })
    const there = openLedger({ bus: counting, isAlone: false })
    return { here, there, published }
  }

  it('show on each what makers have done on all', async () => {
    const { here, there } = openTwo()
    here.hear(confirmed('ada', 20))
    there.hear(confirmed('ada', 30))
    there.hear(missed('ada'))
    there.hear(missed('bob'))
    for (const node of [here, there]) {
      expect(await node.recordOf('ada')).toMatchObject({ confirmed: 2, missed: 1 })
      expect(await node.recordOf('bob')).toMatchObject({ confirmed: 0, missed: 1 })
    }
    expect((await here.recordOf('ada'))?.waits).toEqual([20, 30])
    there.hear(missed('ada'))
    expect(await here.recordOf('ada')).toMatchObject({ missed: 2 })
  })

  it('exchange nothing until one is read, and then only what has changed', async () => {
    const { here, there, published } = openTwo()
    for (let i = 0; i < 100; i += 1) there.hear(missed(`maker-${i}`))
    expect(published).toEqual([])
    await here.standings()
    there.hear(missed('maker-7'))
    published.length = 0
    await here.standings()
    expect(published.map((message) => JSON.parse(message).kind)).toEqual(['wanted', 'told'])
    expect(JSON.parse(published[1] as string).records).toMatchObject([['maker-7', { missed: 2 }]])
  })

  it('show an unchanged record as the same object, so that operators receive it once', async () => {
    const { here, there } = openTwo()
    here.hear(missed('ada'))
    there.hear(missed('ada'))
    const first = await here.recordOf('ada')
    there.hear(missed('bob'))
    expect(await here.recordOf('ada')).toBe(first)
  })

  it('are not mixed up by a node that is alone', async () => {
    const bus = createLocalBus({ log: createFakeLog() })
    const [alone, other] = [openLedger({ bus }), openLedger({ bus })]
    other.hear(missed('ada'))
    expect(await alone.standings()).toEqual([])
  })
})

it('a demoted maker is shown as such, also when this node knows nothing else of it', async () => {
  const { hear, standings, demoted } = openLedger()
  hear(withdrawn('ada'))
  demoted.push({ makerId: 'bob', until: 5 })
  expect((await standings()).map(({ makerId, demotedUntil }) => [makerId, demotedUntil])).toEqual([
    ['ada', null],
    ['bob', 5],
  ])
})

it('a maker that is suspended is shown as such, as far as the store can tell', async () => {
  const { standings, suspended, makerRecords } = openLedger()
  suspended.push({ makerId: 'bob', suspension: { strikes: 1, cleanInARow: 0, since: 1, until: 5, because: [] } })
  const shown = async () => (await standings()).map(({ makerId, suspendedUntil }) => [makerId, suspendedUntil])
  expect(await shown()).toEqual([['bob', 5]])
  makerRecords.suspended = () => Promise.reject(new Error('the store is down'))
  expect(await shown()).toEqual([])
})
