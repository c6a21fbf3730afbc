import { describe, expect, it } from 'vitest'
import { duration } from '../../src/lib/format.ts'
import { DEFINITIONS, SETTING_NAMES, type SettingName } from '../../src/relay/config/definitions.ts'
import type { Modes } from '../../src/relay/config/rules.ts'
import { loadSettings } from '../../src/relay/config/settings.ts'
import { describeOrigin } from '../../src/relay/config/sources.ts'
import { commandTree } from '../cli/help-texts.ts'
import { code } from './markdown.ts'

/** Each section begins at its setting, and ends where the next one begins. */
const SECTIONS: Partial<Record<SettingName, string>> = {
  HOST: 'Address and store',
  RPC_URL: 'Chain and signer',
  FAUCET_PRIVATE_KEY: 'Faucet',
  MAKER_API_KEYS: 'Keys and sign-in',
  QUOTE_REQUEST_TTL_MS: 'Requests, quotes and orders',
  MAX_CANDIDATES: 'Makers',
  COMMIT_PROOF: 'Proofs, feedback and ratings',
  WS_AUTH_TIMEOUT_MS: 'Connections and rates',
  TRUST_PROXY: 'Proxies, browsers and web pages',
  SOLVENCY_CACHE_MS: 'Reads of the chain',
  PRICE_HISTORY_URL: 'Markets, prices and resolution',
  AUDIT_BYTES_PER_REQUEST: 'Audit log, traces and log',
}

/** No parser reads it, so each says what it reads instead. */
const UNREADABLE = '\u0000'

/** The fault of each parser as what it accepts. */
const ACCEPTED: readonly [fault: RegExp, accepted: string][] = [
  [/^is not an integer from (\d+) to 2147483647$/, '$1 or more'],
  [/^is not an integer from (\d+) to (\d+)$/, '$1–$2'],
  [/^is not one of (.+)$/, '$1'],
  [/^is neither true nor false$/, 'true, false'],
  [/^is shorter than (\d+ characters)$/, '$1 or more'],
  [/^is not a URL that starts with (.+)$/, '$1'],
  [/^is not an address: .*$/, 'address'],
  [/^is not a list of (at most \d+ addresses): .*$/, '$1'],
  [/^is not an (address and basis points) from (\d+) to (\d+)$/, '$1, $2–$3'],
  [/^is not a private key: .*$/, 'private key'],
  [/^is not an amount of dollars above 0, up to 1e9, .*$/, 'dollars above 0, up to 1e9'],
  [/^is not a number from 0 to 1$/, '0 to 1'],
  [/^is not a list of headers: .*$/, 'headers'],
  [/^is neither \* nor a list of (origins) like .*$/, '*, $1'],
  [/^is neither true, false, (a number of hops) nor a list of (addresses)$/, 'true, false, $1, $2'],
  [/^is not a (JSON array) of .*$/, '$1'],
]

function acceptedBy(name: SettingName): string {
  const parsed = DEFINITIONS[name].parse(UNREADABLE)
  if (!('fault' in parsed)) return 'text'
  const [fault, accepted = ''] = ACCEPTED.find(([known]) => known.test(parsed.fault)) ?? []
  if (fault === undefined) throw new Error(`${name}: no words for what "${parsed.fault}" accepts`)
  return parsed.fault.replace(fault, accepted)
}

function fallbackOf(name: SettingName): string {
  const { fallback } = DEFINITIONS[name]
  if (fallback === null || typeof fallback === 'object') return ''
  if (name === 'FAUCET_AMOUNT') return code(String(Number(fallback) / 1e6))
  const isLong = name.endsWith('_MS') && typeof fallback === 'number' && fallback > 0 && fallback % 1_000 === 0
  return `${code(String(fallback))}${isLong ? ` (${duration(fallback)})` : ''}`
}

const program = commandTree()
const FLAGS = [program, ...program.commands.filter((command) => command.name() === 'serve')].flatMap(({ options }) =>
  options.map(({ long }) => long),
)

function itemOf(name: SettingName): string {
  const { about, isSecret } = DEFINITIONS[name]
  const flag = describeOrigin('flag', name).slice('flag '.length)
  const accepted = acceptedBy(name)
  const fallback = fallbackOf(name)
  const notes = [
    isSecret ? 'secret' : '',
    accepted === 'text' ? '' : accepted,
    fallback === '' ? '' : `default ${fallback}`,
    FLAGS.includes(flag) ? code(flag) : '',
  ].filter((note) => note !== '')
  return `- ${code(name)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: ${about}`
}

const SECTION_STARTS = SETTING_NAMES.filter((name) => SECTIONS[name] !== undefined)

const sections = (): string[] =>
  SECTION_STARTS.map((start, i) => {
    const end = SECTION_STARTS[i + 1]
    const names = SETTING_NAMES.slice(SETTING_NAMES.indexOf(start), end && SETTING_NAMES.indexOf(end))
    return `## ${SECTIONS[start]}\n\n${names.map(itemOf).join('\n')}\n`
  })

type Given = { settings: Partial<Record<SettingName, string>>; modes?: Partial<Modes> }

