import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createPostgresStore, type PostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import type { AuditEvent } from '../../../../src/relay/core/ports/operations.ts'
import { aRequest, auditOf } from '../../../ports/store.fixtures.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../../support/postgres.ts'

const clock = createSystemClock()

describe.skipIf(POSTGRES_URL === undefined)(`the audit log of all nodes${POSTGRES_HINT}`, () => {
  const { url, schema, drop } = temporarySchema()
  let here: PostgresStore
  let there: PostgresStore

  beforeAll(async () => {
    const open = () => createPostgresStore({ url, schema, clock, log: createFakeLog(), isShared: true })
    ;[here, there] = [await open(), await open()]
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await drop()
  })

  it('tells on one what was recorded on either, in one order, each entry once', async () => {
    const { auditFeed } = here
    const heard: AuditEvent[] = []
    const stop = auditFeed.listen((events) => heard.push(...events))
    const start = await auditFeed.position()
    const [mine, theirs] = [auditOf(aRequest(clock.now()), clock.now()), auditOf(aRequest(clock.now()), clock.now())]
    for (const entry of mine) here.audit.record(entry)
    for (const entry of theirs) there.audit.record(entry)
    await expect.poll(() => heard.length).toBe(mine.length + theirs.length)
    stop()
    const ids = heard.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    for (const entries of [mine, theirs]) {
      const requestId = entries[0]?.requestId
      expect(heard.map(({ entry }) => entry).filter((entry) => entry.requestId === requestId)).toEqual(entries)
    }
    expect(await there.auditFeed.since(start)).toEqual(heard)
    expect(await there.auditFeed.newest(3)).toEqual(heard.slice(-3))
    expect(await there.auditFeed.position()).toBe(ids.at(-1))
  })

  it('continues behind a place that was never written, and after no place of the future', async () => {
    const heard: AuditEvent[] = []
    const stop = here.auditFeed.listen((events) => heard.push(...events))
    await here.auditFeed.position()
    await runSql(`select nextval(pg_get_serial_sequence('${schema}.audit', 'seq'))`)
    const entries = auditOf(aRequest(clock.now()), clock.now())
    for (const entry of entries) there.audit.record(entry)
    await expect.poll(() => heard.map(({ entry }) => entry)).toEqual(entries)
    stop()
    expect(await here.auditFeed.since(1_000_000_000)).toBeNull()
    expect(await here.auditFeed.since(-1)).toBeNull()
  })
})
