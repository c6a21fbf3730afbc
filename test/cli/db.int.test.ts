import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAccountClient } from '../../src/client/index.ts'
import { createSystemClock } from '../../src/relay/adapters/clock.ts'
import { disk } from '../../src/relay/adapters/store/file/disk.ts'
import { type Contents, createDocument, VERSION } from '../../src/relay/adapters/store/file/document.ts'
import { createPostgresStore } from '../../src/relay/adapters/store/postgres.ts'
import { createDatabase } from '../kit/database.ts'
import { freshWallet } from '../ports/store.fixtures.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL } from '../support/postgres.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

/** A directory with a store in which one key was made. */
async function filled() {
  const dir = temporaryDir()
  const rfqctl = (...argv: string[]) => run(argv, { cwd: dir })
  const json = async (...argv: string[]) => JSON.parse((await rfqctl(...argv, '--json')).stdout)
  const serving = await serveFrom(dir)
  await rfqctl('login', '--dev', 'ada')
  await rfqctl('keys', 'create', '--name', 'first')
  return { dir, store: join(dir, '.rfqctl', 'store.json'), rfqctl, json, ...serving }
}

/** The names of the keys of a store, as a relay on it tells them. */
async function keyNames(dir: string) {
  const { stop, url } = await serveFrom(dir)
  await run(['login', '--dev', 'ada'], { cwd: dir })
  const { accessToken } = JSON.parse(readFileSync(join(dir, '.rfqctl', 'login.json'), 'utf8'))
  const keys = await createAccountClient({ url, accessToken }).listApiKeys()
  await stop()
  return keys.map(({ name }) => name)
}

