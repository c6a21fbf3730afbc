import { FEEDBACK_LEVELS, type FeedbackLevel } from '@rfqctl/protocol/domain/best-quote'
import { COMMIT_PROOFS, type CommitProof } from '@rfqctl/protocol/domain/commit-proof'
import { ENDED_TOLD_MS, MAX_FEEDBACK_DELAY_MS, MAX_FORMER_SETTLEMENTS } from '@rfqctl/protocol/domain/limits'
import { OUTCOMES_KEPT, OUTCOMES_KEPT_MS } from '@rfqctl/protocol/domain/maker-record'
import { MAX_RATING_MS } from '@rfqctl/protocol/domain/request'
import { usd6 } from '@rfqctl/protocol/domain/units'
import { parseMakerKeys, type StaticMakerKey } from './maker-keys.ts'
import {
  choice,
  contractAddresses,
  duration,
  integer,
  type Parser,
  parseContractAddress,
  parseDollars,
  parseExplorer,
  parseHeaders,
  parseOrigins,
  parsePartner,
  parsePaths,
  parsePrivateKey,
  parseRatio,
  parseSwitch,
  parseText,
  parseTrustProxy,
  secretParser,
  url,
} from './parsers.ts'

/**
 * Limits of an average of live prices (decision 0126). A source has a point a minute: one missing minute passes with
 * half a minute to spare, and one print holds for at most 150 of the 1,650 s that are averaged in the worst case.
 */
export const LIVE_TWAP = { minPoints: 20, maxGapS: 150 } as const

/** `fallback` holds when the setting is absent; a secret's value is never shown. */
export type Definition<Value> = { parse: Parser<Value>; fallback: Value; isSecret: boolean; about: string }

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** 16 characters of base64 are 96 bits. */
const MIN_TOKEN_LENGTH = 16

