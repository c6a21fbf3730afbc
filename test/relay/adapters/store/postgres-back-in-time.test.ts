import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../../src/protocol/domain/units.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createPostgresStore, type PostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { anAcceptance, aRequest, freshWallet, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeLog, type FakeLog } from '../../../support/fake-log.ts'
import { createOwnPostgres, type OwnPostgres, POSTGRES_BIN } from '../../../support/own-postgres.ts'
import { POSTGRES_URL, runSql } from '../../../support/postgres.ts'
import { createTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'

const clock = createSystemClock()
const isThere = POSTGRES_URL !== undefined && POSTGRES_BIN !== null
const hint = isThere ? '' : ' (skipped: needs the programs of Postgres, and RFQCTL_TEST_POSTGRES_URL)'

const SCHEMA = 'rfqctl'
const LOST = 5

/** As docs/guides/operator/stores.md has it; the URL follows. */
const RESTORE = ['--clean', '--if-exists', '--no-owner', '--single-transaction', 'store.dump', '--dbname'] as const

describe.skipIf(!isThere)(`a Postgres store that goes back in time${hint}`, () => {
  let server: OwnPostgres
  let wire: TcpProxy
  let wallet: Address
  let log: FakeLog
  let closers: (() => Promise<unknown>)[]
  /** The nonces that were given to requests, and the ids that were told, whatever the store knows of them. */
  let nonces: number[]
  let epochs: number[]

  beforeEach(async () => {
    server = await createOwnPostgres()
    closers = [server.remove]
    wire = await createTcpProxy({ host: '127.0.0.1', port: portOf(server) })
    closers.push(wire.close)
    wallet = freshWallet()
    log = createFakeLog()
    nonces = []
    epochs = []
  })
  afterEach(async () => {
    for (const close of closers.reverse()) await close()
  })

  async function open(role = 'rfqctl'): Promise<PostgresStore> {
    const url = new URL(server.url)
    url.username = role
    url.port = String(wire.port)
    const store = await createPostgresStore({ url: url.href, schema: SCHEMA, clock, log, isShared: true })
    let isOpen = true
    const close = async () => {
      if (isOpen) await store.close()
      isOpen = false
    }
    closers.push(close)
    epochs.push(store.epoch)
    return { ...store, close }
  }

  /** So many requests of the wallet are asked for a signature and confirmed. */
  async function trade(store: Store, count: number): Promise<string[]> {
    const requestIds: string[] = []
    for (let i = 0; i < count; i += 1) {
      const request = aRequest(clock.now())
      await store.requests.insert(request)
      const nonce = await store.allotNonce(request.requestId, wallet)
      nonces.push(nonce)
      const acceptance = anAcceptance(request, { now: clock.now(), nonce })
      const order = { ...acceptance.order, maker: wallet }
      expect(await store.acceptances.insert({ ...acceptance, order })).toBe(true)
      const executionId = acceptance.acceptanceId
      expect(await store.acceptances.confirm(acceptance.acceptanceId, { executionId, signature: SIGNATURE })).not.toBe(
        null,
      )
      requestIds.push(request.requestId)
    }
    return requestIds
  }

  const told = () => log.lines.filter(({ event }) => event === 'store_went_back')

  /** A node has looked how far the log is on disk, after what was done until now. */
  async function hasLooked(): Promise<void> {
    const [since] = await runSql<{ at: Date }>('select clock_timestamp() as at', [], server.url)
    const looks = `select from pg_stat_activity where query like '%pg_control_checkpoint%' and state = 'idle' and query_start > $1`
    await expect.poll(() => runSql(looks, [since?.at], server.url)).not.toHaveLength(0)
  }

  function expectNothingTwice(): void {
    expect(nonces.length - new Set(nonces).size).toBe(0)
    expect(epochs.length - new Set(epochs).size).toBe(0)
  }

  it('gives no nonce and no epoch twice, when a dump is restored before the nodes start again (invariant V15)', async () => {
    const first = await open()
    await trade(first, 2)
    server.run('pg_dump', '-Fc', '-n', SCHEMA, '-f', 'store.dump', '-d')
    await trade(first, LOST)
    await first.close()
    await (await open()).close()
    server.run('pg_restore', ...RESTORE)
    await trade(await open(), LOST)
    expectNothingTwice()
  })

  it('gives no nonce twice, when a dump is restored under nodes that run', async () => {
    const [here, there] = [await open(), await open()]
    await trade(here, 2)
    server.run('pg_dump', '-Fc', '-n', SCHEMA, '-f', 'store.dump', '-d')
    await trade(here, LOST)
    epochs.push(await here.raiseEpoch())
    server.run('pg_restore', ...RESTORE)
    await Promise.all([trade(here, LOST), trade(there, LOST)])
    epochs.push(await here.raiseEpoch())
    expectNothingTwice()
  })

  it('gives no nonce twice, when a standby that lags is promoted, with no node started again', async () => {
    const [here, there] = [await open(), await open()]
    await trade(here, 2)
    const standby = await server.createStandby()
    closers.push(standby.remove)
    await trade(here, LOST)
    epochs.push(await here.raiseEpoch())
    await server.kill()
    await standby.promote()
    wire.pointTo({ host: '127.0.0.1', port: portOf(standby) })
    await Promise.all([trade(here, LOST), trade(there, LOST)])
    epochs.push(await there.raiseEpoch())
    expectNothingTwice()
  })

  it('gives no nonce twice, when the disk is put back to what it was', async () => {
    const store = await open()
    await trade(store, 2)
    await server.kill()
    const putBack = server.copyData()
    await server.start()
    await trade(store, LOST)
    await hasLooked()
    await server.kill()
    putBack()
    await server.start()
    await trade(store, LOST)
    expectNothingTwice()
    // Less is on the disk than the node has seen there.
    await expect.poll(store.wentBack).toBe(1)
  })

  it('gives no nonce twice, when a copy of the database takes its place', async () => {
    const store = await open()
    await trade(store, 2)
    await store.close()
    const admin = server.url.replace('/postgres', '/template1')
    await runSql('create database copied template postgres', [], admin)
    await trade(await open(), LOST)
    for (const close of closers.splice(3)) await close()
    await runSql('drop database postgres', [], admin)
    await runSql('alter database copied rename to postgres', [], admin)
    const again = await open()
    await trade(again, LOST)
    expectNothingTwice()
  })

  it('logs so, and a lost trade no longer comes from memory', async () => {
    const store = await open()
    await trade(store, 1)
    const standby = await server.createStandby()
    closers.push(standby.remove)
    const [lost = ''] = await trade(store, 1)
    expect(await store.executions.findByRequest(lost)).not.toBe(null)
    const heard: number[] = []
    let release = () => {}
    store.onWentBack((lowestEpoch) => {
      heard.push(lowestEpoch)
      return new Promise((resolve) => {
        release = resolve
      })
    })
    await server.kill()
    await standby.promote()
    wire.pointTo({ host: '127.0.0.1', port: portOf(standby) })
    await expect.poll(() => heard.length).toBe(1)
    expect(await store.executions.findByRequest(lost)).toBe(null)
    expect(told()).toMatchObject([{ level: 'error', fields: { hint: expect.stringContaining('stores.md') } }])
    expect(store.wentBack()).toBe(1)
    // Until what depends on it is renewed.
    await expect(store.ping()).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('back in time'),
    })
    expect(heard[0]).toBeGreaterThan(store.epoch)
    expect(await store.raiseEpoch()).toBeGreaterThan(heard[0] as number)
    release()
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready')
  })

  it('logs so when a node starts on a restored dump', async () => {
    const former = await open()
    await former.close()
    server.run('pg_dump', '-Fc', '-n', SCHEMA, '-f', 'store.dump', '-d')
    server.run('pg_restore', ...RESTORE)
    const store = await open()
    expect(store.wentBack()).toBe(1)
    expect(store.lowestEpoch).toBeGreaterThan(former.epoch)
  })

  it('does not log so when the server starts again, or its tables are packed', async () => {
    const store = await open()
    for (let crash = 0; crash < 3; crash += 1) {
      await trade(store, 5)
      await hasLooked()
      await server.kill()
      await server.start()
      await hasLooked()
    }
    await runSql(`vacuum full ${SCHEMA}.store_meta`, [], server.url)
    await trade(store, 1)
    await store.close()
    expect((await open()).wentBack()).toBe(0)
    expect(told()).toEqual([])
  })

  it('is noticed on a server that tells nothing of its log, too', async () => {
    for (const statement of [
      'create role plain login',
      'grant create on database postgres to plain',
      'revoke execute on function pg_current_wal_lsn(), pg_current_wal_flush_lsn(), pg_walfile_name(pg_lsn) from public',
    ])
      await runSql(statement, [], server.url)
    const former = await open('plain')
    await trade(former, 2)
    server.run('pg_dump', '-Fc', '-n', SCHEMA, '-f', 'store.dump', '-d')
    await trade(former, LOST)
    server.run('pg_restore', ...RESTORE.filter((flag) => flag !== '--no-owner'))
    await trade(former, LOST)
    await expect.poll(former.wentBack).toBe(1)
    expectNothingTwice()
  })
})

const portOf = ({ url }: OwnPostgres): number => Number(new URL(url).port)
