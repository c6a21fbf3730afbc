import { LIVE_TWAP, type SettingName, type Values } from './definitions.ts'
import { checkDistinctKeys, shortKeyPositions, staticMakerKeys } from './maker-keys.ts'
import { checkPackages } from './packages.ts'

/** Switches of `serve` that exist as flags only, not as settings. */
export type Modes = { memory: boolean; noChain: boolean; chainPort: number | null }

export type Facts = { values: Values; modes: Modes; isProduction: boolean }

/** Only meaningful on an external chain. */
const ADDRESS_NAMES = ['SETTLEMENT_ADDRESS', 'CORE_ADDRESS', 'STABLECOIN_ADDRESS'] as const

/** Required all together or not at all. */
const IDENTITY_NAMES = ['IDP_ISSUER', 'IDP_AUDIENCE', 'IDP_JWKS_URL'] as const

const EMBEDDED_CHAIN_ID = 80_002

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Returns contradictions between settings that are valid one by one. */
export const checkRules = (facts: Facts): string[] => [
  ...checkChain(facts),
  ...checkEmbedded(facts),
  ...checkSigners(facts.values),
  ...checkSocket(facts.values),
  ...checkStore(facts),
  ...checkKeys(facts),
  ...checkOpenMode(facts),
  ...checkIdentity(facts),
  ...checkSources(facts),
  ...checkPackages(facts.values),
  ...checkPartner(facts.values),
]

export function warnOf({ values, isProduction }: Facts): string[] {
  const warnings: string[] = []
  const short = shortKeyPositions(keysOf(values))
  if (short.length > 0 && !isProduction) warnings.push(`maker key ${short.join(', ')} is short enough to be guessed`)
  if (isProduction && values.SETTLEMENT_API_KEY === null)
    warnings.push('SETTLEMENT_API_KEY is not set: anyone may call /settlement/prepare')
  return [...warnings, ...warnOfSources(values), ...warnOfAverage(values)]
}

/** The fixtures know no real market, and no real market has the fixtures' prices. */
function warnOfSources({ PRICE_HISTORY_URL, MARKETS_URL }: Values): string[] {
  if (PRICE_HISTORY_URL !== null && MARKETS_URL === null) {
    return ['PRICE_HISTORY_URL without MARKETS_URL: the relay never learns that a market has closed']
  }
  return PRICE_HISTORY_URL === null && MARKETS_URL !== null
    ? ['MARKETS_URL without PRICE_HISTORY_URL: markets that have not closed settle at prices of the fixtures']
    : []
}

/** A momentary move of a live price must not move a settlement. @see docs/concepts/settlement.md */
function warnOfAverage({ PRICE_HISTORY_URL, TWAP_MIN_POINTS }: Values): string[] {
  return PRICE_HISTORY_URL !== null && TWAP_MIN_POINTS !== null && TWAP_MIN_POINTS < LIVE_TWAP.minPoints
    ? [`TWAP_MIN_POINTS ${TWAP_MIN_POINTS} lets few prices decide a settlement`]
    : []
}

function checkChain({ values, modes, isProduction }: Facts): string[] {
  const faults: string[] = []
  const missing = ADDRESS_NAMES.filter((name) => values[name] === null)
  const isExternal = values.RPC_URL !== null
  if (modes.noChain && isExternal) faults.push('--no-chain contradicts RPC_URL')
  if (isExternal && missing.length > 0) faults.push(`RPC_URL needs ${listNames(missing)} too`)
  if (!isExternal && missing.length < ADDRESS_NAMES.length) {
    faults.push(`${listNames(ADDRESS_NAMES.filter((name) => values[name] !== null))} needs RPC_URL too`)
  }
  if (modes.chainPort !== null && (isExternal || modes.noChain)) faults.push('--chain-port is for the embedded chain')
  if (isProduction && !isExternal && !modes.noChain) {
    faults.push('NODE_ENV=production never starts a chain of its own: set RPC_URL or pass --no-chain')
  }
  return faults
}

/** The embedded chain has an id and keys of its own. */
function checkEmbedded({ values, modes }: Facts): string[] {
  if (values.RPC_URL !== null || modes.noChain) return []
  const faults = values.CHAIN_ID === EMBEDDED_CHAIN_ID ? [] : [`CHAIN_ID of the embedded chain is ${EMBEDDED_CHAIN_ID}`]
  const keys = (['RESOLUTION_SIGNER_KEY', 'FAUCET_PRIVATE_KEY'] as const).filter((name) => values[name] !== null)
  return keys.length === 0
    ? faults
    : [...faults, `${listNames(keys)} needs RPC_URL too: the embedded chain has its own`]
}

