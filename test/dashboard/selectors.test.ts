import { describe, expect, it } from 'vitest'
import {
  confirmationRows,
  copyableId,
  eventRows,
  makerRows,
  questionOf,
  quotesPerSecond,
  requestRows,
  rowIds,
  selectedIndex,
  selectedRequest,
  seriesRows,
} from '../../src/web/dashboard/selectors.ts'
import { reduce } from '../../src/web/dashboard/state.ts'
import { conditionOf, connected, idOf, NOON, termsOf } from './scene.ts'

const { market } = connected()

describe('the rows', () => {
  it('are requests by state: waiting for a signature, open, then closed, newest first', () => {
    expect(requestRows(market, '').map(({ requestId }) => requestId)).toEqual([2, 6, 4, 3, 1].map(idOf))
  })

  it('are makers by name, connected ones first', () => {
    expect(makerRows(market, '').map(({ makerId }) => makerId)).toEqual(['maker-1', 'maker-2', 'maker-3', 'maker-4'])
  })

  it('are confirmations: those being asked first, then the others, newest first', () => {
    const rows = confirmationRows(market, '').map(({ candidate, attempt }) => [
      candidate.makerId,
      candidate.outcome,
      attempt,
    ])
    expect(rows).toEqual([
      ['maker-2', 'asked', 2],
      ['maker-3', 'missed', 1],
      ['maker-1', 'confirmed', 1],
    ])
  })

  it('are series: those that need a person first, settled ones last', () => {
    expect(seriesRows(market, '').map(({ phase }) => phase)).toEqual([
      'review',
      'resolved',
      'due',
      'window',
      'trading',
      'settled',
    ])
  })

  it('are events, newest first', () => {
    const rows = eventRows(market, '')
    expect(rows[0]?.entry.kind).toBe('opened')
    expect(rows.at(-1)?.entry.kind).toBe('opened')
    expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted((a, b) => b - a))
  })

  it('are those that contain the filter, in whatever case', () => {
    expect(requestRows(market, 'ZÜRICH').map(({ requestId }) => requestId)).toEqual([idOf(2)])
    expect(requestRows(market, 'maker-3').map(({ requestId }) => requestId)).toEqual([idOf(2)])
    expect(makerRows(market, 'insufficient').map(({ makerId }) => makerId)).toEqual(['maker-4'])
    expect(confirmationRows(market, 'miss')).toHaveLength(1)
    expect(seriesRows(market, 'review')).toHaveLength(1)
    expect(eventRows(market, 'cancelled')).toHaveLength(1)
    expect(eventRows(market, 'no such thing')).toEqual([])
  })
})

describe('the question of a market', () => {
  const termsWith = (condition: number, question: string | null) => ({
    ...termsOf(0),
    market: { conditionId: conditionOf(condition), yesTokenId: '123', question },
  })

  it("is the relay's, where it lists a series of that market, whatever the taker wrote", () => {
    expect(questionOf(market, termsWith(2, null))).toBe('Will it rain in Zürich on Sunday?')
    expect(questionOf(market, termsWith(2, 'Will pigs fly?'))).toBe('Will it rain in Zürich on Sunday?')
  })

  it("is the taker's where the relay lists none, and nothing where neither tells", () => {
    expect(questionOf(market, termsWith(1, 'Will pigs fly?'))).toBe('Will pigs fly?')
    expect(questionOf(market, termsWith(1, null))).toBeNull()
  })
})

describe('the choice', () => {
  it('is the row that was chosen last, or the first when that one is gone', () => {
    expect(selectedIndex(['a', 'b'], 'b')).toBe(1)
    expect(selectedIndex(['a', 'b'], 'gone')).toBe(0)
    expect(selectedIndex(['a', 'b'], undefined)).toBe(0)
  })

  it.each([
    ['requests', idOf(2), idOf(2)],
    ['makers', null, 'maker-1'],
    ['confirmations', idOf(2), idOf(2)],
    ['settlement', null, '900000000004'],
    ['events', idOf(6), idOf(6)],
    ['health', null, null],
  ] as const)('at %s is about a request or not, and has an id to copy', (view, requestId, copyable) => {
    const state = connected(undefined, { view })
    expect(selectedRequest(state)?.requestId ?? null).toBe(requestId)
    expect(copyableId(state)).toBe(copyable)
  })

  it('stays chosen when other rows come before it', () => {
    const state = reduce(connected(), { kind: 'select', id: idOf(4) })
    expect(rowIds(state)[selectedIndex(rowIds(state), state.selected.requests)]).toBe(idOf(4))
  })
})

it('quotes per second are counted up to now, empty seconds too', () => {
  expect(quotesPerSecond(market, NOON, 10)).toEqual([0, 0, 0, 2, 0, 0, 0, 0, 0, 0])
})
