import { describe, expect, it } from 'vitest'
import { createAuditRecorder } from '../../src/adapters/audit.ts'
import type { AuditEntry } from '../../src/domain/audit.ts'
import type { AuditEvent } from '../../src/relay/ports/operations.ts'
import { settle } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'

const missed = (name: string): AuditEntry => ({ at: 1, requestId: name, kind: 'missed', makerId: 'ada', quoteId: 'q' })

const quoted = (name: string, { quoteId = 'q', isRequote = true } = {}) =>
  ({ at: 1, requestId: name, kind: 'quoted', quote: { quoteId }, isRequote }) as AuditEntry

function createHouse(trail: { record: (entry: AuditEntry) => void } = { record: () => {} }) {
  const log = createFakeLog()
  const audit = createAuditRecorder({ epoch: 2, trail, log })
  const heard: (readonly AuditEvent[])[] = []
  audit.feed.listen((events) => heard.push(events))
  return { audit, log, heard }
}

const namesOf = (events: readonly AuditEvent[] | null) => events?.map(({ entry }) => entry.requestId)

describe('the audit recorder', () => {
  it('writes and tells after the call, all entries of a turn at once and in order', async () => {
    const written: string[] = []
    const { audit, heard } = createHouse({ record: ({ requestId }) => void written.push(requestId) })
    audit.record(missed('a'))
    audit.record(missed('b'))
    expect([written, heard]).toEqual([[], []])
    await settle()
    expect(written).toEqual(['a', 'b'])
    expect(heard.map(namesOf)).toEqual([['a', 'b']])
  })

  it('starts its ids at its epoch, so that they rise across restarts', async () => {
    const { audit } = createHouse()
    expect(await audit.feed.position()).toBe(2_000_000_000)
    audit.record(missed('a'))
    expect((await audit.feed.newest(5)).map(({ id }) => id)).toEqual([2_000_000_001])
  })

  it('replays what came after an id, and nothing after one it cannot continue from', async () => {
    const { audit } = createHouse()
    for (const name of ['a', 'b', 'c']) audit.record(missed(name))
    expect(namesOf(await audit.feed.since(2_000_000_001))).toEqual(['b', 'c'])
    expect(await audit.feed.since(2_000_000_003)).toEqual([])
    for (const foreign of [1_999_999_999, 2_000_000_004, 2_000_000_000.5]) {
      expect(await audit.feed.since(foreign)).toBeNull()
    }
  })

  it('remembers the newest ten thousand', async () => {
    const { audit } = createHouse()
    for (let i = 1; i <= 10_002; i += 1) audit.record(missed(String(i)))
    expect(await audit.feed.since(2_000_000_001)).toBeNull()
    const kept = namesOf(await audit.feed.since(2_000_000_002))
    expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([10_000, '3', '10002'])
    expect(namesOf(await audit.feed.newest(2))).toEqual(['10001', '10002'])
    expect((await audit.feed.newest(99_999)).length).toBe(10_000)
  })

  it('replays of the re-quotes with one quote only the last, and tells them all while they happen', async () => {
    const { audit, heard } = createHouse()
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
    const { audit } = createHouse()
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
    const { audit, heard } = createHouse({ record: ({ requestId, kind }) => void written.push(`${requestId} ${kind}`) })
    for (let i = 0; i < 1_500; i += 1) audit.record(quoted('busy'))
    audit.record(missed('busy'))
    audit.record(quoted('quiet'))
    await settle()
    expect(heard.flat()).toHaveLength(1_502)
    expect(written.filter((row) => row === 'busy quoted')).toHaveLength(1_000)
    expect(written.slice(-2)).toEqual(['busy missed', 'quiet quoted'])
  })

  it('goes on when the trail or a listener fails, and says so', async () => {
    const { audit, log, heard } = createHouse({
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
    const { audit, heard } = createHouse()
    audit.record(missed('a'))
    audit.flush()
    expect(heard).toHaveLength(1)
  })
})
