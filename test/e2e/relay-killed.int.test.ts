import { beforeAll, expect, it } from 'vitest'
import { checkStore } from '../../src/relay/adapters/store/admin/check.ts'
import { disk } from '../../src/relay/adapters/store/file/disk.ts'
import { buildWhenStale } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { askedToSign, createMaker } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createService, walletOf } from '../kit/service.ts'
import { signIn } from '../kit/sign-in.ts'
import { createPromises, type Promises } from './crash/promises.ts'
import { leavePending, type Pending, runTraffic, type Scene } from './crash/traffic.ts'

/** More by `npm run deep`. */
const ROUNDS = Number(process.env.RFQCTL_KILL_ROUNDS ?? 4)

const QUICK = { apiKey: 'key-of-the-quick-maker', makerId: 'quick' }
const DEAR = { apiKey: 'key-of-the-dear-maker', makerId: 'dear' }
const PATIENT = { apiKey: 'key-of-the-patient-maker', makerId: 'patient' }

const dataDir = newFolder()
keep(() => removeFolder(dataDir))

beforeAll(buildWhenStale)

async function start(): Promise<{ relay: RelayProcess; scene: Scene }> {
  const env = { MAKER_API_KEYS: JSON.stringify([QUICK, DEAR, PATIENT]), MAKER_CONFIRMATION_MS: '30000' }
  const relay = await startRelay({ flags: ['--no-chain'], env, dataDir })
  keep(() => relay.signal('SIGKILL'))
  const { ready } = relay
  const quick = createMaker(ready, QUICK, walletOf(1))
  const dear = createMaker(ready, DEAR, walletOf(2))
  const patient = createMaker(ready, PATIENT, walletOf(3))
  const accountHeaders = await signIn(dataDir)
  return { relay, scene: { service: createService(ready), quick, dear, patient, accountHeaders } }
}

/** Lets a relay trade until it has promised so much, and kills it in the middle of whatever it does. */
async function killUnderLoad(promised: number): Promise<{ promises: Promises; pending: Pending }> {
  const { relay, scene } = await start()
  const pending = await leavePending(scene)
  const promises = createPromises((count) => count === promised && relay.signal('SIGKILL'))
  await runTraffic(scene, promises)
  expect((await relay.exited).signal).toBe('SIGKILL')
  return { promises, pending }
}

async function expectKept({ service, quick }: Scene, promises: Promises): Promise<void> {
  const { opened, cancelled, committed, confirmed, keys } = promises
  for (const requestId of opened) {
    const { status, body } = await service.call('GET', `/quote-requests/${requestId}/quotes`)
    expect({ requestId, status }).toEqual({ requestId, status: 200 })
    const known = cancelled.has(requestId) ? ['cancelled'] : committed.has(requestId) ? ['committed'] : null
    // What was under way when the relay died may have taken effect, or not.
    expect(known ?? ['open', 'committed', 'cancelled']).toContain(body.status)
  }
  for (const [requestId, { wallet, text }] of committed) {
    expect((await service.commit(requestId, { wallet })).text).toBe(text)
  }
  for (const { quoteId, signature } of confirmed) {
    expect(await quick.confirm(quoteId, signature)).toMatchObject({ status: 200 })
  }
  for (const { secret, isRevoked } of keys) {
    const { status } = await service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': secret } })
    expect(status).toBe(isRevoked ? 401 : 200)
  }
}

/** Who lost a trade that was answered reads it once, though the relay died right after the answer. */
async function expectLosersTold({ dear }: Scene, { committed }: Promises): Promise<void> {
  const lost = await lostBy(dear)
  for (const { loser } of committed.values()) expect(lost.filter((quoteId) => quoteId === loser)).toEqual([loser])
  expect(new Set(lost).size).toBe(lost.length)
}

/** The quotes of a maker that did not win, as its history has them. */
async function lostBy(dear: Scene['dear']): Promise<string[]> {
  const lost: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await dear.call<History>('GET', `/v1/mm/executions?limit=100${page}`)
    lost.push(...body.executions.map(({ quoteId }) => quoteId))
    cursor = body.nextCursor
  }
  return lost
}

type History = { executions: { quoteId: string }[]; nextCursor: string | null }

/**
 * The order is asked for again, with the deadline that it always had, and its taker gets it. Who had quoted beside it has the
 * quoteId that it had, and is told once that it lost (decision C10).
 */
async function expectConfirmable(
  { service, patient, dear }: Scene,
  { requestId, wallet, accepted, loser }: Pending,
): Promise<void> {
  const losing = await dear.connect()
  expect(await dear.quoted(requestId, { price: 0.21 })).toBe(loser)
  const again = await askedToSign(await patient.connect(), requestId)
  expect(again).toEqual(accepted)
  expect(await service.call('GET', `/quote-requests/${requestId}/quotes`)).toMatchObject({ body: { confirming: true } })
  expect(await patient.quote(requestId)).toMatchObject({ status: 409, body: { code: 'quote_locked' } })
  expect(await patient.confirm(accepted.quoteId, await patient.sign(again))).toMatchObject({ status: 200 })
  const { status, body } = await service.commit(requestId, { wallet })
  expect({ status, body }).toMatchObject({ status: 200, body: { quote: { quote_id: accepted.quoteId } } })
  expect(await losing.until('quote:rejected', requestId)).toMatchObject({ quoteId: loser, reason: 'another_quote_won' })
  expect((await lostBy(dear)).filter((quoteId) => quoteId === loser)).toEqual([loser])
  losing.close()
}

/** Every id that a maker hears from now on is above those it heard before (invariant V6). */
async function expectHigherIds({ service, quick }: Scene, { highestId }: Promises): Promise<void> {
  const stream = await quick.stream({ 'last-event-id': String(highestId) })
  expect(Number((await stream.until('snapshot_complete')).id)).toBeGreaterThan(highestId)
  await service.open()
  expect(Number((await stream.until('quote_request')).id)).toBeGreaterThan(highestId)
  stream.close()
}

it('a relay that is killed under load again and again keeps all that it promised (faults F1, D7, H3, invariant V10)', {
  timeout: 120_000 + ROUNDS * 30_000,
}, async () => {
  const seen = { opened: 0, cancelled: 0, committed: 0, confirmed: 0, keys: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const { promises, pending } = await killUnderLoad(30 + (round % 20) * 5)
    seen.opened += promises.opened.size
    seen.cancelled += promises.cancelled.size
    seen.committed += promises.committed.size
    seen.confirmed += promises.confirmed.length
    seen.keys += promises.keys.length
    expect(await checkStore({ disk, dir: dataDir })).not.toBeNull()
    const { relay, scene } = await start()
    await expectKept(scene, promises)
    await expectLosersTold(scene, promises)
    await expectConfirmable(scene, pending)
    await expectHigherIds(scene, promises)
    expect((await relay.stop()).code).toBe(0)
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
})
