import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { ansiText } from '../../src/cli/dashboard/terminal/fit.ts'
import { describeState, drawReport, drawScreen } from '../../src/cli/dashboard/terminal/screen.ts'
import type { OperatorEvent } from '../../src/client/index.ts'
import { type Line, plainText } from '../../src/web/dashboard/line.ts'
import { type DashboardState, reduce, VIEWS } from '../../src/web/dashboard/state.ts'
import { ASCII, type Theme, UNICODE, WORDS_ONLY } from '../../src/web/dashboard/theme.ts'
import { asked, BUSY, connected, happened, makerOf, NOON, opened, openedBoth, quoted, quotedBoth } from './scene.ts'
import { SCREENS } from './screens.ts'

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 50 },
]

/** A reduced view, and what it looks like where there is nothing to show. */
const SMALL = { columns: 60, rows: 12 }

/** Screens that a wider terminal draws differently. */
const WIDER = [
  'requests',
  'both sides',
  'makers',
  'confirmations',
  'settlement',
  'a request',
  'a committed request chosen',
]

const LOOKS: Record<string, { theme: Theme; paint: (line: Line) => string }> = {
  plain: { theme: { glyphs: UNICODE, medium: 'screen' }, paint: plainText },
  ascii: { theme: { glyphs: ASCII, medium: 'screen' }, paint: plainText },
  // An escape shows as its picture, so that the file can be read.
  colour: {
    theme: { glyphs: UNICODE, medium: 'screen' },
    paint: (line) => ansiText(line).replaceAll('\u001b', '␛').trimEnd(),
  },
}

const SPOKEN: Theme = { glyphs: WORDS_ONLY, medium: 'speech' }

const titled = (frames: readonly (readonly [string, string])[]) =>
  frames.map(([name, frame]) => `=== ${name}\n${frame}\n`).join('\n')

/** A request whose best price, and the only one, counts in micro-dollars. */
const EXACT = connected([opened(1, 1_000), quoted(1, 500, 'maker-1', 25_020n)])

it.each([
  [60, 1],
  [80, 2],
  [120, 2],
  [200, 2],
])(
  'a price of six decimals is whole at %d columns, in the list and in the book if there is room for it',
  (columns, times) => {
    const lines = drawScreen(EXACT, LOOKS.plain?.theme as Theme, { columns, rows: 24 }).map(plainText)
    expect(lines.filter((text) => / 0\.025020 /.test(text))).toHaveLength(times)
  },
)

/** A request for both sides whose prices count in micro-dollars. */
const EXACT_SIDES = connected([
  openedBoth(2, 1_000),
  quotedBoth(2, 500, { makerId: 'maker-1', bid: 24_010n, ask: 25_020n }),
])

it.each([
  [60, 1],
  [80, 2],
  [120, 2],
  [200, 2],
])('bid and ask of six decimals are whole at %d columns', (columns, times) => {
  const lines = drawScreen(EXACT_SIDES, LOOKS.plain?.theme as Theme, { columns, rows: 24 }).map(plainText)
  expect(lines.filter((text) => / 0\.024010 \/ 0\.025020 /.test(text))).toHaveLength(times)
})

describe('every view and state', () => {
  const [smallest, ...wider] = SIZES as [(typeof SIZES)[number], ...typeof SIZES]
  const cases = [
    ...Object.keys(LOOKS).map((name) => ({ ...smallest, name, titles: Object.keys(SCREENS) })),
    ...wider.map((size) => ({ ...size, name: 'plain', titles: WIDER })),
    { ...SMALL, name: 'plain', titles: ['requests', 'both sides', 'lost', 'typing a filter', 'connecting, no answer'] },
  ]
  it.each(cases)('is drawn at $columns x $rows, $name', async ({ columns, rows, name, titles }) => {
    const { theme, paint } = LOOKS[name] as (typeof LOOKS)[string]
    const frames = titles.map((title) => {
      const state = SCREENS[title] as DashboardState
      const lines = drawScreen(state, theme, { columns, rows })
      expect(lines).toHaveLength(rows - 1)
      return [title, lines.map(paint).join('\n')] as const
    })
    await expect(titled(frames)).toMatchFileSnapshot(`frames/${columns}x${rows}.${name}.txt`)
  })

  it('reads as sentences, without a sign', async () => {
    const told = Object.entries(SCREENS).map(
      ([title, state]) => [title, describeState(state, SPOKEN).map(plainText).join('\n')] as const,
    )
    await expect(titled(told)).toMatchFileSnapshot('frames/speech.txt')
    expect(titled(told)).not.toMatch(new RegExp(`[${Object.values(UNICODE).join('').replaceAll('…', '')}]`))
  })

  it('has only ASCII where that is asked for, but for what strangers wrote', () => {
    const own = connected(BUSY.filter(({ kind }) => kind !== 'series'))
    const quiet = { ...own, market: { ...own.market, requests: new Map() } }
    for (const view of VIEWS) {
      const drawn = drawScreen({ ...quiet, view }, { glyphs: ASCII, medium: 'screen' }, { columns: 118, rows: 28 })
      const text = drawn.map(plainText).join('\n').replaceAll('…', '')
      expect(text).toMatch(/^[\x20-\x7e\n]*$/)
    }
  })
})

