/** Ends a subscription, a timer or a presence. */
export type Stop = () => void

/** The relay's own time: Unix milliseconds, and one-shot timers that never fire early. */
export type Clock = {
  now: () => number
  schedule: (at: number, run: () => void) => Stop
  /** Runs once the current turn has gone as far as it can: answers that are ready have left by then. */
  afterTurn: (run: () => void) => void
}

/** Identifiers and secrets from a CSPRNG, and the digest under which a secret is kept. */
export type Ids = {
  /** UUID v4. */
  uuid: () => string
  /** At least 128 random bits as URL-safe text. */
  secret: () => string
  /** A whole number of so many random bits. */
  random: (bits: number) => bigint
  /** SHA-256 in lower-case hex. */
  digest: (secret: string) => string
  /** Whether two digests are one; how long that takes does not say where they differ (fault B2). */
  isSameDigest: (a: string, b: string) => boolean
}

/** Structured, allow-listed log lines: no key, token, signature, taker secret or query string. */
export type Log = {
  info: (event: string, fields?: LogFields) => void
  warn: (event: string, fields?: LogFields) => void
  error: (event: string, fields?: LogFields) => void
}

/** The only fields that a log line may carry. */
export type LogFields = {
  requestId?: string
  quoteId?: string
  makerId?: string
  seriesId?: string
  acceptanceId?: string
  orderHash?: string
  transactionHash?: string
  code?: string
  count?: number
  durationMs?: number
  route?: string
  status?: number
  url?: string
  path?: string
  reason?: string
  version?: string
  chainId?: number
  settlementAddress?: string
  coreAddress?: string
  stablecoinAddress?: string
  resolutionSigner?: string
  host?: string
  port?: number
  store?: string
  bus?: string
  hint?: string
  fault?: unknown
}

/** The memory of this process. */
export type Memory = {
  /** Reports, after each full garbage collection, the part of the heap that is in use: 1 is all that there may be. */
  onCollected: (listener: (used: number) => void) => void
}

/** No one looks at the memory. */
export const NO_MEMORY: Memory = { onCollected: () => {} }
