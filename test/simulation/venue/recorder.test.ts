import { describe, expect, it } from 'vitest'
import type { Absence } from '../../../src/protocol/domain/maker-protections.ts'
import type { ObservationOf } from '../../invariants/observation.ts'
import { createPresenceTable } from '../market/presence-table.ts'
import { createRecorder } from './recorder.ts'

/** A recorder whose clock shows what it is set to, and a table of who is connected by two nodes. */
function watching() {
  let now = 0
  const recorder = createRecorder({ now: () => now, isTold: false, leader: () => 'market' })
  const table = createPresenceTable()
  const absenceAt = (at: number): Absence => table.absenceOf('ada', at)
  return {
    /** A node announces its sockets of a maker: it asks at one moment, and the server has it at another one. */
    announce: (
      node: string,
      count: number,
      { asked, arrives, lead = 0 }: { asked: number; arrives: number; lead?: number },
    ) => {
      const caller = { newest: 0, now: asked + lead, seenAt: asked }
      now = arrives
      table.put('stream', 'ada', { node, count, expiry: caller.now + 35_000, now: caller.now })
      table.put('socket', 'ada', { node, count, expiry: caller.now + 35_000, now: caller.now })
      recorder.watchMarket.presence('market', 'ada', absenceAt, caller)
    },
    seen: () =>
      recorder.segments
        .flat()
        .flatMap((one) =>
          one.kind === 'maker_gone' || one.kind === 'maker_back'
            ? [[one.kind, one.moment.at, ...('knownAt' in one ? [one.knownAt] : [])]]
            : [],
        ),
  }
}

it('a call that is under way when the database is restored has no answer of what was before', () => {
  const { observe, moment, restored, segments } = createRecorder({
    now: () => 1_000,
    isTold: false,
    leader: () => 'market',
  })
  const cancel: ObservationOf<'cancel'> = {
    kind: 'cancel',
    requestId: 'one',
    sent: moment(),
    answered: null,
    status: 0,
  }
  observe({ kind: 'request_opened', requestId: 'one', side: 'buy', budget: 1n, size: null })
  observe(cancel)
  restored()
  Object.assign(cancel, { answered: moment(), status: 200 })
  observe({ kind: 'polled', requestId: 'one', asked: moment(), answered: moment(), status: 'open' })
  expect(segments.map((seen) => seen.map(({ kind }) => kind))).toEqual([['request_opened', 'cancel'], []])
  expect(segments[0]?.[1]).toMatchObject({ answered: null, status: 0 })
})

describe('the absence of a maker', () => {
  it('begins when its node lost it, and is known when its call arrives', () => {
    const { announce, seen } = watching()
    announce('one', 1, { asked: 1_000, arrives: 1_001 })
    announce('one', 0, { asked: 2_000, arrives: 2_700 })
    announce('one', 1, { asked: 4_000, arrives: 4_700 })
    expect(seen()).toEqual([
      ['maker_gone', 2_000, 2_700],
      ['maker_back', 4_700],
    ])
  })

  it('is not ended by an announcement that is older, and comes later', () => {
    const { announce, seen } = watching()
    announce('one', 1, { asked: 1_000, arrives: 1_001 })
    announce('one', 0, { asked: 2_000, arrives: 2_001 })
    announce('two', 0, { asked: 1_900, arrives: 2_600 })
    expect(seen()).toEqual([['maker_gone', 2_000, 2_001]])
  })

  it('is in the time of observers where the clock of a node is ahead of theirs', () => {
    const { announce, seen } = watching()
    announce('one', 1, { asked: 1_000, arrives: 1_001, lead: 900 })
    announce('one', 0, { asked: 2_000, arrives: 2_700, lead: 900 })
    expect(seen()).toEqual([['maker_gone', 2_000, 2_700]])
  })
})