/** The relay must not hold a key that another process holds. */
const checkSocket = ({ RPC_URL, RESOLUTION_SIGNER_KEY, RESOLUTION_SIGNER_SOCKET }: Values): string[] => {
  if (RESOLUTION_SIGNER_SOCKET === null) return []
  return [
    ...(RPC_URL === null ? ['RESOLUTION_SIGNER_SOCKET needs RPC_URL too'] : []),
    ...(RESOLUTION_SIGNER_KEY === null ? [] : ['RESOLUTION_SIGNER_SOCKET contradicts RESOLUTION_SIGNER_KEY']),
  ]
}

/** A fee to one of the two contracts is refused by them, and each fill of a page with it. */
const checkPartner = ({ WEB_PARTNER_FEE, SETTLEMENT_ADDRESS, CORE_ADDRESS }: Values): string[] =>
  WEB_PARTNER_FEE !== null && [SETTLEMENT_ADDRESS, CORE_ADDRESS].includes(WEB_PARTNER_FEE.recipient)
    ? ['WEB_PARTNER_FEE pays a contract of the service: name a wallet']
    : []

/** One stolen key must not give two roles, except on a development chain (fault K4). */
function checkSigners({ RPC_URL, RESOLUTION_SIGNER_KEY, FAUCET_PRIVATE_KEY }: Values): string[] {
  if (RPC_URL === null || RESOLUTION_SIGNER_KEY === null || isLoopback(new URL(RPC_URL).hostname)) return []
  return RESOLUTION_SIGNER_KEY.toLowerCase() === FAUCET_PRIVATE_KEY?.toLowerCase()
    ? ['RESOLUTION_SIGNER_KEY and FAUCET_PRIVATE_KEY must be two keys']
    : []
}

/** The fixtures are invented, so production must ask for them by name on a chain where options are traded. */
function checkSources({ values, isProduction }: Facts): string[] {
  if (!isProduction || values.RPC_URL === null || values.ALLOW_FIXTURES) return []
  return (['PRICE_HISTORY_URL', 'MARKETS_URL'] as const)
    .filter((name) => values[name] === null)
    .map(
      (name) => `${name} is required in production, or ALLOW_FIXTURES=true: without it, ${INVENTED[name]} are made up`,
    )
}

const INVENTED = { PRICE_HISTORY_URL: 'settlement prices', MARKETS_URL: 'questions and outcomes' } as const

function checkStore({ values, modes }: Facts): string[] {
  return [
    ...(modes.memory && values.DATABASE_URL !== null ? ['--memory contradicts DATABASE_URL'] : []),
    // Redis may be lost at any moment, so rights must be where all nodes see them.
    ...(values.REDIS_URL !== null && values.DATABASE_URL === null
      ? ['REDIS_URL needs DATABASE_URL too: nodes share a Redis and a Postgres, or neither']
      : []),
  ]
}

function checkKeys({ values, isProduction }: Facts): string[] {
  const keys = keysOf(values)
  const faults = checkDistinctKeys(keys).map((fault) => `MAKER_API_KEYS ${fault}`)
  const short = shortKeyPositions(keys)
  if (isProduction && short.length > 0) faults.push(`maker key ${short.join(', ')} is short enough to be guessed`)
  return faults
}

/** Open mode is for one machine and never for production (decision M5). */
function checkOpenMode({ values, modes, isProduction }: Facts): string[] {
  const isOpen = modes.memory && keysOf(values).length === 0
  if (!isOpen || (!isProduction && isLoopback(values.HOST))) return []
  const where = isProduction ? 'NODE_ENV=production' : `HOST ${values.HOST}`
  return [`--memory without MAKER_API_KEYS lets anyone quote, which ${where} does not allow`]
}

/** Anyone who can change the issuer's keys in transit can sign in as anyone. */
function checkIdentity({ values, isProduction }: Facts): string[] {
  const missing = IDENTITY_NAMES.filter((name) => values[name] === null)
  if (missing.length === IDENTITY_NAMES.length) return []
  const given = IDENTITY_NAMES.filter((name) => values[name] !== null)
  const faults = missing.length === 0 ? [] : [`${listNames(given)} needs ${listNames(missing)} too`]
  const { protocol = '', hostname = '' } = values.IDP_JWKS_URL === null ? {} : new URL(values.IDP_JWKS_URL)
  return isProduction && protocol === 'http:' && !isLoopback(hostname)
    ? [...faults, 'IDP_JWKS_URL must be https in production']
    : faults
}

const keysOf = (values: Values) => staticMakerKeys(values.MAKER_API_KEYS, values.MAKER_API_KEY)

const listNames = (names: readonly SettingName[]): string => names.join(', ')