const ADDRESS = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'
const KEY = `0x${'1'.repeat(64)}`
const CONTRACTS = { SETTLEMENT_ADDRESS: ADDRESS, CORE_ADDRESS: ADDRESS, STABLECOIN_ADDRESS: ADDRESS }
const EXTERNAL = { RPC_URL: 'https://node.example', ...CONTRACTS }
const SOURCES = { MARKETS_URL: 'https://markets.example', PRICE_HISTORY_URL: 'https://prices.example' }
const IDENTITY = { IDP_ISSUER: 'https://id.example', IDP_AUDIENCE: 'rfq', IDP_JWKS_URL: 'http://id.example/keys' }

/** Each breaks one rule. */
const CONTRADICTIONS: readonly Given[] = [
  { settings: EXTERNAL, modes: { noChain: true } },
  { settings: { RPC_URL: EXTERNAL.RPC_URL } },
  { settings: CONTRACTS },
  { settings: EXTERNAL, modes: { chainPort: 8545 } },
  { settings: { CHAIN_ID: '137' } },
  { settings: { RESOLUTION_SIGNER_KEY: KEY } },
  { settings: { RESOLUTION_SIGNER_SOCKET: 'signer.sock' } },
  { settings: { ...EXTERNAL, RESOLUTION_SIGNER_KEY: KEY, RESOLUTION_SIGNER_SOCKET: 'signer.sock' } },
  { settings: { ...EXTERNAL, RESOLUTION_SIGNER_KEY: KEY, FAUCET_PRIVATE_KEY: KEY } },
  { settings: { DATABASE_URL: 'postgres://db' }, modes: { memory: true } },
  { settings: { REDIS_URL: 'redis://bus' } },
  { settings: { HOST: '0.0.0.0' }, modes: { memory: true } },
  {
    settings: {
      MAKER_API_KEYS: '[{"apiKey":"a-key-that-is-long-enough","makerId":"a"}]',
      MAKER_API_KEY: 'a-key-that-is-long-enough',
    },
  },
  { settings: { IDP_ISSUER: IDENTITY.IDP_ISSUER } },
]

/** Each is refused in production only. */
const IN_PRODUCTION: readonly Given[] = [
  { settings: {} },
  { settings: { ...EXTERNAL, MARKETS_URL: SOURCES.MARKETS_URL } },
  { settings: { ...EXTERNAL, PRICE_HISTORY_URL: SOURCES.PRICE_HISTORY_URL } },
  { settings: { ...EXTERNAL, ...SOURCES, MAKER_API_KEY: 'short' } },
  { settings: {}, modes: { memory: true, noChain: true } },
  { settings: { ...EXTERNAL, ...SOURCES, ...IDENTITY } },
]

const WARNED: readonly Given[] = [
  { settings: { MAKER_API_KEY: 'short' } },
  { settings: { PRICE_HISTORY_URL: SOURCES.PRICE_HISTORY_URL } },
  { settings: { MARKETS_URL: SOURCES.MARKETS_URL } },
  { settings: { ...SOURCES, TWAP_MIN_POINTS: '2' } },
]

const load = ({ settings, modes }: Given, environment: Record<string, string> = {}) =>
  loadSettings({
    flags: {},
    modes: { memory: false, noChain: false, chainPort: null, ...modes },
    environment: { ...settings, ...environment },
    cwd: '/nonexistent',
  })

const PRODUCTION = { NODE_ENV: 'production', SETTLEMENT_API_KEY: 'a-key-that-is-long-enough' }

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

const page = (): string => `# Settings

The settings of \`rfqctl serve\`, for operators: what each one is, what it accepts and what holds without it.
[A first deployment](../guides/operator/deployment.md) shows which of them a deployment needs.

A setting is an environment variable, or a key of \`rfqctl.config.json\` in the working directory. A flag wins over the
environment, and the environment over the file; \`rfqctl config view --origin\` shows what holds and why. An empty variable counts as not
set. A time ends in \`_MS\` (milliseconds) or \`_S\` (seconds); without an upper bound here, it is at most 2147483647. Keys and tokens belong in the environment: they are marked
as secret, and no output shows them.

Made from \`src/relay/config\`: \`npm run docs\`.

${sections().join('\n')}
## Refused together

${list(CONTRADICTIONS.flatMap((given) => load(given).faults))}

## Refused in production

\`NODE_ENV=production\` makes a relay refuse what is only right for one machine. It also warns where \`SETTLEMENT_API_KEY\` is not set.

${list(IN_PRODUCTION.flatMap((given) => load(given, PRODUCTION).faults))}

## Warnings

${list(WARNED.flatMap((given) => load(given).warnings))}
`

it('the page of settings says what the table says', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/reference/settings.md')
})

it('every setting is in a section', () => {
  expect(SETTING_NAMES[0]).toBe(SECTION_STARTS[0])
  expect(SECTION_STARTS).toHaveLength(Object.keys(SECTIONS).length)
})

describe('each example of the page breaks one rule', () => {
  it.each(CONTRADICTIONS)('everywhere: %j', (given) => {
    expect(load(given).faults).toHaveLength(1)
  })

  it.each(IN_PRODUCTION)('in production only: %j', (given) => {
    expect(load(given, PRODUCTION).faults).toHaveLength(1)
    expect(load(given).faults).toEqual([])
  })

  it.each(WARNED)('with a warning: %j', (given) => {
    expect(load(given)).toMatchObject({ faults: [], warnings: [expect.any(String)] })
  })
})
