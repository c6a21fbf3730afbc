import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usd6 } from '../../../../../src/protocol/domain/units.ts'
import { createSystemClock } from '../../../../../src/relay/adapters/clock.ts'
import { checkStore } from '../../../../../src/relay/adapters/store/admin/check.ts'
import { moveStore } from '../../../../../src/relay/adapters/store/admin/move.ts'
import { disk } from '../../../../../src/relay/adapters/store/file/disk.ts'
import { createFileStore } from '../../../../../src/relay/adapters/store/file.ts'
import { createPostgresStore } from '../../../../../src/relay/adapters/store/postgres.ts'
import type { Store } from '../../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../../kit/folder.ts'
import {
  anAcceptance,
  aQuote,
  aRequest,
  aResolution,
  auditOf,
  freshSeriesId,
  freshWallet,
  SIGNATURE,
} from '../../../../ports/store.fixtures.ts'
import { createFakeLog } from '../../../../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL, runSql, temporarySchema } from '../../../../support/postgres.ts'
import { createTcpProxy, type TcpProxy } from '../../../../support/tcp-proxy.ts'

const clock = createSystemClock()
const parts = { clock, log: createFakeLog() }

describe.skipIf(POSTGRES_URL === undefined)(`a file store that moves to Postgres${POSTGRES_HINT}`, () => {
  let folder: string
  let place: ReturnType<typeof temporarySchema>

  beforeEach(async () => {
    folder = newFolder()
    place = temporarySchema()
  })
  afterEach(async () => {
    await place.drop()
    removeFolder(folder)
  })

  const move = () => moveStore({ disk, dir: folder, url: place.url, schema: place.schema })

  /** A store with something of everything, and the questions that both must answer alike. */
  async function fill(store: Store) {
    const now = clock.now()
    const [open, pending, traded] = [aRequest(now), aRequest(now), aRequest(now)]
    const [cancelled, missed] = [aRequest(now), aRequest(now)]
    for (const request of [open, pending, traded, cancelled, missed]) await store.requests.insert(request)
    const wallet = freshWallet()
    const nonces = [await store.allotNonce(open.requestId, wallet), await store.allotNonce(pending.requestId, wallet)]
    const waiting = anAcceptance(pending, { now, deadline: now + 600_000 })
    const won = anAcceptance(traded, { now, nonce: 2 })
    const late = anAcceptance(missed, { now: now - 20_000, nonce: 3 })
    for (const acceptance of [waiting, won, late]) await store.acceptances.insert(acceptance)
    await store.acceptances.confirm(won.acceptanceId, { executionId: randomUUID(), signature: SIGNATURE })
    await store.orders.defund([{ ...won, defunding: { code: 'maker_insufficient_balance', blockNumber: 7 } }])
    await store.acceptances.end(late.acceptanceId, 'timed_out')
    await store.requests.close(cancelled.requestId, 'cancelled')
    const loser = aQuote(traded, { makerId: 'loser' })
    for (const { requestId } of [open, traded]) {
      store.quoters.record(requestId, { makerId: 'loser', quoteId: loser.quoteId, misses: 2 })
    }
    const feedback = { rank: 2, quoteCount: 2, winningPrice: usd6(100_001n) }
    store.history.reject(traded.requestId, [
      { makerId: 'loser', requestId: traded.requestId, quoteId: loser.quoteId, reason: 'another_quote_won', feedback },
    ])
    const [settled, escalated] = [freshSeriesId(), freshSeriesId()]
    await store.resolutions.pin(aResolution(settled, 59))
    await store.resolutions.escalate({ seriesId: escalated, reason: 'no price', windowStart: 1, windowEnd: 2, at: now })
    for (const t of [10, 20, 20]) await store.prices.record('77', { t, p: 0.1 + t / 7 })
    await store.faucetClaims.claim(wallet, { cooldownMs: 86_400_000, perHour: 1_000_000 })
    const user = { userId: 'user-1', idpDid: 'did:1', makerId: 'maker-of-1', createdAt: now }
    const keyless = { userId: 'user-2', idpDid: 'did:2', makerId: 'maker-of-2', createdAt: now }
    for (const each of [user, keyless]) await store.users.findOrCreate(each)
    await store.users.settleMakerId({ idpDid: user.idpDid, chosen: 'ada' })
    const key = {
      userId: 'user-1',
      makerId: 'maker-of-1',
      prefix: 'mk_live_ab',
      createdAt: now,
      lastUsedAt: null,
      revokedAt: null,
    }
    await store.apiKeys.insert({ ...key, keyId: 'key-1', name: 'one', digest: 'd1' }, 20)
    await store.apiKeys.insert({ ...key, keyId: 'key-2', name: 'two', digest: 'd2' }, 20)
    await store.apiKeys.revoke({ keyId: 'key-2', userId: 'user-1' })
    for (const entry of auditOf(traded, now)) store.audit.record(entry)
    const rule = {
      windowMs: 86_400_000,
      suspensionMs: 600_000,
      maxSuspensionMs: 600_000,
      minOutcomes: 2,
      below: 60,
      cleanPerStrike: 10,
      incidentMs: 0,
    }
    for (const quoteId of ['m1', 'm2']) {
      await store.makerRecords.note('unreliable', { kind: 'missed', requestId: missed.requestId, quoteId }, rule)
    }

    const history = { after: null, since: null, status: null, limit: 100 }
    const ask = async (asked: Store) => ({
      requests: await Promise.all(
        [open, pending, traded, cancelled, missed].map((r) => asked.requests.find(r.requestId)),
      ),
      open: [...(await asked.requests.listOpen())].sort((a, b) => (a.requestId < b.requestId ? -1 : 1)),
      quotes: await Promise.all([waiting, won, late].map((a) => asked.acceptances.findByQuote(a.quoteId))),
      active: await asked.acceptances.findActive(pending.requestId),
      pending: await asked.acceptances.pending(),
      outstanding: (await asked.acceptances.outstandingOf(won.order.maker, 0)).orders
        .map(({ acceptanceId }) => acceptanceId)
        .sort(),
      openOrders: await asked.orders.open({ after: '', wallets: 10, since: 0, limit: 10 }),
      execution: await asked.executions.findByRequest(traded.requestId),
      histories: await Promise.all(['maker-1', 'loser'].map((makerId) => asked.history.list({ ...history, makerId }))),
      quoters: await asked.quoters.list(),
      resolution: await asked.resolutions.find(settled),
      escalated: await asked.resolutions.listEscalated(),
      prices: await asked.prices.between('77', 0, 100),
      faucet: (await asked.faucetClaims.claim(wallet, { cooldownMs: 86_400_000, perHour: 1_000_000 })).kind,
      user: await asked.users.findOrCreate({ ...user, userId: 'other' }),
      keys: [await asked.apiKeys.findByDigest('d1'), await asked.apiKeys.findByDigest('d2')],
      record: await asked.makerRecords.find('unreliable'),
      suspended: await asked.makerRecords.suspended(),
      auditLog: await asked.audit.find(traded.requestId),
      nonces: [await asked.allotNonce(open.requestId, wallet), await asked.allotNonce(pending.requestId, wallet)],
    })
    return { ask, nonces, wallet, requestId: missed.requestId }
  }

  it('answers there as it did here, and continues where it was', async () => {
    const files = await createFileStore({ dir: folder, ...parts })
    const { ask, nonces, wallet, requestId } = await fill(files)
    const before = await ask(files)
    const { epoch } = files
    await files.close()

    const moved = await move()
    expect(moved).toMatchObject({
      kind: 'moved',
      rows: {
        requests: 5,
        acceptances: 3,
        executions: 1,
        rejections: 1,
        quoters: 1,
        price_points: 2,
        users: 2,
        api_keys: 1,
        maker_outcomes: 2,
        maker_suspensions: 1,
        audit: 8,
      },
    })
    const postgres = await createPostgresStore({ url: place.url, schema: place.schema, ...parts })
    try {
      expect(await ask(postgres)).toEqual(before)
      expect(postgres.epoch).toBeGreaterThan(epoch)
      expect(nonces).not.toContain(await postgres.allotNonce(requestId, wallet))
      expect(await postgres.takeover.unannounced(0)).toEqual([])
      expect(await postgres.users.settleMakerId({ idpDid: 'did:1', chosen: 'bob' })).toBe('settled')
      expect(await postgres.users.settleMakerId({ idpDid: 'did:2', chosen: 'ada' })).toBe('taken')
      expect(await postgres.users.settleMakerId({ idpDid: 'did:2', chosen: 'bob' })).toMatchObject({ makerId: 'bob' })
    } finally {
      await postgres.close()
    }
  })

  /** A store with one request. */
  async function fillOne() {
    const files = await createFileStore({ dir: folder, ...parts })
    await files.requests.insert(aRequest(clock.now()))
    await files.close()
  }
  const serveFiles = () => createFileStore({ dir: folder, ...parts })
  const rowsThere = () => runSql(`select count(*)::int as count from ${place.schema}.requests`)

  it('is refused by a database that is not empty, which stays as it is, and is served as before', async () => {
    await fillOne()
    await createPostgresStore({ url: place.url, schema: place.schema, ...parts }).then((store) => store.close())
    expect(await move()).toEqual({ kind: 'not_empty', table: 'store_meta' })
    expect(await rowsThere()).toEqual([{ count: 0 }])
    await (await serveFiles()).close()
  })

  it('is served no more, and says where it went, without the password', async () => {
    await fillOne()
    const secret = new URL(place.url)
    secret.password = 'the-password'
    const now = new Date('2026-01-02T03:04:05Z')
    await moveStore({ disk, dir: folder, url: secret.href, schema: place.schema, now })
    const to = `postgres://${secret.host}${secret.pathname}`
    await expect(serveFiles()).rejects.toMatchObject({
      reason: 'moved',
      message: `The store in ${folder} was moved to ${to} at 2026-01-02T03:04:05Z.`,
    })
    expect(await checkStore({ disk, dir: folder })).toMatchObject({ moved: { to }, tables: { requests: 1 } })
    expect(await readFile(join(folder, 'store.json'), 'utf8')).not.toContain('the-password')
  })

  it('stays where it is when it is moved to the same database again, and is refused to another', async () => {
    await fillOne()
    expect((await move()).kind).toBe('moved')
    expect((await move()).kind).toBe('moved_before')
    expect(await rowsThere()).toEqual([{ count: 1 }])
    const other = new URL(place.url)
    other.hostname = 'localhost'
    const schema = `${place.schema}_other`
    try {
      const elsewhere = await moveStore({ disk, dir: folder, url: other.href, schema })
      expect(elsewhere).toMatchObject({ kind: 'moved_elsewhere', to: expect.stringContaining('127.0.0.1') })
    } finally {
      await runSql(`drop schema ${schema} cascade`)
    }
  })

  describe('and whose move breaks off at its commit', () => {
    let proxy: TcpProxy
    const COMMIT = 'commit\0'
    /** `onMarked` happens once the file is marked as moved, right before the commit. */
    const throughProxy = (onMarked = () => {}) => {
      const url = new URL(place.url)
      url.port = String(proxy.port)
      const rename = (from: string, to: string) => disk.rename(from, to).then(onMarked)
      return moveStore({ disk: { ...disk, rename }, dir: folder, url: url.href, schema: place.schema })
    }

    beforeEach(async () => {
      const { hostname, port } = new URL(place.url)
      proxy = await createTcpProxy({ host: hostname, port: Number(port || 5_432) })
      await fillOne()
    })
    afterEach(() => proxy.close())

    it('which arrived, is served no more, and a second move finds all of it there', async () => {
      await expect(throughProxy(() => proxy.loseAnswerTo(COMMIT))).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(serveFiles()).rejects.toMatchObject({ reason: 'moved' })
      expect((await throughProxy()).kind).toBe('moved_before')
      expect(await rowsThere()).toEqual([{ count: 1 }])
    })

    it('which did not arrive, is served no more, and a second move moves it', async () => {
      await expect(throughProxy(() => proxy.loseRequest(COMMIT))).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(await rowsThere()).toEqual([{ count: 0 }])
      await expect(serveFiles()).rejects.toMatchObject({ reason: 'moved' })
      expect(await throughProxy()).toMatchObject({ kind: 'moved', rows: { requests: 1 } })
      expect(await rowsThere()).toEqual([{ count: 1 }])
    })

    it('which is never sent because the file cannot be marked, moves nothing, and the file is served', async () => {
      const full = { ...disk, write: () => Promise.reject(new Error('the disk is full')) }
      await expect(moveStore({ disk: full, dir: folder, url: place.url, schema: place.schema })).rejects.toThrow()
      expect(await rowsThere()).toEqual([{ count: 0 }])
      await (await serveFiles()).close()
    })
  })

  it('moves nothing when the database makes something else of a row', async () => {
    const files = await createFileStore({ dir: folder, ...parts })
    await files.requests.insert(aRequest(clock.now()))
    await files.close()
    await createPostgresStore({ url: place.url, schema: place.schema, ...parts }).then((store) => store.close())
    const { schema } = place
    await runSql(`delete from ${schema}.store_meta`)
    await runSql(`create function ${schema}.spoil() returns trigger language plpgsql as
      $$ begin new.body = new.body || '{"seriesId": "2"}'; return new; end $$`)
    await runSql(
      `create trigger spoil before insert on ${schema}.requests for each row execute function ${schema}.spoil()`,
    )
    await expect(move()).rejects.toThrow(/^requests has a different \w+ in row 1 of a batch/)
    expect(await runSql(`select 1 from ${schema}.store_meta`)).toEqual([])
  })

  it('is impossible without a store', async () => {
    expect(await move()).toEqual({ kind: 'no_store' })
  })
})
