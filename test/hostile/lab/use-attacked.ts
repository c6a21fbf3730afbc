import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../../kit/build.ts'
import { closeAll } from '../../kit/keep.ts'
import type { Attack } from './attack.ts'
import { type Attacked, type Store, startAttacked, whyMissing } from './forms.ts'
import { createHonestPair, type HonestPair } from './honest.ts'
import { createTarget, type Target } from './target.ts'

/** A form of a relay, and what is tried on it. */
type Form = {
  name: string
  store: Store
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  attacks: readonly Attack[]
}

/** Longer than any one attack takes on a machine that is busy with other things, in milliseconds. */
const ATTACK_MS = 90_000

/**
 * One relay that every attack is made on in turn. After each of them it must live, answer, hold no more memory than it may,
 * and let an honest maker and taker trade.
 */
export function attack({ name, store, flags = [], env = {}, attacks }: Form): void {
  const missing = whyMissing(store)
  const hint = missing === null ? '' : ` (skipped: ${missing})`
  const [known, others] = [attacks.filter((one) => one.known), attacks.filter((one) => !one.known)]

  describe.skipIf(missing !== null)(`${name}${hint}`, { timeout: ATTACK_MS }, () => {
    let attacked: Attacked
    let target: Target
    let honest: HonestPair

    beforeAll(async () => {
      await buildWhenStale()
      attacked = await startAttacked({ store, flags, env })
      target = createTarget(attacked)
      honest = await createHonestPair(target.service, await target.maker())
    }, 120_000)

    afterEach(async () => {
      await target.assertServes()
      await honest.trade()
    }, ATTACK_MS)

    afterAll(async () => {
      honest?.close()
      await attacked?.process.stop()
      const faults = attacked?.process.stderr().split('\n').filter(isFault) ?? []
      closeAll()
      await attacked?.remove()
      expect(faults).toEqual([])
    }, 60_000)

    for (const [name, tried] of [
      ['what never did', others],
      ['what once got through', known],
    ] as const) {
      if (tried.length === 0) continue
      describe(name, () => {
        for (const { holds, run } of tried) it(holds, () => run(target))
      })
    }
  })
}

/** A line of the log that tells of a fault of the relay's own: an error, a warning of Node's, or no JSON at all. */
const isFault = (line: string): boolean => line !== '' && (!line.startsWith('{') || line.includes('"level":"error"'))
