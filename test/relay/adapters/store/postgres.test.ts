import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNGUARDED } from '../../../../src/protocol/domain/acceptance.ts'
import { NO_PROTECTIONS } from '../../../../src/protocol/domain/maker-protections.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { encode, encodeCounted } from '../../../../src/relay/adapters/store/codec.ts'
import { observeClock } from '../../../../src/relay/adapters/store/postgres/clock.ts'
import { createDatabase } from '../../../../src/relay/adapters/store/postgres/database.ts'
import { tidy } from '../../../../src/relay/adapters/store/postgres/housekeeping.ts'
import { migrate } from '../../../../src/relay/adapters/store/postgres/migrate.ts'
import { FORMER_FUNCTIONS } from '../../../../src/relay/adapters/store/postgres/schema/former-steps.ts'
import { MACHINE_MS } from '../../../../src/relay/adapters/store/postgres/schema/functions.ts'
import { MIGRATIONS, SCHEMA_VERSION } from '../../../../src/relay/adapters/store/postgres/schema/migrations.ts'
import { createPostgresStore, type PostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import { admit } from '../../../../src/relay/core/admit.ts'
import type { Acceptance, Store } from '../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, auditOf, freshWallet, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock, settle } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { makeFormerDatabase } from '../../../support/former-database.ts'
import { holdLock, POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../../support/postgres.ts'
import { createTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'

const SIGNED = { executionId: 'execution-1', signature: SIGNATURE }
const UNAVAILABLE = { code: 'store_unavailable' }
const clock = createSystemClock()
/** One bad outcome is enough. */
const BREAKER = {
  windowMs: 60_000,
  suspensionMs: 60_000,
  maxSuspensionMs: 60_000,
  minOutcomes: 1,
  below: 100,
  cleanPerStrike: 1,
  incidentMs: 0,
}

describe.skipIf(POSTGRES_URL === undefined)(`the Postgres store${POSTGRES_HINT}`, () => {
  let place: ReturnType<typeof temporarySchema>
  let closers: (() => Promise<unknown>)[]

  beforeEach(() => {
    place = temporarySchema()
    closers = [place.drop]
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  type Options = Partial<Parameters<typeof createPostgresStore>[0]>

  async function open(options: Options = {}): Promise<PostgresStore> {
    const { url, schema } = place
    const store = await createPostgresStore({ url, schema, clock, log: createFakeLog(), isShared: true, ...options })
    closers.push(store.close)
    return store
  }

  /** The store behind a wire that can be cut. */
  async function openBehindProxy(options: Options = {}): Promise<{ store: Store; proxy: TcpProxy }> {
    const server = new URL(place.url)
    const proxy = await createTcpProxy({ host: server.hostname, port: Number(server.port || 5_432) })
    closers.push(proxy.close)
    server.hostname = '127.0.0.1'
    server.port = String(proxy.port)
    return { store: await open({ url: server.href, ...options }), proxy }
  }

  async function accept(store: Store, changes: Partial<Acceptance> = {}): Promise<Acceptance> {
    const now = clock.now()
    const request = aRequest(now)
    const acceptance = { ...anAcceptance(request, { now }), ...changes }
    await store.requests.insert(request)
    await store.acceptances.insert(acceptance)
    return acceptance
  }

  /** A maker's outcomes, for which all that was noted is written first. */
  const outcomesOf = (store: Store, makerId: string) =>
    store.history.list({ makerId, after: null, since: null, status: null, limit: 10 })

  const sql = <Row>(text: string) => runSql<Row>(text.replaceAll('@', `${place.schema}.`))

  /** A statement of some other program on the same tables, which says nothing of itself. */
  const ofOther = <Row>(text: string, values: unknown[] = []) =>
    runSql<Row>(text, values, `${place.url}?options=${encodeURIComponent(`-c search_path=${place.schema}`)}`)

  describe('on two nodes', () => {
    it('lets exactly one of confirm and decline win', async () => {
      const [here, there] = [await open(), await open()]
      for (let round = 0; round < 30; round += 1) {
        const { acceptanceId, requestId } = await accept(here)
        const [execution, declined] = await Promise.all([
          here.acceptances.confirm(acceptanceId, { ...SIGNED, executionId: `execution-${round}` }),
          there.acceptances.end(acceptanceId, 'declined'),
        ])
        expect(execution === null).toBe(declined)
        expect(await there.executions.findByRequest(requestId)).toEqual(execution)
      }
    })

    it('lets exactly one of accepting and cancelling win', async () => {
      const [here, there] = [await open(), await open()]
      for (let round = 0; round < 30; round += 1) {
        const request = aRequest(clock.now())
        await here.requests.insert(request)
        const [accepted, cancelled] = await Promise.all([
          here.acceptances.insert(anAcceptance(request, { now: clock.now() })),
          there.requests.close(request.requestId, 'cancelled'),
        ])
        expect(accepted).toBe(!cancelled)
        expect((await there.acceptances.findActive(request.requestId)) !== null).toBe(accepted)
      }
    })

    it('gives a request one nonce and none to two requests', async () => {
      const [here, there] = [await open(), await open()]
      const wallet = freshWallet()
      const nonces: number[] = []
      for (let round = 0; round < 20; round += 1) {
        const calls = Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? here : there).allotNonce(`request-${round}`, wallet),
        )
        const answers = new Set(await Promise.all(calls))
        expect(answers.size).toBe(1)
        nonces.push(...answers)
      }
      expect(nonces).toEqual([...new Set(nonces)].toSorted((a, b) => a - b))
    })

    it('confirms on one what was accepted on the other, and counts each start', async () => {
      const [here, there] = [await open(), await open()]
      const { acceptanceId, quoteId } = await accept(here)
      expect(await there.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject(SIGNED)
      expect(await here.acceptances.findByQuote(quoteId)).toMatchObject({ state: 'confirmed' })
      expect(there.epoch).toBeGreaterThan(here.epoch)
    })

    it('times out what its own node left overdue, once, and frees the request for another maker', async () => {
      const [here, there] = [await open(), await open()]
      const overdue = await accept(here, { deadline: clock.now() - 400 })
      const soon = await accept(here, { deadline: clock.now() + 60_000 })
      const ended = await Promise.all([here.takeover.endOverdue(), there.takeover.endOverdue()])
      expect(ended.flat()).toEqual([{ ...overdue, state: 'timed_out' }])
      expect(await here.acceptances.confirm(overdue.acceptanceId, SIGNED)).toBeNull()
      expect(await here.acceptances.findActive(soon.requestId)).toMatchObject({ state: 'pending' })
      expect(await there.acceptances.insert({ ...overdue, acceptanceId: 'the-next' })).toBe(true)
    })

    it('refuses an acceptance of a maker that is suspended while the acceptance waits for its wallet', async () => {
      const store = await open()
      const { makerId, order, requestId, quoteId } = await accept(store)
      const now = clock.now()
      const request = aRequest(now)
      await store.requests.insert(request)
      const wallet = order.maker.toLowerCase()
      const letGo = await holdLock(`select from ${place.schema}.nonces where wallet = $1 for update`, [wallet])
      closers.push(letGo)
      const inserting = admit(store, { ...anAcceptance(request, { now }), makerId, order })
      const isWaiting = async () => (await runSql('select from pg_locks where not granted')).length > 0
      await expect.poll(isWaiting).toBe(true)
      const outcome = { kind: 'declined', requestId, quoteId } as const
      expect(await store.makerRecords.note(makerId, outcome, BREAKER)).not.toBeNull()
      await letGo()
      expect(await inserting).toBe('suspended')
    })

    it('leaves an overdue acceptance to the node that is ending it', async () => {
      const [here, there] = [await open(), await open()]
      const { acceptanceId } = await accept(here, { deadline: clock.now() - 400 })
      const letGo = await holdLock(`select 1 from ${place.schema}.acceptances where acceptance_id = $1 for update`, [
        acceptanceId,
      ])
      expect(await there.takeover.endOverdue()).toEqual([])
      await letGo()
      expect(await there.takeover.endOverdue()).toHaveLength(1)
    })

    it('lists requests that ended and were announced to no one, until they are', async () => {
      const store = await open()
      const [open1, told, silent] = [aRequest(clock.now()), aRequest(clock.now()), aRequest(clock.now())]
      for (const request of [open1, told, silent]) await store.requests.insert(request)
      for (const { requestId } of [told, silent]) await store.requests.close(requestId, 'expired')
      await sql(`update @requests set closed_at = closed_at - 2000 where status <> 'open'`)
      store.takeover.announced(told.requestId)
      await outcomesOf(store, 'ada')
      expect(await store.takeover.unannounced(0)).toEqual([{ requestId: silent.requestId, status: 'expired' }])
      await sql(`update @requests set closed_at = closed_at - 3600000 where status <> 'open'`)
      expect(await store.takeover.unannounced(0)).toEqual([])
    })

    it('lists an end that came while its clock showed less than when the request was opened (fault I19)', async () => {
      const store = await open()
      const opened = clock.now() + 3_600_000
      const request = aRequest(opened)
      await store.requests.insert(request)
      await store.requests.close(request.requestId, 'cancelled')
      expect(await sql(`select closed_at from @requests where status <> 'open'`)).toEqual([
        { closed_at: String(opened) },
      ])
    })

    it('lists an end until its rejections are written, and writes a repeated one once', async () => {
      const [here, there] = [await open(), await open()]
      const request = aRequest(clock.now())
      const { requestId } = request
      await here.requests.insert(request)
      await here.requests.close(requestId, 'cancelled')
      await sql(`update @requests set closed_at = closed_at - 2000 where status <> 'open'`)
      const rejection = { makerId: 'ada', quoteId: 'q', requestId, reason: 'request_cancelled' } as const
      here.history.reject(requestId, [rejection])
      // As when a node dies here: nothing was noted of what it told.
      await outcomesOf(here, 'ada')
      expect(await there.takeover.unannounced(0)).toEqual([{ requestId, status: 'cancelled' }])
      there.history.reject(requestId, [rejection])
      there.takeover.announced(requestId)
      expect(await outcomesOf(there, 'ada')).toMatchObject([{ status: 'rejected', requestId }])
      expect(await here.takeover.unannounced(0)).toEqual([])
    })

    it('does alone on one what would be done on the other at the same time, also after a fault', async () => {
      const [here, there] = [await open(), await open()]
      let inside = 0
      const work = async () => {
        inside += 1
        expect(inside).toBe(1)
        await here.ping()
        inside -= 1
        return 'done'
      }
      const failing = expect(here.withAdvisoryLock(() => Promise.reject(new Error('no gas')))).rejects.toThrow('no gas')
      const all = [here, there, here, there, there].map(({ withAdvisoryLock }) => withAdvisoryLock(work))
      expect(await Promise.all(all)).toEqual(Array(5).fill('done'))
      await failing
    })

    it('counts epochs that never repeat', async () => {
      const [here, there] = [await open(), await open()]
      const raised = await Promise.all([here.raiseEpoch(), there.raiseEpoch()])
      expect(new Set([here.epoch, there.epoch, ...raised]).size).toBe(4)
      expect(await here.raiseEpoch(Math.max(...raised) + 10)).toBe(Math.max(...raised) + 11)
    })

    it('keeps the newest epoch that a market was begun with, whichever node was later to say so', async () => {
      const [here, there] = [await open(), await open()]
      expect(await here.begunEpoch()).toBe(0)
      await there.noteBegunEpoch(9)
      await here.noteBegunEpoch(8)
      expect([await here.begunEpoch(), await there.begunEpoch()]).toEqual([9, 9])
    })

    it('counts them from the minutes since 2026 began, also when it has forgotten how far they were (decision M1)', async () => {
      const { epoch } = await open()
      await sql('update @store_meta set stream_epoch = 3')
      const minutes = Math.floor((clock.now() - Date.UTC(2026, 0, 1)) / 60_000)
      expect(epoch).toBeGreaterThanOrEqual(minutes - 1)
      expect((await open()).epoch).toBeGreaterThanOrEqual(minutes - 1)
    })

    it('brings the schema up to date once, although both start at the same time', async () => {
      const stores = await Promise.all(Array.from({ length: 4 }, () => open()))
      expect(new Set(stores.map(({ epoch }) => epoch)).size).toBe(4)
      expect(await sql('select version from @schema_versions')).toEqual([{ version: SCHEMA_VERSION }])
    })
  })

  describe('and its schema', () => {
    /** Columns, constraints, indexes and triggers by name, whatever the order in which they came, and the names of functions. */
    async function describeSchema(schema: string): Promise<{ tables: string[]; functions: string[] }> {
      const parts = await runSql<{ part: string }>(
        `select concat_ws(' ', table_name, column_name, data_type, column_default, is_nullable, is_identity, generation_expression)
           as part from information_schema.columns where table_schema = $1
         union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
           where connamespace = $1::regnamespace
         union all select indexdef from pg_indexes where schemaname = $1
         union all select pg_get_triggerdef(oid) from pg_trigger
           where tgrelid::regclass::text like $1 || '.%' and not tgisinternal and tgname <> 'refuse_former_program'`,
        [schema],
      )
      const functions = await runSql<{ name: string }>(
        'select distinct proname as name from pg_proc where pronamespace = $1::regnamespace',
        [schema],
      )
      return {
        tables: parts.map(({ part }) => part.replaceAll(schema, '@')).toSorted(),
        functions: functions.map(({ name }) => name).toSorted(),
      }
    }

    it('takes a step whole or not at all, and the same step once', async () => {
      await migrate(place)
      const version = SCHEMA_VERSION + 1
      const bad = { version, sql: 'create table half_done (x int); select nonsense' }
      await expect(migrate({ ...place, migrations: [...MIGRATIONS, bad] })).rejects.toThrow('nonsense')
      await migrate({ ...place, migrations: [...MIGRATIONS, { version, sql: 'create table half_done (x int)' }] })
      await migrate({ ...place, migrations: [...MIGRATIONS, bad] })
      expect(await sql('select version from @schema_versions order by version')).toEqual(
        [SCHEMA_VERSION, version].map((each) => ({ version: each })),
      )
    })

    it('from a newer version is left alone', async () => {
      await open()
      await sql('insert into @schema_versions select max(version) + 1 from @schema_versions')
      await sql('alter table @requests add column of_the_future text')
      const store = await open()
      const request = aRequest(clock.now())
      await store.requests.insert(request)
      expect(await store.requests.listOpen()).toEqual([request])
    })

    it('has four functions in a fresh database, and the tables of one that a former program has left', async () => {
      const former = temporarySchema()
      closers.push(former.drop)
      await makeFormerDatabase(former)
      for (const each of [place, former]) await migrate(each)
      const fresh = await describeSchema(place.schema)
      const upgraded = await describeSchema(former.schema)
      expect(upgraded.tables).toEqual(fresh.tables)
      expect(fresh.functions).toEqual(['apply_acceptance', 'confirm_acceptance', 'now_ms', 'renew_store_meta'])
      expect(upgraded.functions).toEqual([...fresh.functions, ...FORMER_FUNCTIONS].toSorted())
    })

    it('takes no acceptance of a program that must not trade beside a newer one, and all else', async () => {
      await makeFormerDatabase(place)
      const store = await open()
      const { acceptanceId } = await accept(store)
      await sql(`create or replace function @oldest_trading() returns integer immutable language sql
        as 'select ${SCHEMA_VERSION + 1}'`)
      const next = aRequest(clock.now())
      await store.requests.insert(next)
      await expect(store.acceptances.insert(anAcceptance(next, { now: clock.now() }))).rejects.toThrow(
        `a program of schema ${SCHEMA_VERSION} must not trade beside one of schema ${SCHEMA_VERSION + 1} or later`,
      )
      expect(await store.acceptances.findActive(next.requestId)).toBeNull()
      expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject(SIGNED)
    })

    it('takes the acceptances of 0.2.0, except those of makers that are suspended or have protections', async () => {
      await makeFormerDatabase(place)
      const store = await open()
      /** What a node of 0.2.0 sends: it says nothing of its schema. */
      async function insertAsFormer(makerId: string) {
        const request = aRequest(clock.now())
        await store.requests.insert(request)
        const values = ['acceptance', request.requestId, 'quote', makerId, `wallet-of-${makerId}`, 9, 9, {}, 1, null]
        const text = 'select insert_acceptance($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as result'
        return ofOther(text, values)
      }
      const outcome = { kind: 'declined', requestId: 'request', quoteId: 'quote' } as const
      await store.makerRecords.note('suspended', outcome, BREAKER)
      await store.protections.put('protected', NO_PROTECTIONS)
      for (const makerId of ['suspended', 'protected']) {
        const refusal = `a program of schema 7 does not know what protects or suspends maker ${makerId}`
        await expect(insertAsFormer(makerId)).rejects.toThrow(refusal)
      }
      expect(await insertAsFormer('plain')).toEqual([{ result: 'inserted' }])
    })

    it('counts what a node of 0.3.0 accepts at the same time: no window is exceeded (fault I14, invariant V11)', async () => {
      await makeFormerDatabase(place)
      const store = await open()
      const windows = [{ ms: 60_000, maxAccepted: 9, maxContracts: null, maxNotional: null, maxCollateral: null }]
      await store.protections.put('ada', { ...NO_PROTECTIONS, windows })
      async function offered(): Promise<Acceptance> {
        const request = aRequest(clock.now())
        await store.requests.insert(request)
        const quote = aQuote(request, { makerId: 'ada', maker: freshWallet() })
        return anAcceptance(request, { now: clock.now(), quote, proven: true })
      }
      /** What a node of 0.3.0 sends. */
      async function insertAsFormer(acceptance: Acceptance): Promise<boolean> {
        const { acceptanceId, requestId, quoteId, makerId, order, deadline } = acceptance
        const ids = [acceptanceId, requestId, quoteId, makerId, order.maker.toLowerCase(), order.validUntil, deadline]
        const values = [...ids, encode(acceptance), order.nonce, null, encodeCounted(acceptance), null]
        const text = 'select insert_unless_suspended($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as result'
        const options = encodeURIComponent(`-c search_path=${place.schema} -c rfqctl.schema=22`)
        const [row] = await runSql<{ result: string }>(text, values, `${place.url}?options=${options}`)
        return row?.result === 'inserted'
      }
      const many = await Promise.all(Array.from({ length: 24 }, offered))
      const taken = await Promise.all(
        many.map(async (one, i) => (i % 2 === 0 ? insertAsFormer(one) : (await admit(store, one)) === true)),
      )
      expect(taken.filter(Boolean)).toHaveLength(9)
      expect((await store.protections.find('ada'))?.trip).toMatchObject({ used: { accepted: 9 } })
      // Also one that comes between a decision and its write.
      await store.protections.reset('ada')
      const [next, former] = [await offered(), await offered()]
      const { protections, usedVersion } = await store.acceptances.factsOf(next)
      const restsOn = { ...UNGUARDED, protections: protections?.version ?? 0, used: usedVersion }
      expect(await insertAsFormer(former)).toBe(true)
      expect(await store.acceptances.insert(next, restsOn)).toBe('changed')
    })

    it('gives no nonce to two requests of nodes of 0.3.0 and of this version (fault I14, invariant V15)', async () => {
      await makeFormerDatabase(place)
      const store = await open()
      const wallet = freshWallet()
      const allotAsFormer = async (requestId: string) => {
        const text = 'select allot_nonce($1, $2)::float8 as nonce'
        return (await ofOther<{ nonce: number }>(text, [requestId, wallet.toLowerCase()]))[0]?.nonce
      }
      const requests = Array.from({ length: 20 }, (_, i) => `request-${i}`)
      const given = await Promise.all(
        requests.map((id, i) => (i % 2 === 0 ? allotAsFormer(id) : store.allotNonce(id, wallet))),
      )
      expect(new Set(given).size).toBe(requests.length)
      for (const [i, id] of requests.entries()) {
        expect(await store.allotNonce(id, wallet)).toBe(given[i])
        expect(await allotAsFormer(id)).toBe(given[i])
      }
    })

    it('lets no one choose a makerId whom a former version has made, or made a key for', async () => {
      await makeFormerDatabase(place)
      const store = await open()
      await sql("insert into @users (idp_did, user_id, maker_id, created_at) values ('did:1', 'user-1', 'maker-1', 1)")
      expect(await store.users.settleMakerId({ idpDid: 'did:1', chosen: 'ada' })).toBe('settled')
      const bob = { userId: 'user-2', idpDid: 'did:2', makerId: 'maker-2', createdAt: 1 }
      const eve = { userId: 'user-3', idpDid: 'did:3', makerId: 'maker-3', createdAt: 1 }
      for (const user of [bob, eve]) await store.users.findOrCreate(user)
      const insertAsFormer = ({ userId, makerId }: { userId: string; makerId: string }) => {
        const ids = { keyId: `key-of-${userId}`, digest: `digest-of-${userId}`, userId, makerId }
        return ofOther('select insert_api_key($1, 20)', [{ ...ids, name: '', prefix: '', createdAt: 1 }])
      }
      await insertAsFormer(bob)
      await store.apiKeys.revoke({ keyId: 'key-of-user-2', userId: 'user-2' })
      expect(await store.users.settleMakerId({ idpDid: 'did:2', chosen: 'bob' })).toBe('settled')
      // It read the user before another node had the makerId settled.
      await store.users.settleMakerId({ idpDid: 'did:3', chosen: 'eve' })
      await insertAsFormer(eve)
      expect(await store.apiKeys.findByDigest('digest-of-user-3')).toMatchObject({ makerId: 'eve' })
    })

    it('gives no nonce again that an acceptance carries, also when a crash undid the allotment', async () => {
      const store = await open()
      const request = aRequest(clock.now())
      const acceptance = anAcceptance(request, { now: clock.now() })
      const wallet = acceptance.order.maker
      await store.requests.insert(request)
      const nonce = await store.allotNonce(request.requestId, wallet)
      // Allotting is flushed with the acceptance only.
      for (const table of ['allotments', 'nonces']) await runSql(`delete from ${place.schema}.${table}`)
      await store.acceptances.insert({ ...acceptance, order: { ...acceptance.order, nonce } })
      expect(await store.allotNonce('request-2', wallet)).toBe(nonce + 1)
      expect(await store.allotNonce(request.requestId, wallet)).toBe(nonce)
    })

    it('takes up no base of nonces again that was over when a nonce was waited for (decision C7)', async () => {
      const store = await open()
      const wallet = freshWallet()
      const nonce = await store.allotNonce('request-1', wallet)
      const other = new Client({ connectionString: place.url, options: `-c search_path=${place.schema}` })
      closers.push(() => other.end())
      await other.connect()
      await other.query('begin')
      // As a node does that another base was drawn for: it has had nonces of it.
      await other.query('update nonces set base = base + 1048576, next = next + 1048576')
      const allotting = store.allotNonce('request-2', wallet)
      const isWaiting = async () => (await runSql('select from pg_locks where not granted')).length > 0
      await expect.poll(isWaiting).toBe(true)
      await other.query('commit')
      expect(await allotting).toBe(nonce + 1 + 1_048_576)
    })

    it('continues from another base of nonces with each start, on every node (decision C7)', async () => {
      const first = await open()
      const wallet = freshWallet()
      const nonce = await first.allotNonce('request-1', wallet)
      const second = await open()
      const next = await second.allotNonce('request-2', wallet)
      expect(next).not.toBe(nonce + 1)
      expect(await first.allotNonce('request-3', wallet)).toBe(next + 1)
      expect(await first.allotNonce('request-1', wallet)).toBe(nonce)
      for (const each of [nonce, next]) expect(Math.abs(each / 2 ** 20 - clock.now() / 1_000)).toBeLessThan(3_600)
    })

    it('continues from another base of nonces after an acceptance with a nonce of the former one', async () => {
      const first = await open()
      const request = aRequest(clock.now())
      await first.requests.insert(request)
      const acceptance = anAcceptance(request, { now: clock.now() })
      const nonce = await first.allotNonce(request.requestId, acceptance.order.maker)
      await open()
      // Bases of one second may stand in either order.
      await sql('update @store_meta set nonce_base = nonce_base + 1048576')
      await first.acceptances.insert({ ...acceptance, order: { ...acceptance.order, nonce } })
      const next = await first.allotNonce('request-2', acceptance.order.maker)
      expect(await sql('select base, next from @nonces')).toEqual([{ base: `${next}`, next: `${next + 1}` }])
      expect(next).not.toBe(nonce + 1)
    })
  })

  describe('and its time', () => {
    type Observed = { before: number; now: number; after: number; ahead: number; since: number }

    /** What the time is, between two looks at the clock of the machine. */
    async function observe(expected: number | null): Promise<Observed> {
      const database = createDatabase({ url: place.url, schema: place.schema, log: createFakeLog() })
      const { ahead, since } = await observeClock(database, expected).finally(database.close)
      const [seen] = await ofOther<Omit<Observed, 'ahead' | 'since'>>(
        `select ${MACHINE_MS} as before, now_ms()::float8 as now, ${MACHINE_MS} as after`,
      )
      return { ...(seen as Observed), ahead, since }
    }

    const machineMs = async () => (await runSql<{ raw: number }>(`select ${MACHINE_MS} as raw`))[0]?.raw ?? 0

    function expectAhead({ before, now, after, ahead, since }: Observed): void {
      const timeAt = (raw: number) => Math.floor(raw + Math.max(0, ahead - (raw - since) / 2))
      expect(now).toBeGreaterThanOrEqual(timeAt(before))
      expect(now).toBeLessThanOrEqual(timeAt(after))
    }

    it('is that of its machine, as long as no node knows better', async () => {
      await open()
      for (const ahead of [null, 0, -3_600_000, 900]) {
        const seen = await observe(ahead === null ? null : (await machineMs()) + ahead)
        expect(seen).toMatchObject({ ahead: 0, since: 0 })
        expectAhead(seen)
      }
    })

    it('advances at half speed where its machine is behind, logged once by whichever node finds it first (fault I15)', async () => {
      await open()
      const told = await observe((await machineMs()) + 3_600_000)
      expect(Math.round(told.ahead / 60_000)).toBe(60)
      expectAhead(told)
      // Another node finds the same, a little earlier or later.
      for (const expected of [told.now, told.now + 900, null]) {
        const { ahead, since } = await observe(expected)
        expect({ ahead, since }).toEqual({ ahead: told.ahead, since: told.since })
      }
      // Set back once more.
      const more = await observe((await machineMs()) + 7_200_000)
      expect(more.since).toBeGreaterThan(told.since)
      expectAhead(more)
    })
  })

  describe('in an outage', () => {
    it('refuses to open when no server answers', async () => {
      const { proxy } = await openBehindProxy()
      proxy.cut()
      const url = `postgres://rfqctl@127.0.0.1:${proxy.port}/postgres`
      await expect(open({ url })).rejects.toMatchObject(UNAVAILABLE)
      await expect(open({ url, isShared: false })).rejects.toMatchObject(UNAVAILABLE)
    })

    it('refuses every call, and works again by itself', async () => {
      const { store, proxy } = await openBehindProxy()
      const { acceptanceId, quoteId } = await accept(store)
      proxy.cut()
      await expect(store.requests.insert(aRequest(clock.now()))).rejects.toMatchObject(UNAVAILABLE)
      await expect(store.acceptances.findByQuote(quoteId)).rejects.toMatchObject(UNAVAILABLE)
      await expect(store.acceptances.confirm(acceptanceId, SIGNED)).rejects.toMatchObject(UNAVAILABLE)
      await expect(store.apiKeys.findByDigest('d1')).rejects.toMatchObject(UNAVAILABLE)
      await expect(store.ping()).rejects.toMatchObject(UNAVAILABLE)
      proxy.pass()
      expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject(SIGNED)
    })

    it('outlives connections that the server ends', async () => {
      const store = await open()
      await Promise.all(Array.from({ length: 5 }, () => store.requests.listOpen()))
      await runSql(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'rfqctl ${process.pid}'`)
      const call = () => store.requests.listOpen().catch((error) => error.code)
      const answers = await Promise.all(Array.from({ length: 10 }, call))
      for (const answer of answers) expect([[], 'store_unavailable']).toContainEqual(answer)
      expect(await store.requests.listOpen()).toEqual([])
    })

    it('gives protections a version that no store restored from before has given: the time', async () => {
      const { store } = await openBehindProxy()
      const { put, reset } = store.protections
      let { version } = await put('ada', NO_PROTECTIONS)
      for (const change of [() => put('ada', NO_PROTECTIONS), () => reset('ada')]) {
        const time = async () => Number((await sql<{ now: string }>('select @now_ms() as now'))[0]?.now)
        await expect.poll(time, { interval: 1 }).toBeGreaterThan(version + 2)
        const now = await time()
        version = (await change())?.version ?? 0
        expect(version).toBeGreaterThanOrEqual(now)
      }
    })

    it('refuses a change of several statements whose connection breaks between them, and makes none of it', async () => {
      const { store, proxy } = await openBehindProxy()
      const { version } = await store.protections.put('ada', NO_PROTECTIONS)
      const letGo = await holdLock(`select from ${place.schema}.maker_protections where maker_id = 'ada' for update`)
      closers.push(letGo)
      const resetting = expect(store.protections.reset('ada')).rejects.toMatchObject(UNAVAILABLE)
      const isWaiting = async () => (await runSql('select from pg_locks where not granted')).length > 0
      await expect.poll(isWaiting).toBe(true)
      proxy.cut()
      await resetting
      proxy.pass()
      await letGo()
      expect((await store.protections.find('ada'))?.version).toBe(version)
      expect((await store.protections.reset('ada'))?.version).toBeGreaterThan(version)
    })

    it('answers a confirm whose own answer was lost with the execution that it made', async () => {
      const { store, proxy } = await openBehindProxy()
      const { acceptanceId, requestId } = await accept(store)
      proxy.loseAnswerTo(SIGNED.executionId)
      const execution = await store.acceptances.confirm(acceptanceId, SIGNED)
      expect(execution).toMatchObject(SIGNED)
      expect(await store.executions.findByRequest(requestId)).toEqual(execution)
    })

    it('refuses a confirm that did not arrive, and takes it when it is sent again', async () => {
      const { store, proxy } = await openBehindProxy()
      const { acceptanceId, requestId } = await accept(store)
      proxy.loseRequest(SIGNED.executionId)
      await expect(store.acceptances.confirm(acceptanceId, SIGNED)).rejects.toMatchObject(UNAVAILABLE)
      expect(await store.executions.findByRequest(requestId)).toBeNull()
      expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject(SIGNED)
    })

    it('does not give the execution of another for a confirm that was lost', async () => {
      const { store, proxy } = await openBehindProxy()
      const { acceptanceId } = await accept(store)
      await store.acceptances.confirm(acceptanceId, SIGNED)
      proxy.loseRequest('execution-2')
      const late = store.acceptances.confirm(acceptanceId, { ...SIGNED, executionId: 'execution-2' })
      await expect(late).rejects.toMatchObject(UNAVAILABLE)
    })

    it('knows an acceptance whose answer was lost', async () => {
      const { store, proxy } = await openBehindProxy()
      const request = aRequest(clock.now())
      await store.requests.insert(request)
      const acceptance = anAcceptance(request, { now: clock.now() })
      proxy.loseAnswerTo(acceptance.acceptanceId)
      expect(await store.acceptances.insert(acceptance)).toBe(true)
      expect(await store.acceptances.findActive(request.requestId)).toEqual(acceptance)
    })

    it('refuses what waits for a lock too long, for however many, and leaves nothing half done', async () => {
      const store = await open()
      const { acceptanceId, requestId } = await accept(store)
      const letGo = await holdLock(`select from ${place.schema}.acceptances where acceptance_id = $1 for update`, [
        acceptanceId,
      ])
      closers.push(letGo)
      const confirm = (_: unknown, i: number) =>
        store.acceptances.confirm(acceptanceId, { ...SIGNED, executionId: `blocked-${i}` }).catch((error) => error)
      const answers = await Promise.all(Array.from({ length: 15 }, confirm))
      // All of them came while the lock was held.
      for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE)
      await letGo()
      expect(await store.acceptances.confirm(acceptanceId, SIGNED)).toMatchObject(SIGNED)
      expect((await store.requests.find(requestId))?.status).toBe('committed')
    })

    it('keeps the audit log until the database is back', async () => {
      const { store, proxy } = await openBehindProxy()
      const request = aRequest(clock.now())
      const entries = auditOf(request, clock.now())
      proxy.cut()
      for (const entry of entries) store.audit.record(entry)
      await expect(store.audit.find(request.requestId)).rejects.toMatchObject(UNAVAILABLE)
      proxy.pass()
      expect(await store.audit.find(request.requestId)).toEqual(entries)
    })
  })

  describe('for one relay alone', () => {
    it('refuses a second one, and names the first', async () => {
      await open({ isShared: false })
      await expect(open({ isShared: false })).rejects.toMatchObject({
        name: 'StoreOpenError',
        reason: 'in_use',
        message: expect.stringMatching(`^The database is in use by rfqctl ${process.pid} since 20\\d\\d-`),
      })
    })

    it('is free again when the first is closed or could not be opened', async () => {
      const first = await open({ isShared: false })
      await first.close()
      const second = await open({ isShared: false })
      expect(second.epoch).toBeGreaterThan(first.epoch)
      await second.close()
      closers = [place.drop]
    })

    it('serves no one while it lost its lease, and continues when it has it again', async () => {
      const fakeClock = createFakeClock(clock.now())
      const log = createFakeLog()
      const { store, proxy } = await openBehindProxy({ isShared: false, clock: fakeClock, log })
      proxy.cut()
      await expect.poll(() => log.lines.map(({ event }) => event)).toContain('store_lease_lost')
      proxy.pass()
      await expect(store.requests.listOpen()).rejects.toMatchObject(UNAVAILABLE)
      await fakeClock.advance(1_000)
      await expect.poll(() => log.lines.map(({ event }) => event)).toContain('store_lease_held')
      expect(await store.requests.listOpen()).toEqual([])
    })

    it('stays out when another relay took over meanwhile, until that one is gone', async () => {
      const fakeClock = createFakeClock(clock.now())
      const log = createFakeLog()
      const { store, proxy } = await openBehindProxy({ isShared: false, clock: fakeClock, log })
      proxy.cut()
      await expect.poll(() => log.lines.map(({ event }) => event)).toContain('store_lease_lost')
      const other = await open({ isShared: false })
      proxy.pass()
      await fakeClock.advance(1_000)
      await expect.poll(() => fakeClock.pending()).toBeGreaterThan(1)
      await expect(store.requests.listOpen()).rejects.toMatchObject(UNAVAILABLE)
      await other.close()
      closers.pop()
      await fakeClock.advance(1_000)
      await expect.poll(() => log.lines.map(({ event }) => event)).toContain('store_lease_held')
    })
  })

  describe('keeps what may be asked for', () => {
    const QUARTER = 15 * 60_000
    const DAY = 24 * 3_600_000

    it('and forgets a request that closed without a trade after 15 minutes', async () => {
      const store = await open()
      const { requestId } = aRequest(clock.now())
      await store.requests.insert(aRequest(clock.now(), { requestId }))
      await store.requests.close(requestId, 'cancelled')
      await sql(`update @requests set closed_at = closed_at - ${QUARTER - 5_000}`)
      expect(await store.requests.find(requestId)).toMatchObject({ status: 'cancelled' })
      await sql('update @requests set closed_at = closed_at - 5000')
      expect(await store.requests.find(requestId)).toBeNull()
    })

    it('and deletes only what is over', async () => {
      const store = await open()
      const confirmed = await accept(store)
      await store.acceptances.confirm(confirmed.acceptanceId, SIGNED)
      const declined = await accept(store)
      await store.allotNonce(declined.requestId, freshWallet())
      await store.acceptances.end(declined.acceptanceId, 'declined')
      await store.requests.close(declined.requestId, 'expired')
      const waiting = await accept(store)
      store.history.reject('r', [{ makerId: 'm', requestId: 'r', quoteId: 'q', reason: 'request_expired' }])
      for (const entry of auditOf(aRequest(clock.now()), clock.now())) store.audit.record(entry)
      await store.history.list({ makerId: 'm', after: null, since: null, status: null, limit: 1 })
      await store.audit.find('r')
      const counts = () =>
        sql(`select (select count(*) from @requests)::int as requests, (select count(*) from @acceptances)::int as acceptances,
          (select count(*) from @rejections)::int as rejections, (select count(*) from @audit)::int as audit,
          (select count(*) from @allotments)::int as allotments`)
      const database = createDatabase({ url: place.url, schema: place.schema, log: createFakeLog() })
      closers.push(database.close)
      await tidy(database)
      expect(await counts()).toEqual([{ requests: 3, acceptances: 3, rejections: 1, audit: 8, allotments: 0 }])
      await sql(`update @requests set closed_at = closed_at - ${DAY}`)
      await sql(`update @acceptances set ended_at = ended_at - ${DAY}`)
      await sql(`update @rejections set at = at - ${DAY}`)
      await sql(`update @audit set at = at - ${7 * DAY}`)
      await tidy(database)
      expect(await counts()).toEqual([{ requests: 2, acceptances: 2, rejections: 0, audit: 0, allotments: 0 }])
      expect(await store.executions.findByRequest(confirmed.requestId)).toMatchObject(SIGNED)
      expect(await store.acceptances.pending()).toEqual([waiting])
    })

    it('and lets what strangers wrote make room, and the audit log of a trade stay', async () => {
      const store = await open()
      const trade = await accept(store)
      await store.acceptances.confirm(trade.acceptanceId, SIGNED)
      const closed = (requestId: string) =>
        ({ at: clock.now(), requestId, kind: 'closed', status: 'cancelled' }) as const
      store.audit.record(closed(trade.requestId))
      for (let i = 0; i < 30; i += 1) store.audit.record(closed(`flood ${i}`))
      expect(await store.audit.find(trade.requestId)).toHaveLength(1)
      const database = createDatabase({ url: place.url, schema: place.schema, log: createFakeLog() })
      closers.push(database.close)
      await tidy(database, 10)
      expect(await sql('select count(*)::int as entries from @audit')).toEqual([{ entries: 11 }])
      expect(await store.audit.find(trade.requestId)).toHaveLength(1)
      expect(await store.audit.find('flood 29')).toHaveLength(1)
    })

    it('and takes an entry that the database refuses out of its batch, and no other', async () => {
      const store = await open()
      const ids = Array.from({ length: 5 }, () => crypto.randomUUID())
      for (const [i, requestId] of ids.entries()) {
        const detail = i === 2 ? 'a\0b\ud800c' : 'plain'
        store.audit.record({ at: clock.now(), requestId, kind: 'quote_refused', makerId: 'm', code: 'c', detail })
      }
      store.audit.record({ at: clock.now(), requestId: ids[0] as string, kind: 'missed', makerId: 'm\0', quoteId: 'q' })
      expect(await store.audit.find(ids[2] as string)).toMatchObject([{ detail: 'a\ufffdb\ufffdc' }])
      expect((await Promise.all(ids.map(store.audit.find))).map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1])
      expect(store.lostWrites()).toBe(1)
    })

    it('and tidies every ten minutes, until it is closed', async () => {
      const fakeClock = createFakeClock()
      const store = await open({ clock: fakeClock })
      store.history.reject('r', [{ makerId: 'm', requestId: 'r', quoteId: 'q', reason: 'request_expired' }])
      await store.history.list({ makerId: 'm', after: null, since: null, status: null, limit: 1 })
      await fakeClock.advance(10 * 60_000)
      await expect.poll(() => sql('select * from @rejections')).toEqual([])
      await store.close()
      closers.pop()
      await settle()
      expect(fakeClock.pending()).toBe(0)
    })
  })
})
