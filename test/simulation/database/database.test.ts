import { describe, expect, it } from 'vitest'
import { describeStore } from '../../ports/store.suite.ts'
import { START_MS } from '../../support/test-relay.ts'
import { createRandom } from '../time/random.ts'
import { createDatabase, type Database } from './database.ts'

describeStore('the model of Postgres', async () => {
  const database = createDatabase({ trueTime: () => START_MS, random: createRandom('a database') })
  const { epoch } = database.open()
  const store = { ...database.run((one) => one), epoch }
  return { store, now: database.now, dispose: store.close }
})

describe('the model of Postgres, after a restore', () => {
  const wallet = `0x${'1'.repeat(40)}` as const
  const restored = (database: Database): void => {
    database.open()
    const place = database.place()
    database.run((store) => store.allotNonce('one', wallet))
    database.restore(place)
  }

  it('knows nothing of what came later, and gives no nonce twice (invariant V15)', async () => {
    const database = createDatabase({ trueTime: () => START_MS, random: createRandom('a database') })
    database.open()
    const place = database.place()
    const first = await database.run((store) => store.allotNonce('one', wallet))
    database.restore(place)
    expect(await database.run((store) => store.allotNonce('two', wallet))).not.toBe(first)
  })

  it('raises the epoch below which no live market is known', () => {
    const database = createDatabase({ trueTime: () => START_MS, random: createRandom('a database') })
    restored(database)
    const { lowestEpoch } = database.look()
    database.touch()
    expect(database.look().lowestEpoch).toBeGreaterThan(lowestEpoch)
    expect(database.look().isKnown).toBe(true)
  })

  it('shares one time that does not go back once a node has said what it must be (fault I15)', () => {
    const database = createDatabase({ trueTime: () => START_MS, random: createRandom('a database') })
    const before = database.now()
    database.setClock(-3_600_000)
    expect(database.now()).toBe(before - 3_600_000)
    database.observeClock(before)
    expect(database.now()).toBe(before)
  })
})
