import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { closeAll } from '../kit/keep.ts'
import { ATTACKS } from './attacks/catalogue.ts'
import { type Attacked, startAttacked } from './lab/forms.ts'
import { createHonestPair } from './lab/honest.ts'
import { createTarget, type Target } from './lab/target.ts'

/** Attacks that take a moment each; `npm run test:hostile` makes all of them, on every form of a relay. */
const QUICK = ATTACKS.filter(({ isQuick }) => isQuick === true)

describe('a relay and clients that mean harm, in short', () => {
  let attacked: Attacked
  let target: Target

  beforeAll(async () => {
    await buildWhenStale()
    attacked = await startAttacked({ flags: ['--no-chain'] })
    target = createTarget(attacked)
  })
  afterAll(async () => {
    closeAll()
    await attacked?.remove()
  })

  for (const { holds, run } of QUICK) it.concurrent(holds, () => run(target))

  it('serves honest clients after all of it', async () => {
    await target.assertServes()
    const honest = await createHonestPair(target.service, await target.maker())
    await honest.trade()
    honest.close()
  })
})
