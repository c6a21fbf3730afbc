import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import type { Log, LogFields } from '../core/ports/runtime.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Logged unchanged; any other field of a caller is dropped. */
const PLAIN_FIELDS = [
  'requestId',
  'quoteId',
  'makerId',
  'seriesId',
  'acceptanceId',
  'orderHash',
  'transactionHash',
  'code',
  'count',
  'durationMs',
  'route',
  'status',
  'url',
  'path',
  'reason',
  'version',
  'chainId',
  'settlementAddress',
  'coreAddress',
  'stablecoinAddress',
  'resolutionSigner',
  'host',
  'port',
  'store',
  'bus',
  'hint',
] as const satisfies readonly Exclude<keyof LogFields, 'fault'>[]

/** Removed from every text: queries and passwords of URLs, API keys, tokens, keys and signatures. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1'],
  [/\?[^\s"'`]*/g, ''],
  [/\bmk_live_[\w-]+/g, '[key]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  [/\b(?:0x)?[0-9a-f]{64,}\b/gi, '[hex]'],
]

/** Bounded because an error may be its own cause. */
const MAX_CAUSES = 4

/**
 * JSON lines on stderr, one object each: `level`, `time`, `event` and the allow-listed fields. A fault is reduced to the
 * names and messages of itself and its causes.
 */
export function createLog({ level, out = standardError() }: { level: LogLevel; out?: DestinationStream }): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  )
  return {
    info: (event, fields) => logger.info(lineOf(fields), event),
    warn: (event, fields) => logger.warn(lineOf(fields), event),
    error: (event, fields) => logger.error(lineOf(fields), event),
  }
}

/** Longest wait of a line for others, milliseconds, and the characters that wait at most. */
const HELD_MS = 20
const HELD_LENGTH = 65_536

/**
 * Lines of a busy relay are written together: a write costs as much as a quote. Standard error may close: the login
 * session that started a relay may end, with its terminal.
 */
function standardError(): DestinationStream {
  const out = destination(2)
  // Lines that can no longer be written are dropped. As the process ends, the library would retry the same line without
  // end.
  out.on('error', () => Object.assign(out, { write: () => true, flush: () => {}, flushSync: () => {} }))
  let held = ''
  function pass(): void {
    const lines = held
    held = ''
    if (lines !== '') out.write(lines)
  }
  process.on('exit', pass)
  return {
    write: (line) => {
      if (held === '') setTimeout(pass, HELD_MS).unref()
      held += line
      if (held.length > HELD_LENGTH) pass()
    },
  }
}

export const scrub = (text: string): string =>
  SECRETS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text)

function lineOf(fields: LogFields = {}): Record<string, unknown> {
  const line: Record<string, unknown> = {}
  for (const name of PLAIN_FIELDS) {
    const value = fields[name]
    if (value !== undefined) line[name] = typeof value === 'string' && !isPublic(name, value) ? scrub(value) : value
  }
  if (fields.fault !== undefined) line.fault = describeFault(fields.fault)
  return line
}

/** Public on the chain, and as long as a key. */
const PUBLIC: Readonly<Record<string, RegExp>> = {
  seriesId: /^\d{1,78}$/,
  orderHash: /^0x[0-9a-f]{64}$/,
  transactionHash: /^0x[0-9a-f]{64}$/,
}

const isPublic = (name: string, value: string): boolean => PUBLIC[name]?.test(value) === true

function describeFault(fault: unknown): string {
  const said: string[] = []
  let current = fault
  while (current instanceof Error && said.length < MAX_CAUSES) {
    said.push(`${current.name}: ${current.message}`)
    current = current.cause
  }
  if (!(fault instanceof Error)) said.push(String(fault))
  return scrub(said.join(' < '))
}
