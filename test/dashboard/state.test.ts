import { describe, expect, it } from 'vitest'
import { RelayUnreachableError } from '../../src/client/errors.ts'
import {
  behind,
  type DashboardState,
  initialState,
  reduce,
  shownFilter,
  shownMarket,
  shownNow,
} from '../../src/web/dashboard/state.ts'
import { connected, NOON, opened } from './scene.ts'

const error = new RelayUnreachableError('http://relay', { reason: 'ECONNREFUSED' })
const lost = (at: number) => ({ kind: 'link', state: { kind: 'lost', error, retryInMs: 500 }, at }) as const
const tick = (at: number) => ({ kind: 'tick', at }) as const
const now = ({ localNow }: DashboardState) => localNow

describe('the connection', () => {
  it('is sought, with the attempts and the next one shown', () => {
    const start = initialState(1_000)
    expect(start.link).toEqual({ kind: 'connecting', retryAt: null, attempts: 0, reason: null })
    const failed = reduce(reduce(start, lost(2_000)), lost(3_000))
    expect(failed.link).toMatchObject({ kind: 'connecting', attempts: 2, retryAt: 3_500, reason: error.message })
  })

  it('is live with the first event, and takes the time of the relay', () => {
    const state = connected()
    expect(state.link).toEqual({ kind: 'live' })
    expect(shownNow(state)).toBe(NOON)
    expect(shownNow(reduce(state, tick(now(state) + 700)))).toBe(NOON + 700)
  })

  it('once lost stops the clock, and is live again with the next event', () => {
    const state = connected()
    const gone = reduce(reduce(state, lost(now(state) + 300)), tick(now(state) + 9_000))
    expect(gone.link).toMatchObject({ kind: 'lost', since: now(state) + 300, retryAt: now(state) + 800 })
    expect(shownNow(gone)).toBe(NOON + 300)
    const still = reduce(gone, lost(now(state) + 9_500))
    expect(still.link).toMatchObject({ since: now(state) + 300, retryAt: now(state) + 10_000 })
    const back = reduce(still, { kind: 'events', events: [opened(8, 0)], at: now(state) + 12_000 })
    expect([back.link.kind, shownNow(back)]).toEqual(['live', NOON + 12_000])
  })

  it('passes over news that a connection opened or carried something unreadable', () => {
    const state = connected()
    expect(reduce(state, { kind: 'link', state: { kind: 'open' }, at: 5 }).link).toEqual({ kind: 'live' })
    expect(reduce(state, { kind: 'link', state: { kind: 'unreadable', error }, at: 5 }).link).toEqual({ kind: 'live' })
  })

  it('that is refused stays refused', () => {
    const action = { kind: 'refused', isUnauthorised: true, reason: 'no' } as const
    expect(reduce(initialState(1), action).link).toEqual(action)
  })
})

describe('a pause', () => {
  it('keeps what is shown, records on, and catches up', () => {
    const paused = reduce(connected(), { kind: 'pause' })
    const later = reduce(paused, { kind: 'events', events: [opened(8, 0), opened(10, 0)], at: now(paused) + 4_000 })
    expect(shownMarket(later)).toBe(shownMarket(paused))
    expect([shownNow(later), behind(later)]).toEqual([NOON, 2])
    const goesOn = reduce(later, { kind: 'pause' })
    expect([shownMarket(goesOn).requests.size, shownNow(goesOn), behind(goesOn)]).toEqual([
      shownMarket(paused).requests.size + 2,
      NOON + 4_000,
      0,
    ])
  })
})

describe('the screen', () => {
  it('goes to a view without what lay over the former one or filtered it, and remembers what was chosen there', () => {
    const chosen = reduce(reduce(connected(), { kind: 'filter', text: 'ada' }), { kind: 'select', id: 'x' })
    const detail = reduce(reduce(chosen, { kind: 'overlay', overlay: 'detail' }), { kind: 'scroll', to: 3 })
    const makers = reduce(detail, { kind: 'view', view: 'makers' })
    expect(makers).toMatchObject({
      view: 'makers',
      overlay: 'none',
      scroll: 0,
      filter: '',
      selected: { requests: 'x' },
    })
  })

  it('scrolls no further than the top', () => {
    expect(reduce(connected(), { kind: 'scroll', to: -4 }).scroll).toBe(0)
  })

  it('types a filter, and keeps it or drops it', () => {
    const typing = reduce(connected(), { kind: 'type', text: 'ad' })
    expect(typing).toMatchObject({ typing: 'ad', filter: '' })
    expect(shownFilter(typing)).toBe('ad')
    expect(reduce(typing, { kind: 'filter', text: 'ada' })).toMatchObject({ typing: null, filter: 'ada' })
    expect(reduce(typing, { kind: 'type', text: null })).toMatchObject({ typing: null, filter: '' })
  })

  it('shows a notice for some seconds', () => {
    const noted = reduce(connected(), { kind: 'notice', text: 'copied' })
    expect(reduce(noted, tick(now(noted) + 3_999)).notice?.text).toBe('copied')
    expect(reduce(noted, tick(now(noted) + 4_000)).notice).toBeNull()
  })
})
