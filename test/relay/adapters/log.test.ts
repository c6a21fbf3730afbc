import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { createLog, type LogLevel } from '../../../src/relay/adapters/log.ts'
import type { LogFields } from '../../../src/relay/core/ports/runtime.ts'

const PRIVATE_KEY = `0x${'4c'.repeat(32)}`
const SIGNATURE = `0x${'5a'.repeat(65)}`
const API_KEY = 'mk_live_9aZx-abcdefghijklmnop_qrstuv'
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJkaWQ6MSJ9.c2lnbmF0dXJl'

/** The lines that logging leaves, parsed. */
function linesOf(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  write(createLog({ level, out: { write: (line) => void lines.push(line) } }))
  return lines.map((line) => JSON.parse(line))
}

const lineOf = (fields: LogFields) => linesOf('info', (log) => log.info('event', fields))[0]

describe('the log', () => {
  it('writes one JSON object a line, with level, time and event', () => {
    const lines = linesOf('info', (log) => {
      log.info('request_opened', { requestId: 'r', count: 3 })
      log.warn('slow')
      log.error('failed', { code: 'store_unavailable' })
    })
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(lines).toEqual([
      { level: 'info', time, event: 'request_opened', requestId: 'r', count: 3 },
      { level: 'warn', time, event: 'slow' },
      { level: 'error', time, event: 'failed', code: 'store_unavailable' },
    ])
  })

  it.each<[LogLevel, string[]]>([
    ['debug', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ])('at level %s writes %j', (level, levels) => {
    const lines = linesOf(level, (log) => {
      log.info('a')
      log.warn('b')
      log.error('c')
    })
    expect(lines.map((line) => line.level)).toEqual(levels)
  })

  it('lets no other field pass, whatever a caller slips in', () => {
    const fields = { requestId: 'r', apiKey: API_KEY, headers: { authorization: TOKEN } } as LogFields
    expect(Object.keys(lineOf(fields) ?? {})).toEqual(['level', 'time', 'requestId', 'event'])
  })

  it.each([
    ['an API key', API_KEY],
    ['a bearer token', TOKEN],
    ['a private key', PRIVATE_KEY],
    ['a private key without 0x', PRIVATE_KEY.slice(2)],
    ['a signature', SIGNATURE],
  ])('never shows %s, neither in a field nor in a fault nor in its cause', (_, secret) => {
    const fault = new Error(`refused ${secret}`, { cause: new TypeError(`because of "${secret}"`) })
    expect(JSON.stringify(lineOf({ fault, reason: `x ${secret} y`, route: `/a/${secret}` }))).not.toContain(secret)
  })

  it.each([
    ['http://host/v1/mm/quotes?apiKey=hunter2&x=1', 'http://host/v1/mm/quotes'],
    ['postgres://rfqctl:hunter2@db:5432/rfq', 'postgres://db:5432/rfq'],
    ['https://user:hunter2@rpc.example/v2?token=hunter2', 'https://rpc.example/v2'],
  ])('cuts queries and credentials out of %s', (url, shown) => {
    const line = lineOf({ url, fault: new Error(`cannot reach ${url}`) })
    expect(line).toMatchObject({ url: shown, fault: `Error: cannot reach ${shown}` })
  })

  it('reduces a fault to the names and messages of itself and its causes, without a stack', () => {
    const fault = new RfqError('store_unavailable', { cause: new Error('ENOSPC: no space left on device') })
    expect(lineOf({ fault })?.fault).toBe(
      'RfqError: The store cannot be written. < Error: ENOSPC: no space left on device',
    )
    expect(lineOf({ fault: 'thrown text' })?.fault).toBe('thrown text')
    expect(lineOf({ fault: null })?.fault).toBe('null')
  })

  it('tells the id of a series, which is public, and nothing else in its place', () => {
    const seriesId = (2n ** 256n - 1n).toString()
    expect(lineOf({ seriesId })?.seriesId).toBe(seriesId)
    expect(lineOf({ seriesId: PRIVATE_KEY })?.seriesId).toBe('[hex]')
    expect(lineOf({ reason: seriesId })?.reason).toBe('[hex]')
    const hash = `0x${'ab'.repeat(32)}`
    expect(lineOf({ orderHash: hash, transactionHash: hash })).toMatchObject({ orderHash: hash, transactionHash: hash })
    expect(lineOf({ orderHash: `${hash}${'cd'.repeat(33)}` })?.orderHash).toBe('[hex]')
    expect(lineOf({ reason: hash })?.reason).toBe('[hex]')
  })

  it('survives an error that is its own cause', () => {
    const fault = new Error('round')
    fault.cause = fault
    expect(lineOf({ fault })?.fault).toMatch(/^Error: round/)
  })

  it('keeps control characters out of a terminal', () => {
    const lines: string[] = []
    createLog({ level: 'info', out: { write: (line) => void lines.push(line) } }).info('event', {
      reason: '\u001b[2J\n',
    })
    expect(lines[0]).not.toContain('\u001b')
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1)
  })
})
