import { describe, expect, test } from 'vitest'
import { createColors } from '../../../src/cli/terminal/colors.ts'
import { type Column, tableLines } from '../../../src/cli/terminal/table.ts'

const PLACE = { colors: createColors(false), width: null }

const linesOf = (columns: readonly Column<string>[], rows: readonly string[]) => tableLines(columns, rows, PLACE)

describe('a table', () => {
  test('puts the decimal points of a column under each other, and adds no digit', () => {
    const prices: Column<string>[] = [{ heading: 'PRICE', cell: (text) => text, align: 'decimal' }]
    expect(linesOf(prices, ['$0.176', '$0.1719', '-', '$1,000.50'])).toEqual([
      '      PRICE',
      '    $0.176',
      '    $0.1719',
      '          -',
      '$1,000.50',
    ])
  })

  test('leaves numbers as they are in other columns', () => {
    const plain: Column<string>[] = [{ heading: 'SUM', cell: (text) => text, align: 'right' }]
    expect(linesOf(plain, ['$0.1', '$0.25'])).toEqual(['  SUM', ' $0.1', '$0.25'])
  })

  const both = (overflow: 'wrap' | 'drop'): Column<string>[] => [
    { heading: 'NAME', cell: () => 'one' },
    { heading: 'WHAT', cell: (text) => text, overflow },
  ]

  test('continues below, between words, where a sentence is longer than the terminal', () => {
    expect(tableLines(both('wrap'), ['the best maker signs the order'], { ...PLACE, width: 26 })).toEqual([
      'NAME  WHAT',
      'one   the best maker signs',
      '      the order',
    ])
  })

  test('leaves out a last column that has hardly any room', () => {
    const question = ['will it rain in Norvik?']
    expect(tableLines(both('drop'), question, { ...PLACE, width: 25 })).toEqual(['NAME', 'one'])
    expect(tableLines(both('drop'), question, { ...PLACE, width: 26 })).toEqual([
      'NAME  WHAT',
      'one   will it rain in Nor…',
    ])
  })

  test('cuts the text of strangers in the last column where the terminal ends', () => {
    const columns: Column<string>[] = [
      { heading: 'A', cell: () => 'a' },
      { heading: 'B', cell: (text) => text },
    ]
    expect(tableLines(columns, ['this is long enough to be cut'], { ...PLACE, width: 24 })).toEqual([
      'A  B',
      'a  this is long enough …',
    ])
  })
})

/** Columns with the headings, the widths and the rules of a list of ours. */
const list = (shape: readonly (readonly [heading: string, cell: string, overflow?: 'drop'])[]): Column<string>[] =>
  shape.map(([heading, cell, overflow]) => ({
    heading,
    cell: () => cell,
    ...(overflow === undefined ? {} : { overflow }),
  }))

const QUESTION = 'Will the Harbour Bridge reopen to traffic before the first of December this year?'
const MARKETS = list([
  ['', '@1'],
  ['MARKET', '0x7e7e…7e7e'],
  ['SERIES', '     6'],
  ['YES', '$0.45'],
  ['STRIKES', '$0.30 $0.45 $0.60'],
  ['NEXT EXPIRY', 'in 12m'],
  ['QUESTION', QUESTION],
])
const SERIES = list([
  ['', '@12'],
  ['NAME', 'harbour-c45-2026-11-24'],
  ['TYPE', 'call', 'drop'],
  ['STRIKE', ' $0.45', 'drop'],
  ['YES', '$0.45'],
  ['EXPIRY', 'in 12m'],
  ['STATE', 'settled at $0.59'],
  ['QUESTION', QUESTION, 'drop'],
])
const POSITIONS = list([
  ['SERIES', 'harbour-c45-2026-11-24'],
  ['OPTIONS', '   -896'],
  ['MARK', '$0.1234'],
  ['COST', '$1,024.98'],
  ['VALUE', '$1,110.57'],
  ['P&L', '+$85.59'],
  ['STATE', 'open'],
])

describe('a list of ours fits its terminal', () => {
  const shown = (columns: Column<string>[], width: number) => tableLines(columns, ['row'], { ...PLACE, width })

  test.each([60, 80, 120])(
    'with %i columns, with whole headings, and a question only where one can be shown',
    (width) => {
      for (const columns of [MARKETS, SERIES, POSITIONS]) {
        const lines = shown(columns, width)
        expect(lines.filter((line) => line.length > width)).toEqual([])
        const said = lines.join('\n')
        for (const { heading, overflow } of columns) if (overflow !== 'drop') expect(said).toContain(heading)
        expect(said.includes('QUESTION')).toBe(said.includes('Will the Harbour Bri'))
      }
    },
  )

  test('with 60 columns: a cell without room continues below', () => {
    expect(shown(MARKETS, 60)).toEqual([
      '    MARKET       SERIES  YES    STRIKES',
      '    NEXT EXPIRY  QUESTION',
      '@1  0x7e7e…7e7e       6  $0.45  $0.30 $0.45 $0.60',
      '    in 12m       Will the Harbour Bridge reopen to traffic …',
    ])
    expect(shown(POSITIONS, 60)).toEqual([
      'SERIES                  OPTIONS  MARK     COST',
      '    VALUE      P&L      STATE',
      'harbour-c45-2026-11-24     -896  $0.1234  $1,024.98',
      '    $1,110.57  +$85.59  open',
    ])
  })

  test('with 60 columns: a cell that repeats the name of a series is left out before anything continues below', () => {
    expect(shown(SERIES, 60)).toEqual([
      '     NAME                    YES    EXPIRY  STATE',
      '@12  harbour-c45-2026-11-24  $0.45  in 12m  settled at $0.59',
    ])
  })

  test('with 120 columns: all on one line', () => {
    for (const columns of [MARKETS, SERIES, POSITIONS]) expect(shown(columns, 120)).toHaveLength(2)
  })
})
