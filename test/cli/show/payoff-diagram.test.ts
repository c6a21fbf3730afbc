import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { payoffDiagram } from '../../../src/cli/show/payoff-diagram.ts'
import { createColors } from '../../../src/cli/terminal/colors.ts'
import { widthOf } from '../../../src/lib/text-width.ts'
import { type ProfitPoint, profitsOf } from '../../../src/protocol/domain/profit.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const CALL = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
const PLAIN = createColors(false)
const WIDTHS = Array.from({ length: 161 }, (_, index) => index + 40)

const pointsOf = (profit: (cents: number) => number): ProfitPoint[] =>
  Array.from({ length: 101 }, (_, price) => ({ price, profit: usd6(BigInt(Math.round(profit(price) * 1_000_000))) }))

const call = (strike: number) => (cents: number) => Math.max(0, cents - strike)
const butterfly = pointsOf((cents) => 10 * (call(40)(cents) - 2 * call(50)(cents) + call(60)(cents)) - 30)
const bought = profitsOf(CALL, { side: 'buy', price: usd6(100_000n), amount: contracts(2_500n) })
const written = profitsOf(CALL, { side: 'sell', price: usd6(100_000n), amount: contracts(2_500n) })

describe('the diagram of a payoff', () => {
  it('has gains above its axis, losses below, and the exact prices in words', () => {
    expect(`\n${payoffDiagram(bought, { colors: PLAIN, width: null }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      +$1,125.00 ┤                                                      ▂▄▅▆█
                 │                                                ▁▂▄▅▇██████
                 │                                           ▁▃▄▅▇███████████
                 │                                      ▂▃▄▆▇████████████████
                 │                                 ▂▄▄▆██████████████████████
              $0 ┤───────────────────────────────────────────────────────────
        -$250.00 ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
                  $0.00                        $0.50                    $1.00
      gain  at YES $0.56 to $1.00, at most $1,125.00
      even  at YES $0.55
      loss  at YES $0.00 to $0.54, at most $250.00
      "
    `)
  })

  it('names each range of prices of a structure', () => {
    expect(`\n${payoffDiagram(butterfly, { colors: PLAIN, width: 80 }).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      +$70.00 ┤                                  ▃█▃
              │                                 ▂███▂
              │                                ▆█████▆
              │                               ▅███████▅
           $0 ┤───────────────────────────────────────────────────────────────────────
              │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░           ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      -$30.00 ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░             ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
               $0.00                              $0.50                          $1.00
      gain  at YES $0.44 to $0.56, at most $70.00
      even  at YES $0.43 and $0.57
      loss  at YES $0.00 to $0.42 and $0.58 to $1.00, at most $30.00
      "
    `)
  })

  it('fits every terminal from 40 columns to 200, with the same words, and in colour says nothing else', () => {
    const colored = createColors(true)
    for (const points of [bought, written, butterfly]) {
      const sentences = payoffDiagram(points, { colors: PLAIN, width: 200 }).slice(-3).join(' ').split(/\s+/)
      for (const width of WIDTHS) {
        const lines = payoffDiagram(points, { colors: PLAIN, width })
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
        expect(lines.join(' ').split(/\s+/).slice(-sentences.length)).toEqual(sentences)
        const inColor = payoffDiagram(points, { colors: colored, width })
        expect(inColor.map(stripVTControlCharacters)).toEqual(lines)
        expect(inColor.join('')).not.toBe(lines.join(''))
      }
    }
  })

  it('leaves amounts to the words where they would leave no room for the picture', () => {
    const huge = pointsOf((cents) => (cents - 50) * 1e9)
    const lines = payoffDiagram(huge, { colors: PLAIN, width: 40 })
    expect(lines[0]).toMatch(/^┤/)
    expect(lines.join('\n')).toContain('$50,000,000,000.00')
  })

  it('shows the smallest gain beside a large loss, and the smallest loss beside a large gain', () => {
    const columnOf = (lines: readonly string[], glyphs: RegExp) => lines.filter((line) => glyphs.test(line)).length
    const rare = pointsOf((cents) => (cents === 100 ? -10_000 : 0.01))
    expect(columnOf(payoffDiagram(rare, { colors: PLAIN, width: 80 }), /▁|█/)).toBe(1)
    expect(columnOf(payoffDiagram(rare.map(negative), { colors: PLAIN, width: 80 }), /░/)).toBe(1)
  })

  it('has only one half where nothing can be lost, or gained', () => {
    const never = payoffDiagram(
      pointsOf((cents) => cents),
      { colors: PLAIN, width: 80 },
    )
    expect(never.join('\n')).not.toMatch(/░|loss/)
    const always = payoffDiagram(
      pointsOf((cents) => -cents),
      { colors: PLAIN, width: 80 },
    )
    expect(always.join('\n')).not.toMatch(/█|gain/)
  })
})

const negative = ({ price, profit }: ProfitPoint): ProfitPoint => ({ price, profit: usd6(-profit) })
