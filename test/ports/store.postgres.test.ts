import { afterAll, beforeAll, describe } from 'vitest'
import { createSystemClock } from '../../src/relay/adapters/clock.ts'
import { createPostgresStore } from '../../src/relay/adapters/store/postgres.ts'
import type { Store } from '../../src/relay/core/ports/store.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { POSTGRES_HINT, POSTGRES_URL, temporarySchema } from '../support/postgres.ts'
import { describeStore } from './store.suite.ts'

describe.skipIf(POSTGRES_URL === undefined)(`Postgres${POSTGRES_HINT}`, () => {
  const { url, schema, drop } = temporarySchema()
  const clock = createSystemClock()
  let store: Store

  beforeAll(async () => {
    store = await createPostgresStore({ url, schema, clock, log: createFakeLog(), isShared: true })
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  describeStore('the Postgres store', async () => ({ store, now: clock.now, dispose: async () => {} }))
})
