import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createPostgresStore } from '../../../../src/relay/adapters/store/postgres.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { eventually } from '../../../kit/eventually.ts'
import { anAcceptance, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { createOwnPostgres, type OwnPostgres, POSTGRES_BIN } from '../../../support/own-postgres.ts'
import { POSTGRES_URL } from '../../../support/postgres.ts'

/** Takers that trade at the same time. */
const TAKERS = 16
const CRASHES = 3
/** Trades that are confirmed before each crash. */
const TRADES = 100

/** Each confirm that was sent, with the execution that it asked for and whether the store said that it holds. */
type Sent = { requestId: string; executionId: string; isPromised: boolean }

const clock = createSystemClock()
const isThere = POSTGRES_URL !== undefined && POSTGRES_BIN !== null
const hint = isThere ? '' : ' (skipped: needs the programs of Postgres, and RFQCTL_TEST_POSTGRES_URL)'

describe.skipIf(!isThere)(`a Postgres store whose server crashes under load${hint}`, () => {
  let server: OwnPostgres
  let store: Store
  const sent: Sent[] = []

  beforeAll(async () => {
    server = await createOwnPostgres()
    store = await createPostgresStore({
      url: server.url,
      schema: 'crash',
      clock,
      log: createFakeLog(),
      isShared: true,
    })
  })
  afterAll(async () => {
    await store?.close()
    await server?.remove()
  })

  it('refuses or keeps its word, trades on when the server is back, and has no trade twice', async () => {
    for (let crash = 0; crash < CRASHES; crash += 1) {
      let isUp = true
      const takers = Array.from({ length: TAKERS }, () => tradeWhile(() => isUp))
      await eventually(() => countPromised() >= (crash + 1) * TRADES)
      await server.kill()
      await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' })
      isUp = false
      const refusals = (await Promise.all(takers)).flat()
      // All who traded at that moment were told so, in one way.
      expect(new Set(refusals)).toEqual(new Set(['store_unavailable']))
      await server.start()
      await eventually(() =>
        store.ping().then(
          () => true,
          () => false,
        ),
      )
    }

    for (const { requestId, executionId, isPromised } of sent) {
      const execution = await store.executions.findByRequest(requestId)
      // A confirm whose answer was lost may hold or not, but only as itself.
      if (isPromised || execution !== null) expect(execution?.executionId).toBe(executionId)
    }
  })

  const countPromised = () => sent.filter(({ isPromised }) => isPromised).length

  /** One taker, from trade to trade; what it was refused with. */
  async function tradeWhile(goesOn: () => boolean): Promise<unknown[]> {
    const refusals: unknown[] = []
    while (goesOn()) await trade().catch((fault) => refusals.push((fault as { code?: unknown }).code))
    return refusals
  }

  async function trade(): Promise<void> {
    const request = aRequest(clock.now())
    const acceptance = anAcceptance(request, { now: clock.now() })
    await store.requests.insert(request)
    await store.acceptances.insert(acceptance)
    const one: Sent = { requestId: request.requestId, executionId: randomUUID(), isPromised: false }
    sent.push(one)
    await store.acceptances.confirm(acceptance.acceptanceId, { executionId: one.executionId, signature: SIGNATURE })
    one.isPromised = true
  }
})
