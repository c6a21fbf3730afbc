import { expect, it } from 'vitest'
import type { DashboardState } from '../../src/dashboard/state.ts'
import { UNICODE } from '../../src/dashboard/theme.ts'
import { headFigures } from '../../src/dashboard/views/link.ts'
import { SETTLEMENT } from '../../src/dashboard/views/settlement.ts'
import type { ResolutionBps } from '../../src/domain/units.ts'
import { BUSY, connected, healthOf, NOON, seriesOf } from './scene.ts'

const figuresOf = (state: DashboardState) => headFigures(state, UNICODE).map(({ text }) => text)

it('the head says when the time of the chain is not that of the clock', () => {
  expect(figuresOf(connected()).join(' ')).not.toContain('ahead')
  const head = { block: 1_234, time: NOON / 1_000 + 3_599, ageMs: 0 }
  expect(figuresOf(connected([...BUSY, healthOf({ head })]))).toContain('1h ahead')
})

it('a result stands beside what decided it, which need not be the average', () => {
  const event = seriesOf(1, {
    expiresInS: -600,
    phase: 'settled',
    twap: 0.9815,
    resolution: { resolutionBps: 100 as ResolutionBps, method: 'outcome' },
  })
  if (event.kind !== 'series') throw new Error('no series')
  expect(SETTLEMENT.columns.by.cell(event.progress)).toBe('outcome')
  expect(SETTLEMENT.columns.by.cell({ ...event.progress, resolution: null })).toBe('-')
})
