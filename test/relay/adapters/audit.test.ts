import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../src/protocol/domain/audit.ts'
import { createAuditRecorder } from '../../../src/relay/adapters/audit.ts'
import type { AuditEvent } from '../../../src/relay/core/ports/operations.ts'
import { settle } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

const missed = (name: string): AuditEntry => ({ at: 1, requestId: name, kind: 'missed', makerId: 'ada', quoteId: 'q' })

const quoted = (name: string, { quoteId = 'q', isRequote = true } = {}) =>
  ({ at: 1, requestId: name, kind: 'quoted', quote: { quoteId }, isRequote }) as AuditEntry

function createFixture(
  auditLog: { record: (entry: AuditEntry) => void } = { record: () => {} },
  bytesPerRequest = 1_048_576,
) {
  const log = createFakeLog()
  const audit = createAuditRecorder({ epoch: 2, auditLog, log, bytesPerRequest })
  const heard: (readonly AuditEvent[])[] = []
  audit.feed.listen((events) => heard.push(events))
  return { audit, log, heard }
}

const namesOf = (events: readonly AuditEvent[] | null) => events?.map(({ entry }) => entry.requestId)

describe('the audit recorder', () => {
  it('writes and tells after the call, all entries of a turn at once and in order', async () => {
    const written: string[] = []
    const { audit, heard } = createFixture({ record: ({ requestId }) => void written.push(requestId) })
    audit.record(missed('a'))
    audit.record(missed('b'))
    expect([written, heard]).toEqual([[], []])
    await settle()
    expect(written).toEqual(['a', 'b'])
    expect(heard.map(namesOf)).toEqual([['a', 'b']])
  })

  it('starts its ids at its epoch, so that they rise across restarts', async () => {
    const { audit } = createFixture()
    expect(await audit.feed.position()).toBe(2_000_000_000)
    audit.record(missed('a'))
    expect((await audit.feed.newest(5)).map(({ id }) => id)).toEqual([2_000_000_001])
  })

  it('replays what came after an id, and nothing after one it cannot continue from', async () => {
    const { audit } = createFixture()
    for (const name of ['a', 'b', 'c']) audit.record(missed(name))
    expect(namesOf(await audit.feed.since(2_000_000_001))).toEqual(['b', 'c'])
    expect(await audit.feed.since(2_000_000_003)).toEqual([])
    for (const foreign of [1_999_999_999, 2_000_000_004, 2_000_000_000.5]) {
      expect(await audit.feed.since(foreign)).toBeNull()
    }
  })

  it('remembers the newest ten thousand', async () => {
    const { audit } = createFixture()
    for (let i = 1; i <= 10_002; i += 1) audit.record(missed(String(i)))
    expect(await audit.feed.since(2_000_000_001)).toBeNull()
    const kept = namesOf(await audit.feed.since(2_000_000_002))
    expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([10_000, '3', '10002'])
    expect(namesOf(await audit.feed.newest(2))).toEqual(['10001', '10002'])
    expect((await audit.feed.newest(99_999)).length).toBe(10_000)
  })

  it('replays of the re-quotes with one quote only the last, and tells them all while they happen', async () => {
    const { audit, heard } = createFixture()
    audit.record(quoted('first', { isRequote: false }))
    audit.record(quoted('second'))
    audit.record(quoted('other', { quoteId: 'r' }))
    audit.record(quoted('last'))
    await settle()
    expect(namesOf(heard.flat())).toEqual(['first', 'second', 'other', 'last'])
    expect((await audit.feed.newest(10)).map(({ id, entry }) => [id - 2_000_000_000, entry.requestId])).toEqual([
      [1, 'first'],
      [3, 'other'],
      [4, 'last'],
    ])
    expect(namesOf(await audit.feed.since(2_000_000_002))).toEqual(['other', 'last'])
  })

  it('keeps a re-quote until ten thousand entries have followed it', async () => {
    const { audit } = createFixture()
    audit.record(quoted('old'))
    for (let i = 1; i < 10_000; i += 1) audit.record(missed(String(i)))
    expect(namesOf(await audit.feed.since(2_000_000_000))?.[0]).toBe('old')
    audit.record(missed('another'))
    audit.record(quoted('new'))
    expect(namesOf(await audit.feed.newest(99_999))?.slice(-2)).toEqual(['another', 'new'])
    expect(await audit.feed.newest(99_999)).toHaveLength(10_000)
  })

  it('writes a thousand re-quotes of a request and no more, and everything else of it', async () => {
    const written: string[] = []
    const { audit, heard } = createFixture({
      record: ({ requestId, kind }) => void written.push(`${requestId} ${kind}`),
    })
    for (let i = 0; i < 1_500; i += 1) audit.record(quoted('busy'))
    audit.record(missed('busy'))
    audit.record(quoted('quiet'))
    await settle()
    expect(heard.flat()).toHaveLength(1_502)
    expect(written.filter((row) => row === 'busy quoted')).toHaveLength(1_000)
    expect(written.slice(-2)).toEqual(['busy missed', 'quiet quoted'])
  })

  it('writes a few of the commits of a request that come to nothing, and that of the one that came to an order', async () => {
    const written: AuditEntry[] = []
    const { audit, heard } = createFixture({ record: (entry) => void written.push(entry) })
    const fact = (at: number, rest: object) => ({ at, requestId: 'r', ...rest }) as AuditEntry
    for (let at = 1; at <= 500; at += 1) {
      audit.record(fact(at, { kind: 'commit_started', terms: { expectedQuoteId: null } }))
      audit.record(fact(at, { kind: 'commit_refused', code: 'no_valid_quotes' }))
    }
    audit.record(fact(501, { kind: 'commit_started', terms: { expectedQuoteId: null } }))
    audit.record(fact(502, { kind: 'asked', makerId: 'ada' }))
    audit.record(fact(503, { kind: 'closed', status: 'committed' }))
    await settle()
    expect(heard.flat()).toHaveLength(1_003)
    expect(written.slice(0, 40).map(({ at }) => at)).toEqual(
      Array.from({ length: 40 }, (_, i) => 1 + Math.floor(i / 2)),
    )
    expect(written.slice(40)).toMatchObject([
      { at: 501, kind: 'commit_started' },
      { at: 502, kind: 'asked' },
      { at: 503, kind: 'closed', omitted: 960 },
    ])
  })

  it('writes no more bytes of a request than it may have, and never leaves out what the log must tell', async () => {
    const written: AuditEntry[] = []
    const { audit } = createFixture({ record: (entry) => void written.push(entry) }, 10_000)
    const refused = { kind: 'quote_refused', makerId: 'ada', code: 'c', detail: 'x'.repeat(200) }
    for (let at = 1; at <= 100; at += 1) audit.record({ at, requestId: 'r', ...refused } as AuditEntry)
    for (const kind of ['asked', 'confirmed']) audit.record({ at: 200, requestId: 'r', kind } as AuditEntry)
    audit.record(missed('another'))
    await settle()
    expect(written.map(({ kind }) => kind)).toEqual([
      ...Array(10).fill('quote_refused'),
      'asked',
      'confirmed',
      'missed',
    ])
  })

  it('remembers eight megabytes of texts that strangers chose, however few entries they are', async () => {
    const { audit } = createFixture()
    const detail = 'x'.repeat(60_000)
    for (let at = 1; at <= 200; at += 1) {
      audit.record({ at, requestId: String(at), kind: 'quote_refused', makerId: 'ada', code: 'c', detail })
    }
    const kept = await audit.feed.newest(10_000)
    expect([kept.length, kept.at(-1)?.id]).toEqual([46, 2_000_000_200])
    expect(await audit.feed.since(2_000_000_153)).toBeNull()
    expect(await audit.feed.since(2_000_000_154)).toHaveLength(46)
    audit.record({
      at: 201,
      requestId: 'huge',
      kind: 'quote_refused',
      makerId: 'ada',
      code: 'c',
      detail: 'x'.repeat(9e6),
    })
    expect(namesOf(await audit.feed.newest(10_000))).toEqual(['huge'])
  })

  it('continues when the audit log or a listener fails, and logs it', async () => {
    const { audit, log, heard } = createFixture({
      record: () => {
        throw new Error('disk full')
      },
    })
    audit.record(missed('a'))
    await settle()
    expect(heard).toHaveLength(1)
    expect(log.lines).toMatchObject([{ level: 'error', event: 'audit_failed' }])
  })

  it('passes on at once what is flushed at the end', () => {
    const { audit, heard } = createFixture()
    audit.record(missed('a'))
    audit.flush()
    expect(heard).toHaveLength(1)
  })
})
