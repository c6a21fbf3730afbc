import { beforeAll, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { createDatabase } from '../kit/database.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { askedToSign, createMaker } from '../kit/maker.ts'
import { startRelay } from '../kit/relay-process.ts'
import { createService, walletOf } from '../kit/service.ts'
import { POSTGRES_HINT, POSTGRES_URL } from '../support/postgres.ts'

const ADA = { apiKey: 'key-of-the-maker-ada', makerId: 'ada' }
const WALLET = walletOf(1)

beforeAll(buildWhenStale)

/** A relay of one node, without Redis. */
async function start(flags: readonly string[], dataDir: string) {
  const env = { MAKER_API_KEYS: JSON.stringify([ADA]) }
  const relay = await startRelay({ flags: ['--no-chain', ...flags], env, dataDir })
  keep(() => relay.signal('SIGKILL'))
  return { relay, service: createService(relay.ready), ada: createMaker(relay.ready, ADA, WALLET) }
}

/** Has the protections of a maker trip, kills the relay, and sees that they hold on the next one until the maker resets them. */
async function expectKept(flags: readonly string[]): Promise<void> {
  const dataDir = newFolder()
  keep(() => removeFolder(dataDir))
  const { relay, service, ada } = await start(flags, dataDir)
  await ada.call('PUT', '/v1/mm/protections', { windows: [{ ms: 600_000, maxAccepted: 1 }] })
  const socket = await ada.connect()
  const [first, second] = [(await service.open()).requestId, (await service.open()).requestId]
  for (const requestId of [first, second]) await ada.quoted(requestId)
  const committing = service.commit(first, await service.proven(first))
  const accepted = await askedToSign(socket, first)
  await ada.confirm(accepted.quoteId, await ada.sign(accepted))
  expect((await committing).status).toBe(200)
  const refused = await service.commit(second, await service.proven(second))
  expect(refused.body).toMatchObject({ code: 'no_valid_quotes' })
  relay.signal('SIGKILL')
  await relay.exited
  const next = await start(flags, dataDir)
  expect((await next.ada.call('GET', '/v1/mm/protections')).body).toMatchObject({ trip: { used: { accepted: 1 } } })
  expect(await (await next.ada.connect()).until('protection:tripped')).toMatchObject({
    trip: { used: { accepted: 1 } },
  })
  const { requestId } = await next.service.open()
  expect((await next.ada.quote(requestId)).body).toMatchObject({ code: 'protection_tripped' })
  await next.ada.call('POST', '/v1/mm/protections/reset')
  await next.ada.quoted(requestId)
  expect((await next.relay.stop()).code).toBe(0)
}

it('protections that tripped hold after a kill of a relay on files (invariant V11)', () => expectKept([]))

it.skipIf(POSTGRES_URL === undefined)(
  `protections that tripped hold after a kill of a single relay on Postgres, without Redis (invariant V11)${POSTGRES_HINT}`,
  async () => {
    const { url, drop } = await createDatabase()
    try {
      await expectKept(['--database-url', url])
    } finally {
      await drop()
    }
  },
)
