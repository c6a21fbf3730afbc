import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const WEB = fileURLToPath(new URL('../../../src/web/', import.meta.url))
const THEME = readFileSync(`${WEB}parts/theme.css`, 'utf8')

/** Every colour by its name: what it is by day, and by night. */
const COLORS = new Map(
  [...THEME.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

/** Where text may be, and which. */
const GROUNDS = ['canvas', 'surface', 'raised', 'sunken', 'hover', 'accent-soft']
const TEXTS = ['text', 'muted', 'faint', 'accent-text', 'gain', 'loss', 'warning']
const TINTS = ['gain-soft', 'loss-soft', 'warning-soft', 'accent-soft']

/** WCAG 2.2, 1.4.3: text of any size; 1.4.11: what one must see to use a control, and lines of a chart. */
const TEXT_RATIO = 4.5
const SHAPE_RATIO = 3

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

/** The pairs that are less than the ratio apart, as a person would say them. */
function tooClose(pairs: readonly (readonly [over: string, ground: string])[], ratio: number): string[] {
  return pairs.flatMap(([over, ground]) =>
    (['light', 'dark'] as const).flatMap((scheme) => {
      const [a, b] = [COLORS.get(over)?.[scheme], COLORS.get(ground)?.[scheme]]
      if (a === undefined || b === undefined) return [`${over} on ${ground}: no such colour`]
      const found = contrast(a, b)
      return found >= ratio ? [] : [`${over} on ${ground}, ${scheme}: ${found.toFixed(2)}`]
    }),
  )
}

describe('the colours of the pages', () => {
  it('text is readable on every ground by day and by night (WCAG AA)', () => {
    const pairs = TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const))
    expect(tooClose(pairs, TEXT_RATIO)).toEqual([])
  })

  it('text on a tint is readable: its own tone, plain text and hints', () => {
    const pairs = TINTS.flatMap((tint) => {
      const own = tint === 'accent-soft' ? 'accent-text' : tint.replace('-soft', '')
      return ['text', 'muted', own].map((text) => [text, tint] as const)
    })
    expect(tooClose(pairs, TEXT_RATIO)).toEqual([])
  })

  it('the words of a primary button are readable, also under the pointer', () => {
    expect(
      tooClose(
        [
          ['on-accent', 'accent'],
          ['on-accent', 'accent-hover'],
        ],
        TEXT_RATIO,
      ),
    ).toEqual([])
  })

  it('the frame of a field and the lines of a chart differ enough from their surroundings', () => {
    const shapes = ['control', 'accent-text', 'gain', 'loss', 'warning', 'faint']
    const pairs = shapes.flatMap((shape) => ['canvas', 'surface', 'raised'].map((ground) => [shape, ground] as const))
    expect(tooClose(pairs, SHAPE_RATIO)).toEqual([])
  })

  it('a pair of the same colour, or of colours that no one can tell apart, is found', () => {
    expect(tooClose([['text', 'text']], TEXT_RATIO)).toEqual(['text on text, light: 1.00', 'text on text, dark: 1.00'])
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  })
})

describe('the styles of the pages', () => {
  // The reference page has values of its own, in src/relay/server/openapi/reference.
  const styles = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.css') && !file.startsWith('reference'),
  )

  it('only the theme names colours', () => {
    const found = styles
      .filter((file) => !file.endsWith('theme.css'))
      .flatMap((file) =>
        [...readFileSync(`${WEB}${file}`, 'utf8').matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
          ([text]) => `${file}: ${text}`,
        ),
      )
    expect(found).toEqual([])
  })

  it('every value that is used is one of the theme, or is made where it is used', () => {
    const all = styles.map((file) => readFileSync(`${WEB}${file}`, 'utf8')).join('\n')
    const made = new Set([...all.matchAll(/(--[a-z0-9-]+):/g)].map(([, name]) => name))
    const used = [...all.matchAll(/var\((--[a-z0-9-]+)/g)].map(([, name]) => name)
    expect(used.filter((name) => !made.has(name))).toEqual([])
  })

  it('nothing is loaded from elsewhere', () => {
    const found = styles.filter((file) => /url\(|@import (?!"\.\/)/.test(readFileSync(`${WEB}${file}`, 'utf8')))
    expect(found).toEqual([])
  })
})
