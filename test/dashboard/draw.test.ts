import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { bar, latencyHistogram, priceChart, sparkline } from '../../src/cli/dashboard/terminal/charts.ts'
import { drawTable, type PlacedColumn, windowAround } from '../../src/cli/dashboard/terminal/table.ts'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { type Line, plainText } from '../../src/web/dashboard/line.ts'
import { ASCII, UNICODE, WORDS_ONLY } from '../../src/web/dashboard/theme.ts'

const SCREEN = { glyphs: UNICODE, medium: 'screen' } as const
const SPEECH = { glyphs: WORDS_ONLY, medium: 'speech' } as const
const text = (lines: readonly Line[]) => lines.map(plainText)

describe('a table', () => {
  const columns: PlacedColumn<{ name: string; count: number }>[] = [
    { heading: 'NAME', width: null, cell: ({ name }) => name },
    { heading: 'COUNT', width: 5, align: 'right', cell: ({ count }) => String(count) },
  ]
  const rows = Array.from({ length: 9 }, (_, i) => ({ name: `row ${i + 1}`, count: i * 10 }))
  const draw = (chosen: number | null, height: number, theme: Parameters<typeof drawTable>[0]['theme'] = SCREEN) =>
    text(drawTable({ columns, rows, chosen, empty: [], theme, area: { width: 20, height } }))

  it('fills its area, with the chosen row marked', () => {
    expect(draw(1, 11)).toEqual([
      '  NAME         COUNT',
      '  row 1            0',
      '▸ row 2           10',
      ...rows.slice(2).map(({ name, count }) => `  ${name.padEnd(11)}  ${String(count).padStart(5)}`),
      '',
    ])
  })

  it('shows the part around the chosen row, and which part that is', () => {
    expect(draw(4, 5)).toEqual([
      '  NAME         COUNT',
      '  row 4           30',
      '▸ row 5           40',
      '  row 6           50',
      '  4-6 of 9',
    ])
    expect(draw(8, 5).slice(1)).toEqual([
      '  row 7           60',
      '  row 8           70',
      '▸ row 9           80',
      '  7-9 of 9',
    ])
  })

  it('without rows says what would fill it', () => {
    const empty = drawTable({
      columns,
      rows: [],
      chosen: null,
      empty: ['Nothing yet.'],
      theme: SCREEN,
      area: { width: 20, height: 3 },
    })
    expect(text(empty)).toEqual([' Nothing yet.', '', ''])
  })

  it('reads as a sentence for each row', () => {
    expect(draw(1, 3, SPEECH).slice(0, 2)).toEqual(['name row 1, count 0.', 'Selected: name row 2, count 10.'])
  })

  it('keeps the chosen row in sight, whatever the size', () => {
    const sizes = fc.tuple(fc.nat(500), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 60 }))
    fc.assert(
      fc.property(sizes, ([index, count, height]) => {
        const chosen = Math.min(index, count - 1)
        const { start, end } = windowAround(chosen, count, height)
        expect(start).toBeLessThanOrEqual(chosen)
        expect(end).toBeGreaterThan(chosen)
        expect(end - start).toBe(Math.min(height, count))
        expect([start >= 0, end <= count]).toEqual([true, true])
      }),
    )
  })
})

describe('a bar', () => {
  it('is as full as its share, and never more than full', () => {
    expect([0, 0.5, 1, 7, -1].map((share) => bar(share, 4, UNICODE))).toEqual(['░░░░', '██░░', '████', '████', '░░░░'])
    expect(bar(0.25, 4, ASCII)).toBe('#...')
  })
})

describe('a sparkline', () => {
  it('goes from the least to the most, of the newest values that fit', () => {
    expect(sparkline([9, 1, 2, 3], 3, UNICODE)).toBe('▁▅█')
    expect(sparkline([9, 1, 2, 3], 3, ASCII)).toBe('_=#')
    expect(sparkline([2, 4], 9, UNICODE, 0)).toBe('▅█')
    expect([sparkline([5, 5], 9, UNICODE), sparkline([0, 0], 9, UNICODE, 0), sparkline([], 9, UNICODE)]).toEqual([
      '▁▁',
      '▁▁',
      '',
    ])
  })
})

