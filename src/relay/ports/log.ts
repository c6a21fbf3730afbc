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
