import { resolve } from 'node:path'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { RelaySettings } from '../core/ports/ports.ts'
import type { ServerSettings } from '../server/route-context.ts'
import { LIVE_TWAP, type SettingName, type Values } from './definitions.ts'
import { isProduction } from './environment.ts'
import { staticMakerKeys } from './maker-keys.ts'
import { checkRules, isLoopback, type Modes, warnOf } from './rules.ts'
import { collectSettings, type Environment, type Origin, type SettingFlags } from './sources.ts'

/** A live price source may lag this far behind expiry (decision S4). */
const HTTP_SETTLE_LAG_MS = 120_000

const REFRESH_MS = 300_000

/** A chain of our own costs nothing to read, and people watch it. */
const EMBEDDED_REFRESH_MS = 5_000

/** Interval between two searches for ended orders, on someone's node and on a chain of our own. */
const ORDER_WATCH_MS = 5_000
const EMBEDDED_WATCH_MS = 1_000

/** Share of the faucet's hour for programs of the relay's own machine: simulated takers, tests, a page. */
const OWN_MACHINE_PART = 4 / 5

export type ChainSettings =
  | { kind: 'embedded'; port: number | null; chainId: number }
  | { kind: 'simulated'; chainId: number }
  | {
      kind: 'external'
      rpcUrl: string
      chainId: number
      startBlock: number
      settlementAddress: Address
      coreAddress: Address
      stablecoinAddress: Address
      /** Absolute paths of the signers' sockets; none without a signer process. */
      signerSockets: readonly string[]
    }

export type Settings = ReturnType<typeof settingsOf>

/** `settings` is null when there is any fault. No fault or warning quotes a secret. */
export type LoadedSettings = {
  values: Values
  origins: Readonly<Record<SettingName, Origin>>
  faults: readonly string[]
  warnings: readonly string[]
  settings: Settings | null
}

/** Reports every fault at once instead of the first one. */
export function loadSettings(input: {
  flags: SettingFlags
  modes: Modes
  environment: Environment
  cwd: string
}): LoadedSettings {
  const collected = collectSettings(input)
  const { values, origins } = collected
  const facts = { values, modes: input.modes, isProduction: isProduction(input.environment) }
  const faults = [...collected.faults, ...checkRules(facts)]
  const settings = faults.length === 0 ? settingsOf({ ...facts, cwd: input.cwd }) : null
  return { values, origins, faults, warnings: warnOf(facts), settings }
}

