import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AuditEntry, openedEntry } from '../../../../src/protocol/domain/audit.ts'
import { decodeEntries } from '../../../../src/protocol/domain/log-tiles.ts'
import type { QuoteRequest } from '../../../../src/protocol/domain/request.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createDatabase } from '../../../../src/relay/adapters/store/postgres/database.ts'
import { tidy } from '../../../../src/relay/adapters/store/postgres/housekeeping.ts'
import { createPostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import { openKeys } from '../../../../src/relay/adapters/transparency/keys.ts'
import { createMemoryStorage } from '../../../../src/relay/adapters/transparency/memory-storage.ts'
import { createOpenings, createReconciler } from '../../../../src/relay/adapters/transparency/reconcile.ts'
import {
  checkpointIn,
  createTransparencyLog,
  SETTLED_MS,
} from '../../../../src/relay/adapters/transparency/transparency-log.ts'
import { anAcceptance, aQuote, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { naive } from '../../../support/oracles/merkle-tree.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../../support/postgres.ts'
import { CALL_BUY, NO_OPENING } from '../../../support/test-relay.ts'

const clock = createSystemClock()
const entry = (requestId: string, at: number): AuditEntry => ({ at, requestId, kind: 'commit_refused', code: `c${at}` })

describe.skipIf(POSTGRES_URL === undefined)(`the transparency log in Postgres${POSTGRES_HINT}`, () => {
  let place: ReturnType<typeof temporarySchema>
  let closers: (() => Promise<unknown>)[]

  beforeEach(() => {
    place = temporarySchema()
    closers = [place.drop]
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  /** A node, whose log numbers what waits when a test asks for it. */
  async function openNode(isShared = true) {
    const { url, schema } = place
    const written = createFakeLog()
    const store = await createPostgresStore({ url, schema, clock, log: written, isShared })
    closers.push(store.close)
    const opened = await store.openLog()
    const { storage } = opened
    const keys = openKeys(opened.keys)
    const time = { ms: 0 }
    const log = createTransparencyLog({
      openingOf: createOpenings(store),
      storage,
      keys,
      clock: { ...createFakeClock(), now: () => time.ms, schedule: () => () => {} },
      log: createFakeLog(),
    })
    closers.push(log.close)
    const told = () => written.lines.map(({ event }) => event)
    return {
      store,
      storage,
      keys,
      log,
      time,
      told,
      newest: async () => checkpointIn((await log.checkpoint()) as string),
    }
  }

  test('two nodes write one log, whichever is at it', async () => {
    const [a, b] = [await openNode(), await openNode()]
    expect(a.log.keys).toEqual(b.log.keys)
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 150; i += 1) {
        a.log.add(entry(`r${i % 4}`, i))
        b.log.add(entry(`r${i % 3}`, 1_000 + i))
      }
      await Promise.all([a.log.advance(), b.log.advance()])
    }
    await a.log.advance()
    const { size, root } = await b.newest()
    expect(size).toBe(1_500)
    const leaves: Uint8Array[] = []
    for (let index = 0; index < 6; index += 1) {
      const width = index === 5 ? 220 : 256
      const bundle = (await b.log.readTile({ level: 'entries', index, width })) as Uint8Array
      leaves.push(...(decodeEntries(bundle) as Uint8Array[]))
    }
    expect(naive.root(leaves)).toEqual(Buffer.from(root))
    const found = await a.log.linesOf('r1')
    expect(found?.lines.map(({ record: { number } }) => number)).toEqual(found?.lines.map((_, i) => i))
    const indexes = found?.lines.map(({ index }) => index) ?? []
    expect(indexes).toEqual([...indexes].sort((x, y) => x - y))
  })

  test('leaves out an entry that cannot be read, logs it, and numbers those behind it', async () => {
    const { log, newest, told } = await openNode()
    log.add(entry('r1', 1))
    log.add({ at: 2, requestId: 'r1', kind: 'declined', makerId: 'ada', quoteId: 'q', waitedMs: -1, reason: null })
    log.add(entry('r1', 3))
    await log.advance()
    expect((await newest()).size).toBe(2)
    expect(told()).toContain('transparency_entry_unreadable')
  })

  test('has the same log as one in memory', async () => {
    const node = await openNode()
    const memory = createTransparencyLog({
      openingOf: NO_OPENING,
      storage: createMemoryStorage(),
      keys: node.keys,
      clock: { ...createFakeClock(), schedule: () => () => {} },
      log: createFakeLog(),
    })
    for (let i = 0; i < 600; i += 1) for (const log of [node.log, memory]) log.add(entry(`r${i % 5}`, i))
    await Promise.all([node.log.advance(), memory.advance()])
    expect(await node.log.checkpoint()).toBe(await memory.checkpoint())
    expect((await node.storage.leavesFrom(590, 50)).map(({ index }) => index)).toEqual([
      590, 591, 592, 593, 594, 595, 596, 597, 598, 599,
    ])
    expect(await node.log.readTile({ level: 0, index: 2, width: 89 })).toBeNull()
    expect(Buffer.from((await node.log.readTile({ level: 1, index: 0, width: 2 })) as Uint8Array)).toEqual(
      Buffer.from((await memory.readTile({ level: 1, index: 0, width: 2 })) as Uint8Array),
    )
  })

  test('nothing of a turn counts that was cut off', async () => {
    const node = await openNode()
    node.log.add(entry('r1', 1))
    const number = () => Promise.reject(new Error('cut off'))
    await expect(node.storage.advance(number)).rejects.toThrow('cut off')
    expect(await node.log.checkpoint()).toBeNull()
    await node.log.advance()
    expect(await node.newest()).toMatchObject({ size: 1 })
  })

  test('another node enters the promises of one that is gone', async () => {
    const node = await openNode()
    const now = clock.now()
    const [asked, signed] = [aRequest(now), aRequest(now)]
    const acceptances = [anAcceptance(asked, { now }), anAcceptance(signed, { now })]
    for (const [i, request] of [asked, signed].entries()) {
      await node.store.requests.insert(request)
      await node.store.acceptances.insert(acceptances[i] as (typeof acceptances)[0])
    }
    await node.store.acceptances.confirm((acceptances[1] as (typeof acceptances)[0]).acceptanceId, {
      executionId: 'e1',
      signature: SIGNATURE,
    })
    const find = (at: number) =>
      createReconciler({ store: node.store, storage: node.storage, clock: { now: () => at } })
    expect(await find(now + 1_000)({ isAlone: false })).toEqual([])
    const missing = await find(now + 60_000)({ isAlone: false })
    expect(missing.map(({ kind, requestId }) => [kind, requestId])).toEqual([
      ['reopened', asked.requestId],
      ['asked', asked.requestId],
      ['reopened', signed.requestId],
      ['confirmed', signed.requestId],
      ['closed', signed.requestId],
    ])
    for (const one of missing) node.log.add(one)
    await node.log.advance()
    expect(await find(now + 60_000)({ isAlone: false })).toEqual([])
  })

  test('an order is entered again when the node that asked for its signature is gone', async () => {
    const node = await openNode()
    const now = clock.now()
    const request = aRequest(now)
    const acceptance = anAcceptance(request, { now })
    const { requestId, makerId, quoteId } = acceptance
    await node.store.requests.insert(request)
    await node.store.acceptances.insert(acceptance)
    await node.store.acceptances.confirm(acceptance.acceptanceId, { executionId: 'e1', signature: SIGNATURE })
    // The same maker missed an earlier order of the quote, and another maker one of its own.
    const order = { ...acceptance.order, validUntil: acceptance.order.validUntil - 20 }
    node.log.add({ at: now, requestId, kind: 'asked', makerId, quoteId, order, deadline: now + 1 })
    node.log.add({ at: now, requestId, kind: 'asked', makerId: 'bob', quoteId: 'q-bob', order, deadline: now + 1 })
    node.log.add({ at: now, requestId, kind: 'confirmed', makerId, quoteId, executionId: 'e1', waitedMs: 5 })
    await node.log.advance()
    const at = now + 60_000
    const find = createReconciler({ store: node.store, storage: node.storage, clock: { now: () => at } })
    const missing = await find({ isAlone: false })
    expect(missing.map(({ kind }) => kind)).toEqual(['reopened', 'asked'])
    for (const one of missing) node.log.add(one)
    await node.log.advance()
    expect(await find({ isAlone: false })).toEqual([])
  })

  test('a node enters its part of a request when another node has the commit, and nothing of one without', async () => {
    const [a, b] = [await openNode(), await openNode()]
    const [traded, plain] = [aRequest(clock.now()), aRequest(clock.now())]
    const quoted = (request: QuoteRequest): AuditEntry => ({
      at: 1,
      requestId: request.requestId,
      kind: 'quoted',
      quote: aQuote(request),
      isRequote: false,
    })
    for (const request of [traded, plain]) {
      await a.store.requests.insert(request)
      a.log.add(openedEntry(request, { makersConnected: 1 }))
      b.log.add(quoted(request))
    }
    await a.log.advance()
    await b.log.advance()
    expect(await a.log.checkpoint()).toBeNull()
    a.log.add(entry(traded.requestId, 2))
    await a.log.advance()
    // It learns of the commit, and enters what it held back and what comes since.
    await b.log.advance()
    b.log.add(quoted(traded))
    for (const { requestId } of [traded, plain]) {
      await a.store.requests.close(requestId, 'expired')
      a.log.add({ at: 3, requestId, kind: 'closed', status: 'expired' })
    }
    await b.log.advance()
    await a.log.advance()
    const kinds = (await b.log.linesOf(traded.requestId))?.lines.map(({ record }) => record.entry?.kind)
    expect(kinds).toEqual(['opened', 'commit_refused', 'quoted', 'quoted', 'closed'])
    expect(await a.log.linesOf(plain.requestId)).toBeNull()
    for (const node of [a, b]) {
      node.time.ms += SETTLED_MS
      await node.log.advance()
      await node.log.advance()
    }
    // What comes now finds nothing that was kept.
    b.log.add(entry(plain.requestId, 4))
    await b.log.advance()
    const late = (await b.log.linesOf(plain.requestId))?.lines.map(({ record }) => record.entry?.kind)
    expect(late).toEqual(['opened', 'commit_refused'])
  })

  test('a single node keeps back what has no commit, also after a restart', async () => {
    const first = await openNode(false)
    const opened = (request: QuoteRequest): AuditEntry => ({
      at: 1,
      requestId: request.requestId,
      kind: 'opened',
      terms: CALL_BUY,
      seriesId: '7',
      expiresAt: 9,
      makersConnected: 0,
    })
    const [tried, waiting, plain] = [aRequest(clock.now()), aRequest(clock.now()), aRequest(clock.now())]
    for (const request of [tried, waiting, plain]) {
      await first.store.requests.insert(request)
      first.log.add(opened(request))
    }
    first.log.add(entry(tried.requestId, 2))
    await first.log.advance()
    expect((await first.newest()).size).toBe(2)
    first.log.add(entry(waiting.requestId, 2))
    await first.storage.close()
    await first.store.close()
    closers = [place.drop]
    const second = await openNode(false)
    const closed = ({ requestId }: QuoteRequest): AuditEntry => ({
      at: 3,
      requestId,
      kind: 'closed',
      status: 'expired',
    })
    for (const request of [tried, waiting, plain]) second.log.add(closed(request))
    await second.log.advance()
    const kindsOf = async ({ requestId }: QuoteRequest) =>
      (await second.log.linesOf(requestId))?.lines.map(({ record }) => record.entry?.kind)
    expect(await kindsOf(tried)).toEqual(['opened', 'commit_refused', 'closed'])
    expect(await kindsOf(waiting)).toEqual(['opened', 'commit_refused', 'closed'])
    expect(await kindsOf(plain)).toBeUndefined()
  })

  test('drops records of requests without a trade beyond a bound, and no hash', async () => {
    const node = await openNode()
    for (let i = 0; i < 30; i += 1) node.log.add(entry(`r${i}`, i))
    await node.log.advance()
    const { url, schema } = place
    const database = createDatabase({ url, schema, log: createFakeLog() })
    closers.push(database.close)
    await tidy(database, 10)
    expect(await node.log.linesOf('r5')).toBeNull()
    expect((await node.log.linesOf('r25'))?.lines.length).toBe(1)
    expect(await node.log.readTile({ level: 'entries', index: 0, width: 30 })).toHaveLength(30 * 34)
    const rows = await runSql<{ count: string }>(`select count(*) from ${schema}.log_leaves`)
    expect(Number(rows[0]?.count)).toBeLessThanOrEqual(11)
  })
})
