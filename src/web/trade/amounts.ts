import { type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/client/index'

export type Typed<Value> = { value: Value } | { problem: string }

/** Most dollars of a budget, and most options of a size, that a relay accepts (decision U2). */
const MOST = 1_000_000_000n

/** Dollars above 0, as typed: 250, 1,000.50, 0.25. */
export function readDollars(text: string): Typed<Usd6> {
  const typed = readFee(text)
  if ('value' in typed && typed.value === 0n) return NO_DOLLARS
  return typed
}

export function readFee(text: string): Typed<Usd6> {
  const match = /^\$?(\d{1,10})?(?:\.(\d{0,6}))?$/.exec(text.trim().replaceAll(',', ''))
  const [, whole = '', fraction = ''] = match ?? []
  if (whole === '' && fraction === '') return NO_DOLLARS
  const value = usd6(BigInt(whole === '' ? '0' : whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0')))
  return value > MOST * 1_000_000n ? { problem: 'At most $1,000,000,000.' } : { value }
}

export function readCount(text: string): Typed<Contracts> {
  const plain = text.trim().replaceAll(',', '')
  if (!/^\d{1,10}$/.test(plain) || BigInt(plain) < 1n) return { problem: 'Enter a whole number above 0.' }
  return BigInt(plain) > MOST ? { problem: 'At most 1,000,000,000 options.' } : { value: contracts(BigInt(plain)) }
}

const NO_DOLLARS = { problem: 'Enter an amount of dollars such as 100 or 0.25.' } as const
