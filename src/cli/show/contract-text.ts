import type { ContractUnit, ContractValue } from '@rfqctl/client/index'
import { exactUsd, plural, resolution, shortId, strike } from '@rfqctl/lib/format'
import { ROLES } from '@rfqctl/protocol/domain/authority'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import { usd6 } from '@rfqctl/protocol/domain/units'

/** No stablecoin has so many units: larger approvals count as unlimited. */
const UNLIMITED = 2n ** 255n

/** Latest Unix time of a JavaScript date, in seconds. */
const LAST_SECOND = 8_640_000_000_000n

/** Longer hex, which is call data or a signature, is cut to its start. */
const LONGEST_HEX = 66

const WORDS: Record<ContractUnit, (value: bigint) => string> = {
  usd: (value) => (value >= UNLIMITED ? 'no limit' : exactUsd(usd6(value))),
  options: (value) => plural(Number(value), 'option'),
  time: (value) => (value > LAST_SECOND ? String(value) : utcText(Number(value) * 1_000)),
  strike: (value) => strike(Number(value)),
  resolution: (value) => resolution(Number(value)),
  optionType: (value) => (value === 0n ? 'call' : value === 1n ? 'put' : String(value)),
  series: (value) => shortId(String(value)),
  role: (value) => ROLES[Number(value)]?.replace('_', ' ') ?? String(value),
  plain: String,
}

export const valueLine = ({ name, unit, value }: ContractValue): string => `${name} ${valueText(unit, value)}`

/** In the units that people use. */
export function valueText(unit: ContractUnit, value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((part) => valueText(unit, part)).join(', ')}]`
  if (typeof value === 'bigint' || typeof value === 'number') return WORDS[unit](BigInt(value))
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, part]) => `${name} ${valueText('plain', part)}`)
      .join(', ')}}`
  }
  const text = safeText(String(value))
  return /^0x/.test(text) && text.length > LONGEST_HEX ? `${text.slice(0, 10)}…` : text
}
