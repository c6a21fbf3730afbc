import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { createDatabase } from '../kit/database.ts'
import { eventually } from '../kit/eventually.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { askedToSign, createMaker, type Maker } from '../kit/maker.ts'
import { type RelayProcess, spawnRfqctl, startRelay } from '../kit/relay-process.ts'
import { createService, type Service, walletOf } from '../kit/service.ts'
import { signIn } from '../kit/sign-in.ts'
import { buildFormer, FORMER_PROGRAMS, HAS_HISTORY, HISTORY_HINT } from '../support/former-program.ts'
import { POSTGRES_HINT, POSTGRES_URL } from '../support/postgres.ts'
import { leavePending, type Pending } from './crash/traffic.ts'

const QUICK = { apiKey: 'key-of-the-quick-maker', makerId: 'quick' }
const DEAR = { apiKey: 'key-of-the-dear-maker', makerId: 'dear' }
const PATIENT = { apiKey: 'key-of-the-patient-maker', makerId: 'patient' }
const WALLET = walletOf(1)

const ENV = {
  MAKER_API_KEYS: JSON.stringify([QUICK, DEAR, PATIENT]),
  // What is under way outlasts the end of one program and the start of another, on a machine that is held back.
  MAKER_CONFIRMATION_MS: '600000',
  ORDER_VALIDITY_MS: '1200000',
  QUOTE_REQUEST_TTL_MS: '600000',
}

/** Where a store is: in the folder, or in a database beside it. */
type Place = { dataDir: string; flags: readonly string[] }

/** One relay on a store, with those who trade on it. */
type Scene = { relay: RelayProcess; service: Service; quick: Maker; dear: Maker; patient: Maker }

/** What a program has promised before it is killed. */
type Promised = {
  waiting: { requestId: string }
  pending: Pending
  signed: { requestId: string; wallet: string; body: object }
  key: string
  /** Of the wallet of all makers. */
  nonces: number[]
  highestId: number
}

async function start({ dataDir, flags }: Place, root?: string): Promise<Scene> {
  const build = root === undefined ? {} : { root }
  const relay = await startRelay({ flags: ['--no-chain', ...flags], env: ENV, dataDir, ...build })
  keep(() => relay.signal('SIGKILL'))
  const [quick, dear, patient] = [QUICK, DEAR, PATIENT].map((key) => createMaker(relay.ready, key, WALLET)) as [
    Maker,
    Maker,
    Maker,
  ]
  return { relay, service: createService(relay.ready), quick, dear, patient }
}

/** Has the quick maker win a request. */
async function tradeOn({ service, quick }: Scene, requestId: string) {
  const socket = await quick.connect()
  await quick.quoted(requestId)
  const wallet = service.wallet().address
  const committing = service.commit(requestId, { wallet })
  const accepted = await askedToSign(socket, requestId)
  expect((await quick.confirm(accepted.quoteId, await quick.sign(accepted))).status).toBe(200)
  const { status, body } = await committing
  expect(status).toBe(200)
  socket.close()
  return { requestId, wallet, body, nonce: Number(accepted.order.nonce) }
}

/** An open request, an order that waits for its maker, a signed one and a key, of a relay that is killed then. */
async function promise(scene: Scene, dataDir: string): Promise<Promised> {
  const { relay, service, quick } = scene
  const stream = await quick.stream()
  await stream.until('snapshot_complete')
  const waiting = await service.open()
  const { nonce, ...signed } = await tradeOn(scene, (await service.open()).requestId)
  const headers = await signIn(dataDir)
  const { body } = await service.call<{ key: string }>('POST', '/v1/user/api-keys', { headers })
  const pending = await leavePending(scene)
  const { id } = await stream.until('quote_request', ({ requestId }) => requestId === pending.requestId)
  relay.signal('SIGKILL')
  await relay.exited
  const nonces = [nonce, Number(pending.accepted.order.nonce)]
  return { waiting, pending, signed, key: body.key, nonces, highestId: Number(id) }
}

