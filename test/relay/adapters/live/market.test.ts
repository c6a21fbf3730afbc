import { expect, it } from 'vitest'
import { NoEpochError, type RunFunction } from '../../../../src/relay/adapters/live/redis/functions.ts'
import { createMarket } from '../../../../src/relay/adapters/live/redis/market.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

/** A market of which another node has just begun an epoch. */
function marketOf() {
  const run = (async () => ['ready', '7']) as unknown as RunFunction
  const epochs = { raiseEpoch: async () => 8, noteBegunEpoch: async () => {}, lowestEpoch: 0, newest: { value: 0 } }
  return createMarket({ run, clock: createFakeClock(), log: createFakeLog(), ...epochs })
}

/** Work that fails so often for want of an epoch, and with `fault` then. */
function workThat(losses: number, fault?: Error) {
  let left = losses
  return async () => {
    left -= 1
    if (left >= 0) throw new NoEpochError('EPOCH')
    if (fault !== undefined) throw fault
    return 'done'
  }
}

it('work is done again once after the market was lost', async () => {
  await expect(marketOf().withEpoch(workThat(1))).resolves.toBe('done')
})

it('a market that is lost again during the work is an outage, not a fault of the relay', async () => {
  await expect(marketOf().withEpoch(workThat(2))).rejects.toMatchObject({ code: 'store_unavailable' })
})

it('another fault of the work is thrown as it is', async () => {
  const fault = new Error('a bug')
  await expect(marketOf().withEpoch(workThat(1, fault))).rejects.toBe(fault)
})
