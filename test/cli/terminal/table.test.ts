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

  test('goes on below, between words, where a sentence is longer than the terminal', () => {
    expect(tableLines(both('wrap'), ['the best maker signs'], { ...PLACE, width: 17 })).toEqual([
      'NAME  WHAT',
      'one   the best',
      '      maker signs',
    ])
  })

  test('leaves out a last column that has hardly any room', () => {
    expect(tableLines(both('drop'), ['will it rain?'], { ...PLACE, width: 13 })).toEqual(['NAME', 'one'])
    expect(tableLines(both('drop'), ['will it rain?'], { ...PLACE, width: 14 })).toEqual([
      'NAME  WHAT',
      'one   will it…',
    ])
  })

  test('cuts the text of strangers in the last column where the terminal ends', () => {
    const columns: Column<string>[] = [
      { heading: 'A', cell: () => 'a' },
      { heading: 'B', cell: (text) => text },
    ]
    expect(tableLines(columns, ['long enough to be cut'], { ...PLACE, width: 13 })).toEqual(['A  B', 'a  long enou…'])
  })
})
