/** Unit of a number of our contracts, for people. */
export type ContractUnit =
  | 'usd'
  | 'options'
  | 'time'
  | 'strike'
  | 'resolution'
  | 'optionType'
  | 'series'
  | 'role'
  | 'plain'

/** A named value of a call, an event or an error of our contracts. */
export type ContractValue = {
  /** Members of a struct are named like `order.maker`. */
  name: string
  /** Its unit, so that it can be shown to people. */
  unit: ContractUnit
  /** The value in the contract's own numbers: a bigint, number, boolean or text, or a list of them. */
  value: unknown
}

/** Contract that uses a name. Sums are micro-dollars in the stablecoin and whole options in the core. */
export type ContractKind = 'core' | 'settlement' | 'stablecoin'

/** Names that mean the same everywhere. Times are Unix seconds. */
const UNITS: Readonly<Record<string, ContractUnit>> = {
  premiumAmount: 'usd',
  collateral: 'usd',
  payout: 'usd',
  allowance: 'usd',
  optionAmount: 'options',
  fromInventory: 'options',
  closeAfter: 'options',
  bought: 'options',
  openInterest: 'options',
  cap: 'usd',
  owed: 'usd',
  paid: 'usd',
  fee: 'usd',
  maxFee: 'usd',
  due: 'usd',
  floor: 'usd',
  short: 'options',
  expiry: 'time',
  validUntil: 'time',
  timestamp: 'time',
  until: 'time',
  earliest: 'time',
  latest: 'time',
  finalAt: 'time',
  deadline: 'time',
  acceptableAt: 'time',
  lapsesAt: 'time',
  executableAt: 'time',
  endedAt: 'time',
  strikeBps: 'strike',
  resolutionBps: 'resolution',
  optionType: 'optionType',
  seriesId: 'series',
  seriesIds: 'series',
  tokenId: 'series',
  id: 'series',
  ids: 'series',
  role: 'role',
}

/** Names of sums in the contract's own unit. */
const SUMS = ['amount', 'value', 'values', 'balance', 'needed']

/** The unit of a name of a contract. The settlement names money only: its `value` is what a taker signed for. */
export function contractUnit(kind: ContractKind, name: string): ContractUnit {
  if (SUMS.includes(name)) return kind === 'core' ? 'options' : 'usd'
  return Object.hasOwn(UNITS, name) ? (UNITS[name] as ContractUnit) : 'plain'
}

/** The contract whose sums an error carries: errors of the stablecoin come back through its callers unchanged. */
export const contractOfError = (errorName: string): ContractKind => {
  if (errorName === 'PaymentMismatch') return 'settlement'
  return /^ERC(?:20|2612)/.test(errorName) ? 'stablecoin' : 'core'
}

type Parameter = { name?: string | undefined; type?: string; components?: readonly Parameter[] }

/** Arguments with their names and units. The members of a struct replace it, named like `order.maker`. */
export function namedValues(
  kind: ContractKind,
  parameters: readonly Parameter[],
  values: readonly unknown[],
  prefix = '',
): ContractValue[] {
  return parameters.flatMap(({ name = '', type, components }, index) => {
    const value = values[index]
    const isStruct = type === 'tuple' && components !== undefined && typeof value === 'object' && value !== null
    if (!isStruct) return [{ name: `${prefix}${name}`, unit: contractUnit(kind, name), value }]
    const members = value as Readonly<Record<string, unknown>>
    const inner = components.map((component) => members[component.name ?? ''])
    return namedValues(kind, components, inner, `${prefix}${name}.`)
  })
}
