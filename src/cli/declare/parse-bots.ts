import { InvalidArgumentError } from 'commander'
import type { TakerMix } from '../../bots/session.ts'
import type { StyleName } from '../../bots/style.ts'

/** Every character of a simulated maker. Help must not load the bots for their names. */
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
    if (style === undefined) throw new InvalidArgumentError(`Expected one or more of ${STYLE_NAMES.join(', ')}.`)
    return style
  })
}

/** Requests a second, up to 1000; a part of one too. */
export function parseRate(text: string): number {
  const rate = Number(text)
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || rate <= 0 || rate > 1_000) {
    throw new InvalidArgumentError('Expected a rate such as 0.5 or 20.')
  }
  return rate
}

const MIX_PARTS = ['buy', 'sell', 'cancel'] as const

/** What takers do, as shares in any whole numbers: buy=60,sell=25,cancel=15. Those that cancel ask to buy or sell, too. */
export function parseMix(text: string): Pick<TakerMix, 'buyShare' | 'walkAwayShare'> {
  const shares = { buy: 0, sell: 0, cancel: 0 }
  for (const part of text.split(',')) {
    const [, name, share] = /^(\w+)=(\d{1,6})$/.exec(part.trim()) ?? []
    const known = MIX_PARTS.find((candidate) => candidate === name)
    if (known === undefined) throw new InvalidArgumentError('Expected shares such as buy=60,sell=25,cancel=15.')
    shares[known] = Number(share)
  }
  const { buy, sell, cancel } = shares
  if (buy + sell === 0) throw new InvalidArgumentError('The share of buy or sell must be above 0.')
  return { buyShare: buy / (buy + sell), walkAwayShare: cancel / (buy + sell + cancel) }
}

/** A time to think in whole milliseconds, 0 or more. */
export function parseLatency(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of milliseconds.')
  return Number(text)
}