function settingsOf(input: { values: Values; modes: Modes; isProduction: boolean; cwd: string }) {
  const { values, modes, isProduction } = input
  const dataDir = resolve(input.cwd, values.DATA_DIR)
  const makers = staticMakerKeys(values.MAKER_API_KEYS, values.MAKER_API_KEY)
  const chain = chainOf(input)
  const average = averageOf(values)
  const seriesRefreshMs = values.SERIES_REFRESH_MS ?? (chain.kind === 'embedded' ? EMBEDDED_REFRESH_MS : REFRESH_MS)
  return {
    isProduction,
    /** No keys and no store: anyone may quote (decision M5). */
    isOpen: modes.memory && makers.length === 0,
    /** Absolute path. */
    dataDir,
    store: storeOf(values, modes, dataDir),
    bus: busOf(values),
    /** Over all requests; null: as many as the heap has room for. */
    maxQuotes: values.MAX_OPEN_QUOTES,
    demotion: { misses: values.MAKER_MISSES_BEFORE_DEMOTION, windowMs: values.MAKER_MISS_WINDOW_MS },
    chain: { ...chain, solvencyCacheMs: values.SOLVENCY_CACHE_MS },
    relay: {
      quoteRequestTtlMs: values.QUOTE_REQUEST_TTL_MS,
      openLimits: {
        total: boundOf(values.MAX_OPEN_REQUESTS),
        perAddress: boundOf(values.MAX_OPEN_REQUESTS_PER_ADDRESS),
      },
      makerConfirmationMs: values.MAKER_CONFIRMATION_MS,
      orderValidityMs: values.ORDER_VALIDITY_MS,
      maxCandidates: values.MAX_CANDIDATES,
      maxUnfilledOrders: values.MAX_UNFILLED_ORDERS,
      maxUnprovenOrders: values.MAX_UNPROVEN_ORDERS,
      makerOfflineGraceMs: values.MAKER_OFFLINE_GRACE_MS,
      makerRecordMs: values.MAKER_RECORD_MS,
      breaker: {
        windowMs: values.MAKER_RECORD_WINDOW_MS,
        suspensionMs: values.MAKER_SUSPENSION_MS,
        maxSuspensionMs: values.MAKER_SUSPENSION_MAX_MS,
        minOutcomes: values.MAKER_SUSPENSION_MIN_OUTCOMES,
        below: values.MAKER_SUSPENSION_BELOW,
        cleanPerStrike: values.MAKER_SUSPENSION_CLEAN,
        incidentMs: values.MAKER_CONFIRMATION_MS,
      },
      makerAbsentMs: values.MAKER_ABSENT_MS,
      unprovenConfirmationMs: values.UNPROVEN_CONFIRMATION_MS,
      unprovenCandidates: values.UNPROVEN_CANDIDATES,
      headStaleMs: values.HEAD_STALE_MS,
      faucetAmount: values.FAUCET_AMOUNT,
      faucetCooldownMs: values.FAUCET_COOLDOWN_MS,
      faucetMaxPerHour: values.FAUCET_MAX_PER_HOUR,
      maxApiKeysPerUser: values.MAX_API_KEYS_PER_USER,
      settleLagMs: average.lagMs,
      twapMinPoints: average.limits.minPoints,
      twapMaxGapS: average.limits.maxGapS,
      recordIntervalMs: values.RECORD_INTERVAL_MS,
      seriesRefreshMs,
      commitProof: values.COMMIT_PROOF,
      feedback: values.FEEDBACK,
      feedbackDelayMs: values.FEEDBACK_DELAY_MS,
      tapeDelayMs: values.TAPE_DELAY_MS,
      takerRatingMs: values.TAKER_RATINGS ? values.TAKER_RATING_MS : null,
      orderWatchMs: values.ORDER_WATCH_MS ?? (chain.kind === 'external' ? ORDER_WATCH_MS : EMBEDDED_WATCH_MS),
    } satisfies Omit<RelaySettings, 'staticKeys' | 'openMode'>,
    server: {
      host: values.HOST,
      port: values.PORT,
      wsAuthTimeoutMs: values.WS_AUTH_TIMEOUT_MS,
      maxStreamsPerKey: values.MAX_STREAMS_PER_KEY,
      maxStreamsPerAddress: values.MAX_STREAMS_PER_ADDRESS,
      maxConnections: values.MAX_CONNECTIONS,
      maxConnectionsPerAddress: boundOf(values.MAX_CONNECTIONS_PER_ADDRESS),
      keepAliveMs: values.KEEP_ALIVE_MS,
      requestRate: rateOf(values),
      faucetShare:
        values.FAUCET_MAX_PER_ADDRESS === 0
          ? null
          : {
              perHour: values.FAUCET_MAX_PER_ADDRESS,
              // In production, calls from the loopback may be a proxy's, for all clients.
              ofOwnMachine: isProduction
                ? values.FAUCET_MAX_PER_ADDRESS
                : Math.max(values.FAUCET_MAX_PER_ADDRESS, Math.floor(OWN_MACHINE_PART * values.FAUCET_MAX_PER_HOUR)),
            },
      trustProxy: values.TRUST_PROXY,
      corsOrigins: values.CORS_ORIGINS,
    },
    web: {
      // A public relay behind a proxy listens on the loopback, too.
      isServed: values.WEB === null ? !isProduction && isLoopback(values.HOST) : values.WEB === 'on',
      /** The pages offer it to takers. */
      relayerUrl: values.WEB_RELAYER_URL,
      /** The pages have takers pay it. */
      partnerFee: values.WEB_PARTNER_FEE,
      /** The pages link to it. */
      explorerUrl: values.WEB_EXPLORER_URL,
    },
    formerSettlementAddresses: values.FORMER_SETTLEMENT_ADDRESSES,
    prices: { historyUrl: values.PRICE_HISTORY_URL, marketsUrl: values.MARKETS_URL },
    keys: {
      makers,
      operatorToken: values.OPERATOR_TOKEN,
      settlementApiKey: values.SETTLEMENT_API_KEY,
      resolutionSigner: values.RESOLUTION_SIGNER_KEY,
      faucet: values.FAUCET_PRIVATE_KEY,
    },
    identity: identityOf(input),
    audit: { bytesPerRequest: values.AUDIT_BYTES_PER_REQUEST },
    hasTransparencyLog: values.TRANSPARENCY_LOG === 'on',
    tracing: tracingOf(values),
    logLevel: values.LOG_LEVEL,
  }
}

