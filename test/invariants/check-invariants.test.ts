import { describe, expect, it } from 'vitest'
import { checkInvariants, createChecker } from './checker.ts'
import { at, confirm, ended, honestHistory, makerEvent, ORDER, orderSent, recordOf } from './forged-history.ts'
import { FORGERIES, type Forged, forgeable, suspend } from './forgeries.ts'
import { INVARIANTS } from './invariants.ts'
import type { Observation, ObservationOf } from './observation.ts'

/** What a forged history shows, each violation as a line. */
function violationsOf(forge: (forged: Forged) => void): string[] {
  const forged = forgeable()
  forge(forged)
  return checkInvariants(forged.history).map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
}

/** The honest history, of a request for both sides from which its taker buys. */
function askForBoth({ history, change }: Forged): void {
  change('request_opened', { side: 'both', budget: null, size: 833n })
  change('quote', { otherPrice: 100_000n })
  change('quote', { otherPrice: 90_000n }, 1)
  change('commit', { side: 'buy' })
  const sent = history.observations.find(({ kind }) => kind === 'order_sent') as ObservationOf<'order_sent'>
  change('order_sent', { order: { ...sent.order, optionAmount: '833', premiumAmount: '91630000' } })
}

describe('the invariants of a history', () => {
  it('all hold where nothing is wrong', () => {
    expect(checkInvariants(honestHistory())).toEqual([])
  })

  it('are each looked at in a history of which everything is seen', () => {
    const checker = createChecker({ coverage: honestHistory().coverage, kept: 1 })
    for (const observation of honestHistory().observations) checker.observe(observation)
    checker.finish()
    expect(Object.keys(checker.scores).toSorted()).toEqual(Object.keys(INVARIANTS).toSorted())
  })

  it.each(FORGERIES)('%s: %s', (invariant, sentence, forge) => {
    const forged = forgeable()
    forge(forged)
    expect(checkInvariants(forged.history)).toContainEqual(
      expect.objectContaining({ invariant, sentence: expect.stringMatching(sentence) }),
    )
  })

  it('each have a forgery', () => {
    expect(new Set(FORGERIES.map(([invariant]) => invariant))).toEqual(new Set(Object.keys(INVARIANTS)))
  })

  it('hold where the most that a taker buys is what its budget pays for, and no less (inventory-4)', () => {
    expect(violationsOf(({ change }) => change('request_opened', { size: 909n }))).toEqual([])
  })

  it('judge a request for both sides on the side of its commit, and each best quote on its own', () => {
    const shown = (quoteId: string, side: 'buy' | 'sell') =>
      violationsOf((forged) => {
        askForBoth(forged)
        forged.change('quote_shown', { quoteId, side })
      })
    expect(violationsOf(askForBoth)).toEqual([])
    expect(shown('of ada', 'sell')).toEqual([])
    expect(shown('of bob', 'sell')).toContain('V7: one showed bob at 90000 while ada gave 100000')
    expect(shown('of bob', 'buy')).toContain('V7: one showed bob at 120000 while ada gave 110000')
    const sold = violationsOf((forged) => {
      askForBoth(forged)
      forged.change('commit', { side: 'sell' })
    })
    expect(sold).toContain('V2: the order of one is not of the side of its commit, sell')
    expect(sold).toContain('V2: the order of one is the wrong way round')
  })

  it('let the relay withdraw what a maker quoted that is gone for its grace, and no sooner (invariant V16)', () => {
    const withdrawn = (s: number) =>
      violationsOf(({ add }) =>
        add(
          { kind: 'maker_gone', makerId: 'bob', moment: at(20) },
          { kind: 'quote_withdrawn', requestId: 'one', quoteId: 'of bob', sent: at(s), goneMaker: 'bob' },
        ),
      )
    expect(withdrawn(22)).toEqual([])
    expect(withdrawn(21.9)).toEqual(['V16: bob lost its quote on one as if it were gone, and was not'])
  })

  it('judge a quote that is withdrawn for an absence by when its node looked, however long its call took (invariant V16)', () => {
    const judgedAt = (s: number) =>
      violationsOf(({ add }) =>
        add(
          { kind: 'maker_gone', makerId: 'bob', moment: at(20) },
          { kind: 'maker_back', makerId: 'bob', moment: at(22.5) },
          {
            kind: 'quote_withdrawn',
            requestId: 'one',
            quoteId: 'of bob',
            sent: at(23),
            goneMaker: 'bob',
            judgedAt: at(s).at,
          },
        ),
      )
    expect(judgedAt(22.1)).toEqual([])
    for (const s of [21.9, 22.6])
      expect(judgedAt(s)).toEqual(['V16: bob lost its quote on one as if it were gone, and was not'])
  })

  it('let a maker be asked as long as the news that it is gone are on their way, and no longer (invariant V11)', () => {
    /** Bob, who has two seconds, is gone from the fifth second on, and asked in the 20th one. */
    const known = (knownS: number, backS: number | null = null) =>
      violationsOf(({ history: { observations } }) => {
        const asked = observations.findIndex(({ kind }) => kind === 'order_sent')
        observations.splice(
          asked,
          0,
          { kind: 'maker_gone', makerId: 'bob', moment: at(5), knownAt: at(knownS).at },
          ...(backS === null ? [] : [{ kind: 'maker_back' as const, makerId: 'bob', moment: at(backS) }]),
        )
      })
    expect(known(19.1)).toEqual([])
    expect(known(18.9)).toEqual(['V11: bob was asked although it was gone for longer than its grace'])
    expect(known(17.1, 18)).toEqual([])
    expect(known(16.9, 18)).toEqual(['V11: bob was asked for a quote from before it was gone for too long'])
  })

  it('miss no event where ids are left out that went to no one', () => {
    const skips = (...events: Observation[]) =>
      violationsOf((forged) => {
        forged.history.skipsIds = true
        forged.add(...events)
      })
    expect(skips(makerEvent('ada', 11, 'quote_request', 'two'))).toEqual([])
    const third = makerEvent('bob', 10, 'quote_request', 'three')
    expect(skips(makerEvent('ada', 11, 'quote_request', 'two'), third)).toEqual(['V6: ada missed between 8 and 11'])
  })

  it('let a record count what its maker did', () => {
    const counted = (forge: (forged: Forged) => void, ...outcomes: string[]) =>
      violationsOf((forged) => {
        forge(forged)
        forged.add(recordOf('ada', ...outcomes))
      })
    const sent = at(12)
    const declined = {
      kind: 'declined',
      requestId: 'one',
      makerId: 'ada',
      quoteId: 'of ada',
      sent,
      status: 200,
    } as const
    expect(counted(({ add }) => add(declined), 'declined')).toEqual([])
    expect(counted(({ add }) => add(confirm('ada', 400)), 'bad_signature', 'missed')).toEqual([])
    // Too late for the deadline.
    expect(counted(({ add }) => add(confirm('ada', 404, 14.5)), 'missed')).toEqual([])
    expect(counted(({ add }) => add({ kind: 'wallet_emptied', wallet: 'w' }), 'insolvent', 'defunded')).toEqual([])
    expect(counted(({ add }) => add({ kind: 'relay_killed', moment: at(8) }), 'missed')).toEqual([])
    const gone = { kind: 'passed_over', requestId: 'two', quoteId: 'another of ada', isLongGone: true } as const
    const missed = { kind: 'record_read', makerId: 'ada', outcomes: [{ ...gone, outcome: 'missed' }] } as const
    expect(violationsOf(({ add }) => add(gone, missed))).toEqual([])
    // It was killed with its signature on the way, or before it read what it was asked.
    const killed = { kind: 'maker_gone', makerId: 'ada', moment: at(12.1) } as const
    expect(counted(({ add }) => add(confirm('ada', 0), killed), 'missed')).toEqual([])
    const unheard = (forged: Forged) => forged.drop((one) => one.kind === 'order_sent' && one.makerId === 'ada')
    expect(counted(unheard, 'missed')).not.toEqual([])
    for (const departure of [killed, { ...killed, kind: 'maker_left' } as const]) {
      const heard = counted((forged) => {
        unheard(forged)
        forged.add(departure)
      }, 'missed')
      expect(heard.filter((text) => text.startsWith('V12'))).toEqual([])
    }
    const later = counted((forged) => {
      unheard(forged)
      forged.add({ kind: 'maker_left', makerId: 'ada', moment: at(21.1) })
    }, 'missed')
    expect(later.filter((text) => text.startsWith('V12'))).not.toEqual([])
  })

  it('let a maker be asked before and after it is suspended', () => {
    expect(violationsOf((forged) => suspend(forged, { from: 11, until: 60 }))).toEqual([])
    expect(violationsOf((forged) => suspend(forged, { from: 5, until: 9 }))).toEqual([])
    expect(violationsOf((forged) => suspend(forged, { from: 5, until: 60, reinstated: 9 }))).toEqual([])
  })

  it('do not hold against a relay what was on its way, or what Redis has lost', () => {
    const late = (by: 'poll' | 'stream') =>
      violationsOf(({ change }) => {
        change('quote_shown', { quoteId: 'of bob', by, quoteCount: null })
        change('quote', { answered: at(4.5) })
      })
    expect(late('stream')).toEqual([])
    expect(late('poll')).toEqual(['V7: one showed bob at 120000 while ada gave 110000'])
    const lost = violationsOf(({ add, change }) => {
      change('quote_shown', { quoteId: null })
      add({ kind: 'book_lost', moment: at(2) })
    })
    expect(lost).toEqual([])
    const unknown = violationsOf(({ history, add, change }) => {
      change('quote_shown', { quoteId: 'of cyd' })
      const quote = history.observations.find(({ kind }) => kind === 'quote') as Observation & { kind: 'quote' }
      add({ ...quote, makerId: 'cyd', quoteId: null, answered: null })
    })
    expect(unknown).toEqual([])
    const replaced = (s: number) =>
      violationsOf(({ history, add, change }) => {
        change('quote_shown', { quoteId: 'of bob' })
        const [, quote] = history.observations.filter((one) => one.kind === 'quote')
        add({ ...(quote as ObservationOf<'quote'>), quoteId: null, answered: null, sent: at(s) })
      })
    expect(replaced(4)).toEqual([])
    expect(replaced(9)).toEqual(['V7: one showed bob at 120000 while ada gave 110000'])
  })

  it('let a quote stand that may have gone with its maker, and take it for gone that has', () => {
    const gone = (mayStand?: true) =>
      violationsOf(({ add }) => {
        const withdrawn = { kind: 'quote_withdrawn', requestId: 'one', quoteId: 'of ada', sent: at(2) } as const
        add(mayStand === undefined ? withdrawn : { ...withdrawn, mayStand })
      })
    expect(gone(true)).toEqual([])
    expect(gone()).toEqual(['V7: one showed the quote of ada after its end'])
    const other = violationsOf(({ add, change }) => {
      change('quote_shown', { quoteId: 'of bob' })
      add({ kind: 'quote_withdrawn', requestId: 'one', quoteId: 'of ada', sent: at(2), mayStand: true })
    })
    expect(other).toEqual([])
  })

  it('allow for what no other node can know, and for no more', () => {
    const ofV12 = (forge: (forged: Forged) => void) =>
      violationsOf((forged) => {
        forge(forged)
        forged.add(recordOf('ada', 'missed'))
      }).filter((text) => text.startsWith('V12'))
    expect(ofV12(({ add }) => add({ ...confirm('ada', 0), isLost: true }))).toEqual([])
    expect(ofV12(({ add }) => add(confirm('ada', 0)))).not.toEqual([])
  })

  it('fill no window with an order that was taken back', () => {
    const again = (taken: { isTakenBack?: true }) =>
      violationsOf(({ add }) => add({ ...orderSent('bob', { ...ORDER, nonce: 4 }, 30), requestId: 'two', ...taken }))
    expect(again({ isTakenBack: true }).filter((text) => text.startsWith('V11'))).toEqual([])
    expect(again({})).toContain('V11: bob was asked 2 times within 60000 ms')
  })

  it('let an ended request be shown as open until a market that was lost is put back (fault I4)', () => {
    const polled = (s: number) =>
      violationsOf(({ add }) =>
        add(
          { kind: 'book_lost', moment: at(22) },
          { kind: 'polled', requestId: 'one', asked: at(s), answered: at(s + 0.01), status: 'open' },
        ),
      ).filter((text) => text.startsWith('V17'))
    expect(polled(26)).toEqual([])
    expect(polled(28)).not.toEqual([])
  })

  it('let a quote that a market may have lost show the one before', () => {
    const shown = (lost: { mayBeLost?: true }) =>
      violationsOf(({ change }) => change('quote', { livesMs: 1_000, ...lost }))
    expect(shown({}).filter((text) => text.startsWith('V7'))).toEqual(['V7: one showed the quote of ada after its end'])
    expect(shown({ mayBeLost: true }).filter((text) => text.startsWith('V7'))).toEqual([])
  })

  it('let equal prices rank by clocks that are apart, and no further', () => {
    /** Ada and Bob give the same price, three seconds apart, and the later one is shown. */
    const ranked = (clockErrorMs: number, ...seen: Observation[]) =>
      violationsOf(({ history, add }) => {
        add(...seen)
        Object.assign(history, { coverage: { ...history.coverage, clockErrorMs } })
        const [ada, bob] = history.observations.filter((one) => one.kind === 'quote')
        const price = ada?.price
        Object.assign(bob as object, { price, sent: at(4), answered: at(4.1) })
        const shown = history.observations.find((one) => one.kind === 'quote_shown')
        Object.assign(shown as object, { quoteId: 'of bob', quoteCount: null, by: 'poll' })
      }).filter((text) => /^V7: one showed bob at \d+ while ada gave/.test(text))
    expect(ranked(0)).toHaveLength(1)
    expect(ranked(60_000)).toEqual([])
    const apart = (s: number): Observation => ({ kind: 'clocks_apart', from: at(s).at, until: at(s).at, byMs: 3_000 })
    expect(ranked(0, apart(1))).toEqual([])
    expect(ranked(0, apart(4.05))).toEqual([])
    expect(ranked(0, apart(2))).toHaveLength(1)
  })

  it('judge each moment by how far the clocks of nodes are apart then, and by no more', () => {
    type Apart = [s: number, byMs: number]
    /** What is broken where clocks are apart at these seconds. */
    const broken = (forge: (forged: Forged) => void, apart: readonly Apart[]) =>
      violationsOf((forged) => {
        forge(forged)
        for (const [s, byMs] of apart)
          forged.add({ kind: 'clocks_apart', from: at(s - 0.1).at, until: at(s + 0.1).at, byMs })
      })

    const shownLate = (...apart: Apart[]) =>
      broken(({ change }) => change('quote', { livesMs: 1_000 }), apart).filter((text) => text.startsWith('V7'))
    expect(shownLate([1, 1_100], [5, 1_000])).toEqual([])
    const gone = ['V7: one showed the quote of ada after its end']
    expect(shownLate([1, 900], [5, 1_000])).toEqual(gone)
    expect(shownLate([3, 60_000])).toEqual(gone)

    const leftOut = (...apart: Apart[]) =>
      broken(({ change }) => {
        change('quote', { livesMs: 6_000 })
        change('quote_shown', { quoteId: 'of bob' })
      }, apart).filter((text) => text.startsWith('V7'))
    expect(leftOut([3, 1_000])).toEqual([])
    const better = ['V7: one showed bob at 120000 while ada gave 110000']
    expect(leftOut([3, 900])).toEqual(better)
    expect(leftOut([0.5, 60_000], [6, 60_000])).toEqual(better)

    const missed = (...apart: Apart[]) =>
      broken(({ add }) => add(confirm('ada', 404), recordOf('ada', 'missed')), apart)
    expect(missed([12, 1_100])).toEqual([])
    const counted = ['V12: the record of ada counts missed of of ada, which it did not do']
    expect(missed([12, 900])).toEqual(counted)
    expect(missed([11, 60_000], [13, 60_000])).toEqual(counted)

    const lapsed = (...apart: Apart[]) => broken(({ change }) => change('quote', { livesMs: 2_000 }, 2), apart)
    expect(lapsed([61, 500], [64.9, 500])).toEqual([])
    expect(lapsed([61, 400], [64.9, 400])).toEqual(['V13: two returned a firm signature of ada whose quote had lapsed'])
  })

  it('let no quote outlive the time of its request, which a commit that was cut off holds open', () => {
    /** The request takes quotes until then, and is polled in the fifth second. */
    const shown = (quoteId: string | null, expiresS: number) =>
      violationsOf(({ change }) => {
        change('request_opened', { expiresAt: at(expiresS).at })
        change('quote_shown', { quoteId, quoteCount: null })
        change('quote_shown', { quoteId: null }, 1)
      }).filter((text) => text.startsWith('V7'))
    expect(shown(null, 5.9)).toEqual([])
    expect(shown(null, 6.1)).toEqual(['V7: one showed no quote while that of ada was live'])
    expect(shown('of ada', 4.1)).toEqual([])
    expect(shown('of ada', 3.9)).toEqual(['V7: one showed the quote of ada after its end'])
  })

  it('infer misses from deadlines only where they are not observed', () => {
    /** Ada is shown once its deadline is over: first by its price, and not after a miss. */
    const shown = (takeoverMs: number | undefined, ...misses: Observation[]) =>
      violationsOf(({ history, add, change }) => {
        if (takeoverMs !== undefined) Object.assign(history, { coverage: { ...history.coverage, takeoverMs } })
        change('quote_shown', { quoteId: 'of ada' }, 1)
        add(...misses)
      })
    const miss = { kind: 'deadlines_missed', requestId: 'one', makerId: 'ada', misses: 1, moment: at(14.1) } as const
    const behind = ['V7: one showed ada at 110000 while bob gave 120000']
    expect(shown(undefined)).toEqual(behind)
    expect(shown(1_000)).toEqual([])
    expect(shown(1_000, miss)).toEqual(behind)
  })

  it('let a maker put again what it has, and be away for no longer than its grace', () => {
    const asked = violationsOf(({ history: { observations } }) => {
      const index = observations.findIndex(({ kind }) => kind === 'order_sent')
      const put = observations.find(({ kind }) => kind === 'protections_put') as ObservationOf<'protections_put'>
      observations.splice(
        index,
        0,
        { kind: 'maker_gone', makerId: 'bob', moment: at(5) },
        { kind: 'maker_back', makerId: 'bob', moment: at(6.5) },
        { ...put, moment: at(19) },
      )
    })
    expect(asked).toEqual([])
    const again = violationsOf(({ history: { observations }, add }) => {
      const put = observations.find(({ kind }) => kind === 'protections_put') as ObservationOf<'protections_put'>
      add({ ...put, moment: at(23) }, { ...orderSent('bob', { ...ORDER, nonce: 4 }, 30), requestId: 'two' })
    })
    expect(again).toContain('V11: bob was asked 2 times within 60000 ms')
  })

  it('count from nothing where a maker puts windows after none, and on where it puts some in place of others (protect-4)', () => {
    type Windows = ObservationOf<'protections_put'>['windows']
    /** Bob is asked in the 21st second, and after these puts, by the second, at these. */
    const asked = (puts: Record<number, Windows>, ...seconds: number[]) =>
      violationsOf(({ history: { observations }, add }) => {
        const put = observations.find(({ kind }) => kind === 'protections_put') as ObservationOf<'protections_put'>
        for (const [s, windows] of Object.entries(puts)) add({ ...put, windows, moment: at(Number(s)) })
        for (const s of seconds) add({ ...orderSent('bob', { ...ORDER, nonce: s }, s), requestId: `asked at ${s}` })
      }).filter((line) => line.startsWith('V11'))
    const once: Windows = [{ ms: 60_000, maxAccepted: 1, maxContracts: null, maxNotional: null }]
    const other: Windows = [{ ms: 50_000, maxAccepted: 1, maxContracts: null, maxNotional: null }]
    expect(asked({ 23: [], 24: once }, 30)).toEqual([])
    expect(asked({ 23: [], 24: other }, 30)).toEqual([])
    expect(asked({ 23: [], 24: once }, 30, 40)).toEqual(['V11: bob was asked 2 times within 60000 ms'])
    expect(asked({ 23: other }, 30)).toEqual(['V11: bob was asked 2 times within 50000 ms'])
  })

  it('give each channel of a maker that wants both its own grace, and take the maker for gone by either (protect-1)', () => {
    /** Bob has two seconds, and is asked in the 20th one. */
    const lacking = (stream: [from: number, until: number], socket: [from: number, until: number]) =>
      violationsOf(({ history: { observations } }) => {
        const asked = observations.findIndex(({ kind }) => kind === 'order_sent')
        const told = (
          [
            ['stream', stream],
            ['socket', socket],
          ] as const
        ).flatMap(([channel, [from, until]]) => [
          { kind: 'maker_gone' as const, makerId: 'bob', channel, moment: at(from) },
          { kind: 'maker_back' as const, makerId: 'bob', channel, moment: at(until) },
        ])
        observations.splice(asked, 0, ...told.sort((a, b) => a.moment.at - b.moment.at))
      })
    expect(lacking([16.5, 19], [18.5, 22])).toEqual([])
    expect(lacking([18.5, 22], [16.5, 19])).toEqual([])
    const gone = ['V11: bob was asked although it was gone for longer than its grace']
    expect(lacking([16.5, 19], [16.5, 22])).toEqual(gone)
    expect(lacking([16.5, 22], [16.5, 19])).toEqual(gone)
  })

  it('let a maker without a grace be asked right before it goes, and not right after', () => {
    const went = (steps: number) =>
      violationsOf(({ history, change }) => {
        const { observations } = history
        Object.assign(history, { coverage: { lagMs: 0, unseen: {} } })
        change('protections_put', { graceMs: 0 })
        const asked = observations.findLastIndex(({ kind }) => kind === 'order_sent')
        const { asked: moment } = observations[asked] as ObservationOf<'order_sent'>
        const then = { ...moment, order: moment.order + steps }
        observations.splice(asked, 0, { kind: 'maker_gone', makerId: 'bob', moment: then })
      }).filter((line) => line.startsWith('V11'))
    expect(went(1)).toEqual([])
    expect(went(-1)).toEqual(['V11: bob was asked although it was gone for longer than its grace'])
  })

  it('let a maker be asked once the one before it has declined', () => {
    const declined = violationsOf(({ add, change, drop }) => {
      drop((one) => one.kind === 'quote_shown' && one.by === 'stream')
      change('order_sent', { deadline: at(22).at, asked: at(18) })
      add({ kind: 'order_released', requestId: 'one', quoteId: 'of ada', moment: at(17) })
    })
    expect(declined).toEqual([])
    const stale = violationsOf(({ add, change, drop }) => {
      drop((one) => one.kind === 'quote_shown' && one.by === 'stream')
      change('order_sent', { deadline: at(22).at, asked: at(18) })
      add({ kind: 'order_released', requestId: 'one', quoteId: 'of bob', moment: at(19) })
    })
    expect(stale).toEqual([])
  })

  it('do not hold silence against a relay where a kill may have taken the news', () => {
    const silent = violationsOf(({ add, drop }) => {
      add({ kind: 'news_lost', requestId: 'one' })
      drop((one) => one.kind === 'quote_ended' || (one.kind === 'maker_event' && one.stream === 'bob'))
    })
    expect(silent).toEqual([])
  })

  it('let a better quote be passed over, and one that came too late', () => {
    const [, , trade] = FORGERIES.find(([, sentence]) =>
      sentence.source.includes('was taken at'),
    ) as (typeof FORGERIES)[0]
    const excused = (forge: (forged: Forged) => void) =>
      violationsOf((forged) => {
        trade(forged)
        forged.drop((one) => one.kind === 'record_read')
        forge(forged)
      })
    expect(excused(({ add }) => add({ kind: 'passed_over', requestId: 'one', quoteId: 'of ada' }))).toEqual([])
    expect(excused(({ change }) => change('quote', { answered: at(20.3) }))).toEqual([])
  })
})