describe('the histogram of latencies', () => {
  it('has a bar for each class, at least one sign long when there is any', () => {
    expect(text(latencyHistogram([10, 20, 30, 40, 60, 9_000], SCREEN, 26))).toEqual([
      '  < 50ms ████████ 4',
      ' < 100ms ██ 1',
      ' < 250ms',
      ' < 500ms',
      '  < 1.0s',
      '  < 2.5s',
      '  < 5.0s',
      ' >= 5.0s ██ 1',
    ])
    expect(text(latencyHistogram([10, 10, 10, 10, 10, 10, 10, 10, 10, 60], SCREEN, 19))[1]).toBe(' < 100ms █ 1')
  })

  it('reads as a sentence, and says when it is empty', () => {
    expect(text(latencyHistogram([10, 20, 9_000], SPEECH, 26))).toEqual(['2 took < 50ms, 1 took >= 5.0s.'])
    expect(text(latencyHistogram([], SCREEN, 26))).toEqual([' No maker has confirmed yet.'])
  })
})

describe('the price chart', () => {
  const at = (second: number, micro: bigint) => ({ at: second * 1_000, price: usd6(micro) })
  const dots = [at(0, 130_000n), at(5, 120_000n), at(9, 125_000n)]
  const bests = [at(0, 130_000n), at(5, 120_000n)]

  it('draws the best price as a path and every quote as a dot, between its times', () => {
    const span = { dots, bests, bids: [], from: 0, to: 10_000 }
    expect(text(priceChart(span, SCREEN, { width: 30, height: 6 }))).toEqual([
      '  0.1300 ┤•━━━━━━━━━━',
      '         ┤',
      '         ┤                  •',
      '         ┤',
      '  0.1200 ┤          •━━━━━━━━━',
      '          00:00:00    00:00:10',
    ])
    expect(text(priceChart(span, { glyphs: ASCII, medium: 'screen' }, { width: 20, height: 2 }))).toEqual([
      '  0.1300 |o=====',
      '  0.1200 |     o===o',
    ])
  })

  it('draws one price in the middle, and says when there is none', () => {
    const one = { dots: [at(0, 130_000n)], bests: [at(0, 130_000n)], bids: [], from: 0, to: 1_000 }
    expect(text(priceChart(one, SCREEN, { width: 20, height: 3 }))).toEqual([
      '         ┤',
      '  0.1300 ┤•━━━━━━━━━',
      '         ┤',
    ])
    expect(text(priceChart({ ...one, dots: [], bests: [] }, SCREEN, { width: 20, height: 3 }))).toEqual([
      ' No quote yet: its price will appear here.',
    ])
  })

  it('has a path of bids below that of asks', () => {
    const both = { dots: [{ ...at(0, 130_000n), bid: usd6(120_000n) }], bests: [at(0, 130_000n)], from: 0, to: 1_000 }
    const history = { ...both, bids: [at(0, 120_000n)] }
    expect(text(priceChart(history, SCREEN, { width: 20, height: 3 }))).toEqual([
      '  0.1300 ┤•━━━━━━━━━',
      '         ┤',
      '  0.1200 ┤•━━━━━━━━━',
    ])
    expect(text(priceChart(history, SPEECH, { width: 20, height: 3 }))).toEqual([
      'Best bid went from $0.1200 to $0.1200, best ask from $0.1300 to $0.1300, over 1 quotes.',
    ])
  })

  it('reads as a sentence', () => {
    expect(text(priceChart({ dots, bests, bids: [], from: 0, to: 1 }, SPEECH, { width: 20, height: 3 }))).toEqual([
      'Best price went from $0.1300 to $0.1200 over 3 quotes.',
    ])
    expect(text(priceChart({ dots, bests: [], bids: [], from: 0, to: 1 }, SPEECH, { width: 20, height: 3 }))).toEqual([
      '3 quotes, none of them live.',
    ])
  })

  it('stays within its area for any prices at any times', () => {
    const dot = fc.record({
      at: fc.integer({ min: 0, max: 100_000 }),
      price: fc.bigInt({ min: 1n, max: 999_999n }).map(usd6),
    })
    const dotLists = fc.array(dot, { maxLength: 30 })
    fc.assert(
      fc.property(
        dotLists,
        dotLists,
        fc.nat(100_000),
        fc.integer({ min: 14, max: 90 }),
        fc.integer({ min: 2, max: 20 }),
        (all, best, to, width, height) => {
          const drawn = text(
            priceChart({ dots: all, bests: best, bids: [], from: 50_000, to }, SCREEN, { width, height }),
          )
          expect(drawn.length).toBeLessThanOrEqual(Math.max(2, height))
          for (const row of drawn) expect(stringWidth(row)).toBeLessThanOrEqual(Math.max(width, 44))
        },
      ),
    )
  })
})