/** Limits of an average that is trusted, and the time in milliseconds that its source needs after an expiry (decision S4). */
export function averageOf({ PRICE_HISTORY_URL, SETTLE_LAG_MS, TWAP_MIN_POINTS, TWAP_MAX_GAP_S }: Values) {
  const isLive = PRICE_HISTORY_URL !== null
  return {
    lagMs: SETTLE_LAG_MS ?? (isLive ? HTTP_SETTLE_LAG_MS : 0),
    limits: {
      minPoints: TWAP_MIN_POINTS ?? (isLive ? LIVE_TWAP.minPoints : 1),
      maxGapS: TWAP_MAX_GAP_S ?? (isLive ? LIVE_TWAP.maxGapS : null),
    },
  }
}

/** 0 means no bound. */
const boundOf = (value: number): number | null => (value === 0 ? null : value)

const rateOf = (values: Values): ServerSettings['requestRate'] =>
  values.REQUEST_RATE_PER_ADDRESS === 0
    ? null
    : { perS: values.REQUEST_RATE_PER_ADDRESS, burst: values.REQUEST_BURST_PER_ADDRESS }

/** Null: nothing is traced. `ratio` is the part of the traces that is kept, 0 to 1. The settings have OpenTelemetry's own names. */
function tracingOf(values: Values) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = values
  if (endpoint === null) return null
  return { endpoint, headers, serviceName: values.OTEL_SERVICE_NAME, ratio: values.OTEL_TRACES_SAMPLER_ARG }
}

function storeOf({ DATABASE_URL: url }: Values, modes: Modes, dataDir: string) {
  if (modes.memory) return { kind: 'memory' } as const
  return url === null ? ({ kind: 'file', dataDir } as const) : ({ kind: 'postgres', url } as const)
}

/** `name` prefixes every key in Redis. */
const busOf = ({ REDIS_URL: url, REDIS_PREFIX: name }: Values) =>
  url === null ? ({ kind: 'local' } as const) : ({ kind: 'redis', url, name } as const)

function chainOf({ values, modes, cwd }: { values: Values; modes: Modes; cwd: string }): ChainSettings {
  const { RPC_URL, SETTLEMENT_ADDRESS, CORE_ADDRESS, STABLECOIN_ADDRESS, CHAIN_ID: chainId } = values
  if (modes.noChain) return { kind: 'simulated', chainId }
  if (RPC_URL === null || SETTLEMENT_ADDRESS === null || CORE_ADDRESS === null || STABLECOIN_ADDRESS === null) {
    return { kind: 'embedded', port: modes.chainPort, chainId }
  }
  return {
    kind: 'external',
    rpcUrl: RPC_URL,
    chainId,
    startBlock: values.START_BLOCK,
    settlementAddress: SETTLEMENT_ADDRESS,
    coreAddress: CORE_ADDRESS,
    stablecoinAddress: STABLECOIN_ADDRESS,
    signerSockets: (values.RESOLUTION_SIGNER_SOCKET ?? []).map((path) => resolve(cwd, path)),
  }
}

/**
 * Issuer of access tokens: a provider, the relay itself for local work, or no one. Development tokens are only for a
 * relay that no other machine reaches, and never for production.
 */
function identityOf({ values, isProduction }: { values: Values; isProduction: boolean }) {
  const { IDP_ISSUER: issuer, IDP_AUDIENCE: audience, IDP_JWKS_URL: jwksUrl, HOST } = values
  if (issuer !== null && audience !== null && jwksUrl !== null)
    return { kind: 'provider', issuer, audience, jwksUrl } as const
  return isProduction || !isLoopback(HOST) ? null : ({ kind: 'development' } as const)
}