describe('a terminal that is too small', () => {
  it.each([
    [59, 24],
    [80, 11],
    [10, 3],
    [1, 1],
  ])('at %d x %d says what is needed, and how to quit', (columns, rows) => {
    const drawn = drawScreen(connected(), { glyphs: UNICODE, medium: 'screen' }, { columns, rows }).map(plainText)
    expect(drawn.length).toBeLessThanOrEqual(Math.max(1, rows - 1))
    expect(['too small', 'needs 60x12', `has ${columns}x${rows}`, 'q quits'].slice(0, drawn.length)).toEqual(drawn)
  })
})

describe('a report', () => {
  it('has all views under each other, without gaps', async () => {
    const lines = drawReport(connected(), { glyphs: UNICODE, medium: 'screen' }, 118, VIEWS)
    await expect(`${lines.map(plainText).join('\n')}\n`).toMatchFileSnapshot('frames/report.txt')
    expect(lines.map(plainText).join('\n')).not.toContain('\n\n\n')
  })

  it('reads as sentences too', () => {
    expect(drawReport(connected(), SPOKEN, 118, ['makers']).map(plainText)).toEqual(
      describeState(connected(BUSY, { view: 'makers' }), SPOKEN).map(plainText),
    )
  })
})

describe('a frame, whatever happened', () => {
  const names = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('maker-1', '雨雨雨雨', '\u001b[2J', '‮evil', '🎉'),
  )
  const numbers = fc.integer({ min: 0, max: 6 })
  const agos = fc.integer({ min: -5_000, max: 400_000 })
  const events: fc.Arbitrary<OperatorEvent> = fc.oneof(
    fc.tuple(numbers, agos).map(([number, ago]) => opened(number, ago)),
    fc.tuple(numbers, agos, names, fc.bigInt({ min: 1n, max: 999_999n })).map((args) => quoted(...args)),
    fc.tuple(numbers, agos, names).map((args) => asked(...args)),
    fc
      .tuple(numbers, agos, names, names)
      .map(([number, ago, makerId, detail]) =>
        happened(number, ago, { kind: 'quote_refused', makerId, code: detail, detail }),
      ),
    fc
      .tuple(numbers, agos, names)
      .map(([number, ago, makerId]) => happened(number, ago, { kind: 'missed', makerId, quoteId: 'q' })),
    fc.tuple(numbers, agos).map(([number, ago]) => happened(number, ago, { kind: 'closed', status: 'expired' })),
    names.map((name) => makerOf(name)),
  )
  const states = fc
    .tuple(fc.array(events, { maxLength: 60 }), fc.constantFrom(...VIEWS), fc.boolean(), fc.nat(50))
    .map(([list, view, isDetail, scroll]): DashboardState => {
      const state = connected(list, { view })
      return isDetail
        ? reduce(reduce(state, { kind: 'overlay', overlay: 'detail' }), { kind: 'scroll', to: scroll })
        : state
    })

  it('has every line within the terminal, and nothing that could move its cursor', () => {
    const looks = fc.constantFrom(UNICODE, ASCII)
    fc.assert(
      fc.property(
        states,
        fc.constantFrom(...SIZES, SMALL, { columns: 100, rows: 20 }),
        looks,
        (state, size, glyphs) => {
          const lines = drawScreen(state, { glyphs, medium: 'screen' }, size).map(plainText)
          expect(lines).toHaveLength(size.rows - 1)
          for (const text of lines) {
            expect(stringWidth(text)).toBeLessThanOrEqual(size.columns)
            expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('reads without a fault', () => {
    fc.assert(
      fc.property(states, (state) => describeState(state, SPOKEN).length > 0),
      { numRuns: 100 },
    )
  })

  it('is the same for the same state', () => {
    const again = connected()
    expect(drawScreen(again, { glyphs: UNICODE, medium: 'screen' }, { columns: 118, rows: 28 })).toEqual(
      drawScreen(connected(), { glyphs: UNICODE, medium: 'screen' }, { columns: 118, rows: 28 }),
    )
    expect(NOON).toBe(Date.UTC(2026, 2, 14, 12))
  })
})
