import { InvalidArgumentError } from 'commander'
import type { StyleName } from '../../bots/style.ts'

/** Every character of a simulated maker. Help must not load the bots for their names (house style 25). */
export const STYLE_NAMES = Object.keys({
  tight: 0,
  wide: 0,
  skewed: 0,
  requoting: 0,
  flaky: 0,
  silent: 0,
  late: 0,
  declining: 0,
  'bad-signature': 0,
  insolvent: 0,
} satisfies Record<StyleName, 0>) as StyleName[]

/** Characters of simulated makers by their names, with commas between them. */
export function parseStyles(text: string): StyleName[] {
  return text.split(',').map((name) => {
    const style = STYLE_NAMES.find((candidate) => candidate === name.trim())
    if (style === undefined) throw new InvalidArgumentError(`There is ${STYLE_NAMES.join(', ')}.`)
    return style
  })
}

/** A time to think in whole milliseconds, 0 or more. */
export function parseLatency(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is no whole number of milliseconds.')
  return Number(text)
}
