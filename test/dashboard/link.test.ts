import { expect, it } from 'vitest'
import type { ResolutionBps } from '../../src/protocol/domain/units.ts'
import type { DashboardState } from '../../src/web/dashboard/state.ts'
import { UNICODE } from '../../src/web/dashboard/theme.ts'
import { headFigures } from '../../src/web/dashboard/views/link.ts'
import { SETTLEMENT } from '../../src/web/dashboard/views/settlement.ts'
import { BUSY, connected, healthOf, NOON, seriesOf } from './scene.ts'

const figuresOf = (state: DashboardState) => headFigures(state, UNICODE).map(({ text }) => text)

it('the head says when the time of the chain is not that of the clock', () => {
  expect(figuresOf(connected()).join(' ')).not.toContain('ahead')
  const head = { block: 1_234, time: NOON / 1_000 + 3_599, ageMs: 0 }
  expect(figuresOf(connected([...BUSY, healthOf({ head })]))).toContain('1h ahead')
})

it('a result is shown beside its cause, which need not be the average', () => {
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