describe('rfqctl db', () => {
  test('checks a store, with a relay on it and without', async () => {
    const { rfqctl, json, stop } = await filled()
    const checked = { type: 'db_check', tables: expect.objectContaining({ users: 1, apiKeys: 1 }) }
    expect(await json('db', 'check')).toMatchObject(checked)
    await stop()
    expect(await json('db', 'check')).toMatchObject(checked)
    expect((await rfqctl('db', 'check')).stdout).toMatch(
      /^the store in \S+ is intact\n {2}tables +1 user, 1 key, \d+ bytes\n/,
    )
  })

  test('backs up beside a running relay, and restores once that has ended', async () => {
    const { dir, rfqctl, json, stop } = await filled()
    expect((await rfqctl('db', 'backup', 'copy')).code).toBe(0)
    await rfqctl('keys', 'create', '--name', 'second')
    const early = await rfqctl('db', 'restore', 'copy')
    expect(early.code).toBe(10)
    expect(early.stderr).toMatch(/^error: The store is in use by pid \d+ on .+ since /)
    await stop()
    const { aside } = await json('db', 'restore', 'copy')
    expect(readdirSync(aside)).toContain('store.json')
    expect(await keyNames(dir)).toEqual(['first'])
  })

  test('mends a damaged store, which serve refuses with 9 and names the way out', async () => {
    const { dir, store, rfqctl, stop } = await filled()
    await rfqctl('db', 'backup', 'copy')
    await stop()
    writeFileSync(store, readFileSync(store).subarray(0, 100))
    for (const command of [
      ['serve', '--no-chain', '--port', '0'],
      ['db', 'check'],
      ['db', 'backup', 'other'],
      ['db', 'migrate'],
    ]) {
      const { code, stdout, stderr } = await rfqctl(...command)
      expect({ command, code, stdout }).toEqual({ command, code: 9, stdout: '' })
      expect(stderr).toContain(`${store} is damaged`)
      expect(stderr).toContain('rfqctl db restore')
    }
    expect(readFileSync(store).length).toBe(100)
    expect((await rfqctl('db', 'restore', 'copy')).code).toBe(0)
    expect(await keyNames(dir)).toEqual(['first'])
  })

  test('keeps a backup to its owner, and overwrites none', async () => {
    const { rfqctl } = await filled()
    await rfqctl('db', 'backup', 'copy')
    const again = await rfqctl('db', 'backup', 'copy')
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('copy is not empty')
  })

  test('has nothing to migrate in a store of today', async () => {
    const { rfqctl, json } = await filled()
    expect(await json('db', 'migrate')).toEqual({ type: 'db_migrate', store: 'file', from: VERSION, to: VERSION })
    expect((await rfqctl('db', 'migrate')).stdout).toBe(`nothing to do: the store has format ${VERSION}\n`)
  })

  test('finds no store where there is none, and makes none', async () => {
    const dir = temporaryDir()
    for (const command of [['check'], ['backup', 'copy'], ['migrate']]) {
      const { code, stderr } = await run(['db', ...command], { cwd: dir })
      expect({ command, code }).toEqual({ command, code: 5 })
      expect(stderr).toContain('there is no store in')
    }
    expect(readdirSync(dir)).toEqual([])
    expect((await run(['db', 'restore', 'copy'], { cwd: dir })).code).toBe(5)
  })

  test('leaves a Postgres store to the tools of Postgres', async () => {
    const environment = { DATABASE_URL: 'postgres://127.0.0.1:2/none' }
    for (const command of [['check'], ['backup', 'copy'], ['restore', 'copy']]) {
      const { code, stderr } = await run(['db', ...command], { cwd: temporaryDir(), environment })
      expect({ command, code }).toEqual({ command, code: 2 })
      expect(stderr).toContain('pg_dump')
    }
    expect((await run(['db', 'migrate'], { cwd: temporaryDir(), environment })).code).toBe(7)
  })

  test.skipIf(POSTGRES_URL === undefined)(
    `renews a Postgres by hand, under a relay that runs; not files, and not what has no store${POSTGRES_HINT}`,
    async () => {
      const { url, drop } = await createDatabase()
      const renew = () => run(['db', 'renew', '--database-url', url, '--json'], { cwd: temporaryDir() })
      expect(await renew()).toMatchObject({ code: 5, stderr: expect.stringContaining('no store in the database') })
      const store = await createPostgresStore({
        url,
        clock: createSystemClock(),
        log: createFakeLog(),
        isShared: true,
      })
      const wallet = freshWallet()
      const nonce = await store.allotNonce('one', wallet)
      const { code, stdout } = await renew()
      expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, type: 'db_renew', streamEpoch: expect.any(Number) })
      expect(JSON.parse(stdout).streamEpoch).toBeGreaterThan(store.epoch)
      expect(await store.allotNonce('two', wallet)).not.toBe(nonce + 1)
      await expect.poll(store.wentBack).toBe(1)
      await store.close()
      await drop()
      const files = await run(['db', 'renew'], { cwd: temporaryDir() })
      expect(files).toMatchObject({ code: 2, stderr: expect.stringContaining('--database-url') })
    },
  )

  test('serves no store that was moved, and says which database has it', async () => {
    const { dir, store, rfqctl, json, stop } = await filled()
    await stop()
    const document = createDocument({ disk, path: store, onSwitch: () => {}, onWritten: () => {} })
    const moved = { moveId: 'one', to: 'postgres://db.example/rfq', at: '2026-01-02T03:04:05.000Z' }
    await document.write({ ...((await document.read()) as Contents), moved })
    const { code, stdout, stderr } = await rfqctl('serve', '--no-chain', '--port', '0')
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain(`${join(dir, '.rfqctl')} was moved to postgres://db.example/rfq at 2026-01-02T03:04:05Z`)
    expect(stderr).toContain('--database-url')
    expect(await json('db', 'check')).toMatchObject({ moved })
    expect((await rfqctl('doctor')).stdout).toContain('moved to postgres://db.example/rfq')
  })

  test('moves a store into a Postgres, but not while a relay uses it, and not to what is no Postgres', async () => {
    const { rfqctl, stop } = await filled()
    const to = ['db', 'move', '--to', 'postgres://127.0.0.1:1/rfqctl']
    expect((await rfqctl(...to)).code).toBe(10)
    await stop()
    const unreachable = await rfqctl(...to)
    expect(unreachable.code).not.toBe(0)
    expect(unreachable.stderr).toMatch(/^error: The store cannot be written/)
    expect((await rfqctl('db', 'move', '--to', 'mysql://127.0.0.1')).stderr).toMatch(/Expected a Postgres URL/)
  })
})