/** Keys are the names in the environment and in the file. */
export const DEFINITIONS = {
  HOST: setting('Address to listen on', parseText, '127.0.0.1'),
  PORT: setting('Port to listen on; 0 picks a free one', integer(0, 65_535), 8787),
  DATA_DIR: setting('Directory of the file store and the sandbox', parseText, '.rfqctl'),
  DATABASE_URL: optionalSecret('Postgres, instead of the file store', url('postgres', 'postgresql')),
  BACKUP_DIR: optional('Folder of your backups, whose age "rfqctl doctor --production" looks at', parseText),
  REDIS_URL: optionalSecret('Redis, for several nodes', url('redis', 'rediss')),
  REDIS_PREFIX: setting('Prefix of every key in Redis', parseText, 'rfqctl'),

  RPC_URL: optionalSecret('JSON-RPC of the chain, instead of the embedded one', url('http', 'https')),
  CHAIN_ID: setting('Chain id that the RPC must report', integer(1, Number.MAX_SAFE_INTEGER), 80_002),
  START_BLOCK: setting('First block with events of the contracts', integer(0, Number.MAX_SAFE_INTEGER), 0),
  SETTLEMENT_ADDRESS: optional('ServiceRFQSettlement', parseContractAddress),
  CORE_ADDRESS: optional('ServiceCore', parseContractAddress),
  STABLECOIN_ADDRESS: optional('The stablecoin', parseContractAddress),
  FORMER_SETTLEMENT_ADDRESSES: setting(
    'Settlement contracts that were served before, so that wallets learn to withdraw what they approved there',
    contractAddresses(MAX_FORMER_SETTLEMENTS),
    [],
  ),
  RESOLUTION_SIGNER_KEY: optionalSecret('Key that signs resolutions', parsePrivateKey),
  RESOLUTION_SIGNER_SOCKET: optional(
    'Unix socket of "rfqctl signer serve", instead of a key; several, separated by commas, sign together',
    parsePaths,
  ),
  SIGNER_MAX_VALIDITY_S: setting('Longest time ahead that "rfqctl signer serve" signs for', integer(1, 86_400), 3_600),
  FAUCET_PRIVATE_KEY: optionalSecret('Key of the wallet that the faucet pays from', parsePrivateKey),
  FAUCET_AMOUNT: setting('Dollars per drip', parseDollars, usd6(1_000_000_000n)),
  FAUCET_COOLDOWN_MS: setting('Time between two drips to one wallet', integer(0, 1e12), 86_400_000),
  FAUCET_MAX_PER_HOUR: setting('Drips per hour to all wallets together', integer(1, 1_000_000), 500),
  FAUCET_MAX_PER_ADDRESS: setting(
    'Of these, those that one client address asks for; 0 means no limit',
    integer(0, 1_000_000),
    10,
  ),

  MAKER_API_KEYS: secret('Static maker keys, [{"apiKey","makerId"}]', parseMakerKeys, [] as readonly StaticMakerKey[]),
  MAKER_API_KEY: optionalSecret('One static key, of the maker "default"', parseText),
  MAX_API_KEYS_PER_USER: setting('Active keys that one signed-in user may have', integer(1, 100_000), 20),
  OPERATOR_TOKEN: optionalSecret('Token of /ops; generated when absent', secretParser(MIN_TOKEN_LENGTH)),
  SETTLEMENT_API_KEY: optionalSecret('Key that /settlement/prepare then requires', secretParser(MIN_TOKEN_LENGTH)),
  IDP_ISSUER: optional('Issuer of access tokens', url('http', 'https')),
  IDP_AUDIENCE: optional('Audience of access tokens', parseText),
  IDP_JWKS_URL: optional('Keys of the issuer', url('http', 'https')),

  QUOTE_REQUEST_TTL_MS: setting('Lifetime of a quote request', duration(1), 300_000),
  MAX_OPEN_REQUESTS: setting('Quote requests open at the same time; 0 means no limit', integer(0, 10_000_000), 10_000),
  MAX_OPEN_REQUESTS_PER_ADDRESS: setting(
    'Of these, those opened by one client address; 0 means no limit',
    integer(0, 10_000_000),
    1_000,
  ),
  MAX_OPEN_QUOTES: optional(
    'Quotes kept at the same time, over all requests; what half of the heap holds unless set',
    integer(1, 1_000_000_000),
  ),
  MAKER_CONFIRMATION_MS: setting('Time a maker has to sign', duration(1), 10_000),
  ORDER_VALIDITY_MS: setting('Time a taker has to fill a signed order', duration(1_000), 120_000),
  MAX_UNFILLED_ORDERS: setting(
    'Signed orders between one taker and one maker wallet that are not filled; 0 means no limit',
    integer(0, 1e9),
    1_000,
  ),
  MAX_UNPROVEN_ORDERS: setting(
    'Orders of one maker wallet for one client address and takers without a proof, in ORDER_VALIDITY_MS; 0 means no limit',
    integer(0, 1e9),
    1_000,
  ),
  MAX_CANDIDATES: setting('Makers asked per commit', integer(1, 100), 5),
  MAKER_MISSES_BEFORE_DEMOTION: setting(
    'Missed confirmations in a row after which a maker ranks behind',
    integer(1, 1_000),
    2,
  ),
  MAKER_MISS_WINDOW_MS: setting('Time that a missed confirmation counts', duration(1), 3_600_000),
  MAKER_RECORD_MS: setting(
    'Time after its last confirmation in which a maker is proven',
    integer(1, 1e12),
    30 * 86_400_000,
  ),
  MAKER_RECORD_WINDOW_MS: setting(
    "Time that a maker's outcomes count for its score, a day at most",
    integer(1, OUTCOMES_KEPT_MS),
    OUTCOMES_KEPT_MS,
  ),
  MAKER_ABSENT_MS: setting('Time without a socket after which an unreachable maker has missed', duration(0), 30_000),
  MAKER_SUSPENSION_MS: setting('Length of the first suspension of a maker; 0 means none', duration(0), 0),
  MAKER_SUSPENSION_MAX_MS: setting('Length of the longest suspension', duration(1), 24 * 3_600_000),
  MAKER_SUSPENSION_MIN_OUTCOMES: setting(
    'Outcomes since its last suspension before a maker is suspended',
    integer(1, OUTCOMES_KEPT),
    10,
  ),
  MAKER_SUSPENSION_BELOW: setting('Score below which a maker is suspended', integer(1, 100), 50),
  MAKER_SUSPENSION_CLEAN: setting(
    'Confirmations in a row that take one suspension off the count',
    integer(1, 1_000_000),
    10,
  ),
  UNPROVEN_CONFIRMATION_MS: setting(
    'Time a maker that is not proven has to sign while one that is waits',
    duration(1),
    2_500,
  ),
  UNPROVEN_CANDIDATES: setting('Makers that are not proven asked while one that is waits', integer(0, 100), 2),
  MAKER_OFFLINE_GRACE_MS: setting('Time a winner without a socket has to appear', duration(0), 1_000),
  COMMIT_PROOF: setting(
    "Whether a commit must show, by a signature, that its wallet is its taker's (required), or may (optional)",
    choice(COMMIT_PROOFS),
    'optional' as CommitProof,
  ),
  FEEDBACK: setting(
    'What makers whose quotes lost may see: nothing (off), their rank, or the winning price as well',
    choice(FEEDBACK_LEVELS),
    'off' as FeedbackLevel,
  ),
  FEEDBACK_DELAY_MS: setting(
    'Time after the end of a request until makers whose quotes lost hear of it',
    integer(0, MAX_FEEDBACK_DELAY_MS),
    0,
  ),
  TAKER_RATINGS: setting('Whether requests show makers how many signed orders their wallet filled', parseSwitch, false),
  TAKER_RATING_MS: setting(
    'Time that an ended order counts in the rating of its taker',
    integer(1, MAX_RATING_MS),
    30 * 86_400_000,
  ),
  TAPE_DELAY_MS: setting('Time after which a signed trade is shown to anyone', duration(0), 60_000),
  TRANSPARENCY_LOG: setting(
    'Whether lives of requests that had a commit are in a log that others can verify (on), at a cost for each quote',
    choice(['on', 'off']),
    'off' as 'on' | 'off',
  ),
  WS_AUTH_TIMEOUT_MS: setting('Time a socket has to authenticate', duration(1), 3_000),
  MAX_STREAMS_PER_KEY: setting('Connections per maker key', integer(1, 100_000), 16),
  MAX_STREAMS_PER_ADDRESS: optional('Connections per client address; no limit unless set', integer(1, 100_000)),
  MAX_CONNECTIONS: optional(
    'Connections of any kind at once; unless set, as many as the file descriptors of the process allow',
    integer(1, 10_000_000),
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    'Connections of any kind per address, except trusted proxies; 0 means no limit',
    integer(0, 10_000_000),
    1_024,
  ),
  KEEP_ALIVE_MS: setting('Time a connection may wait for its next request', duration(1_000), 10_000),
  REQUEST_RATE_PER_ADDRESS: setting(
    'Units of costly requests per second and client address; 0 means no limit',
    integer(0, 1_000_000),
    50,
  ),
  REQUEST_BURST_PER_ADDRESS: setting('Units that an address may use at once after a pause', integer(1, 1_000_000), 600),
  TRUST_PROXY: setting('Proxies whose X-Forwarded-For is trusted', parseTrustProxy, false),
  CORS_ORIGINS: setting('Origins that browsers may call from', parseOrigins, '*'),
  WEB: optional(
    'Whether the web pages are served; unless set, only where HOST is the loopback, and not in production',
    choice(['on', 'off']),
  ),
  WEB_PARTNER_FEE: optional(
    'Partner of the web pages, whom takers pay a share of the premium in the fill, such as 0x…:25',
    parsePartner,
  ),
  WEB_EXPLORER_URL: optional(
    'Block explorer of the chain that the web pages link to, such as https://polygonscan.com',
    parseExplorer,
  ),
  WEB_RELAYER_URL: optional('Relayer that the web pages offer to takers', url('http', 'https')),

  // A cached balance must expire well before the orders that ended since are forgotten: counting both would give the
  // wallet the same money twice.
  SOLVENCY_CACHE_MS: setting('Maximum age of a cached balance', integer(0, ENDED_TOLD_MS / 2), 3_000),
  SERIES_REFRESH_MS: optional(
    'Time between two reads of the series; 5000 on the embedded chain, else 300000',
    duration(100),
  ),
  ORDER_WATCH_MS: optional(
    'Time between two looks for filled, cancelled and expired orders; 1000 on the embedded chain, else 5000',
    duration(100),
  ),
  HEAD_STALE_MS: setting('Age of the chain head at which commits stop; 0 means never', duration(0), 0),
  PRICE_HISTORY_URL: optional('Price histories, instead of the fixtures', url('http', 'https')),
  MARKETS_URL: optional('Markets and outcomes, instead of the fixtures', url('http', 'https')),
  SETTLE_LAG_MS: optional('Time the price source needs after expiry; 0 on fixtures, else 120000', duration(0)),
  RECORD_INTERVAL_MS: setting('Time between two recorded prices', duration(100), 60_000),
  TWAP_MIN_POINTS: optional(`Points a TWAP needs; 1 on fixtures, else ${LIVE_TWAP.minPoints}`, integer(1, 100_000)),
  TWAP_MAX_GAP_S: optional(
    `Longest time in a TWAP without a point; any on fixtures, else ${LIVE_TWAP.maxGapS}; 1800 means any`,
    integer(1, 1_800),
  ),
  ALLOW_FIXTURES: setting('Whether production may trade on made-up markets and prices', parseSwitch, false),
  AUDIT_BYTES_PER_REQUEST: setting(
    'Approximate bytes that the audit log keeps of one request',
    integer(10_000, 1_000_000_000),
    1_048_576,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'OpenTelemetry collector (OTLP over HTTP) that traces are sent to; nothing is traced unless set',
    url('http', 'https'),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Headers for that collector, name=value,name=value',
    parseHeaders,
    {} as Readonly<Record<string, string>>,
  ),
  OTEL_SERVICE_NAME: setting('Name of this service in traces', parseText, 'rfqctl'),
  OTEL_TRACES_SAMPLER_ARG: setting('Part of the traces that is kept, 0 to 1', parseRatio, 1),
  LOG_LEVEL: setting('Log level', choice(LOG_LEVELS), 'info'),
} satisfies Record<string, Definition<unknown>>

export type SettingName = keyof typeof DEFINITIONS

export type Values = { [Name in SettingName]: (typeof DEFINITIONS)[Name]['fallback'] }

/** In display order. */
export const SETTING_NAMES = Object.keys(DEFINITIONS) as readonly SettingName[]

function setting<Value>(about: string, parse: Parser<Value>, fallback: NoInfer<Value>): Definition<Value> {
  return { about, parse, fallback, isSecret: false }
}

function secret<Value>(about: string, parse: Parser<Value>, fallback: NoInfer<Value>): Definition<Value> {
  return { about, parse, fallback, isSecret: true }
}

function optional<Value>(about: string, parse: Parser<Value>): Definition<Value | null> {
  return { about, parse, fallback: null, isSecret: false }
}

function optionalSecret<Value>(about: string, parse: Parser<Value>): Definition<Value | null> {
  return { about, parse, fallback: null, isSecret: true }
}