async function expectKept(scene: Scene, { waiting, pending, signed, key, nonces, highestId }: Promised): Promise<void> {
  const { service, quick, patient } = scene
  const stream = await quick.stream({ 'last-event-id': String(highestId) })
  const told = await stream.until('quote_request', ({ requestId }) => requestId === waiting.requestId)
  expect(Number(told.id)).toBeGreaterThan(highestId)
  stream.close()

  const again = await askedToSign(await patient.connect(), pending.requestId)
  expect(again).toMatchObject(pending.accepted)
  expect((await patient.confirm(again.quoteId, await patient.sign(again))).status).toBe(200)
  expect(await service.commit(pending.requestId, { wallet: pending.wallet })).toMatchObject({
    status: 200,
    body: { quote: { quote_id: pending.accepted.quoteId } },
  })

  expect(await service.commit(signed.requestId, { wallet: signed.wallet })).toMatchObject({
    status: 200,
    body: signed.body,
  })
  expect((await service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status).toBe(200)
  const { nonce } = await tradeOn(scene, waiting.requestId)
  expect(nonces).not.toContain(nonce)
}

/** A program that may not trade answers so, and asks nobody. */
async function expectRefused({ relay, service, quick }: Scene, requestId: string): Promise<void> {
  const socket = await quick.connect()
  await quick.quoted(requestId)
  const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
  expect({ status, body }).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  await eventually(
    () => relay.stderr(),
    (text) => text.includes('must not trade beside'),
  )
  expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toEqual([])
  socket.close()
}

/** What is in a folder, each file by its content; not who is at work there, and what for. */
function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }).map(String).toSorted()
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && !/\.lock|sandbox\.json/.test(name))
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(files.map((name) => [name, hash(name)]))
}

/** Version of the format in which a store's document is written. */
function formatOf(folder: string): string {
  const [, version] = /"version":(\d+)/.exec(readFileSync(join(folder, 'store.json'), 'utf8')) ?? []
  if (version === undefined) throw new Error(`${folder} has a store without a version`)
  return version
}

/** Runs a command of a program to its end. */
async function rfqctl(args: readonly string[], root?: string) {
  return spawnRfqctl(args, ENV, root === undefined ? {} : { root }).left()
}

function keptFolder(): string {
  const dataDir = newFolder()
  keep(() => removeFolder(dataDir))
  return dataDir
}

describe.skipIf(!HAS_HISTORY).each(FORMER_PROGRAMS)(
  `the data of $name, with orders under way${HISTORY_HINT}`,
  (program) => {
    let former: string

    beforeAll(async () => {
      await buildWhenStale()
      former = await buildFormer(program)
    })

    it('is taken over in files with all that was promised, and refused to a former program of an older format from then on', async () => {
      const place: Place = { dataDir: keptFolder(), flags: [] }
      const promised = await promise(await start(place, former), place.dataDir)
      const format = formatOf(place.dataDir)
      const scene = await start(place)
      await expectKept(scene, promised)
      expect((await scene.relay.stop()).code).toBe(0)
      expect(await rfqctl(['db', 'check', '--data-dir', place.dataDir])).toMatchObject({ code: 0 })

      if (format === formatOf(place.dataDir)) {
        const back = await start(place, former)
        await tradeOn(back, (await back.service.open()).requestId)
        expect((await back.relay.stop()).code).toBe(0)
        return
      }
      const left = contentOf(place.dataDir)
      const refused = await rfqctl(['serve', '--no-chain', '--port', '0', '--data-dir', place.dataDir], former)
      expect(refused).toMatchObject({ code: 9, stderr: expect.stringContaining('written by a newer rfqctl') })
      expect(contentOf(place.dataDir)).toEqual(left)
      expect((await (await start(place)).relay.stop()).code).toBe(0)
    })

    it.skipIf(POSTGRES_URL === undefined)(
      `is taken over in Postgres with all that was promised, and a rollback trades only as far as it may${POSTGRES_HINT}`,
      async () => {
        const { url, drop } = await createDatabase()
        const place: Place = { dataDir: keptFolder(), flags: ['--database-url', url] }
        try {
          const promised = await promise(await start(place, former), place.dataDir)
          const scene = await start(place)
          await expectKept(scene, promised)
          expect((await scene.relay.stop()).code).toBe(0)

          const back = await start(place, former)
          const { requestId, wallet, body } = promised.signed
          expect(await back.service.commit(requestId, { wallet })).toMatchObject({ status: 200, body })
          const fresh = await back.service.open()
          if (program.isRefused) await expectRefused(back, fresh.requestId)
          else await tradeOn(back, fresh.requestId)
          expect((await back.relay.stop()).code).toBe(0)
        } finally {
          await drop()
        }
      },
    )
  },
)