describe('a checker in bounded memory', () => {
  /** A checker of the honest history, in which one ended at the 21st second. */
  function checked() {
    const checker = createChecker({ coverage: honestHistory().coverage, kept: 2 })
    for (const observation of honestHistory().observations) checker.observe(observation)
    return checker
  }

  it('checks a request once it ended long enough ago, and forgets it', () => {
    const checker = checked()
    expect(checker.scores.V3).toBeUndefined()
    expect(checker.settle(at(21).at)).toBe(0)
    expect(checker.settle(at(22).at)).toBe(1)
    expect(checker.settle(at(22).at)).toBe(0)
    expect(checker.scores.V3?.checks).toBeGreaterThan(0)
    expect(checker.violations).toEqual([])
  })

  it('takes news of a request that is over for a violation, but no late signature', () => {
    const checker = checked()
    checker.settle(at(22).at)
    checker.observe(confirm('ada', 404, 30))
    expect(checker.violations).toEqual([])
    checker.observe(ended('ada', 'rejected'))
    checker.observe({ kind: 'sink', name: 'the log', text: confirm('ada', 404).signature })
    expect(checker.violations.map(({ sentence }) => sentence)).toEqual([
      'one was over, and then came quote_ended',
      'the log shows a late signature of ada',
    ])
  })

  it('counts every violation, and keeps the first ones', () => {
    const checker = checked()
    for (let id = 20; id < 40; id += 2) checker.observe(makerEvent('ada', id, 'quote_request', `r${id}`))
    expect(checker.scores.V6?.violations).toBe(10)
    expect(checker.violations.map(({ sentence }) => sentence)).toEqual([
      'ada missed between 8 and 20',
      'ada missed between 20 and 22',
    ])
  })
})
