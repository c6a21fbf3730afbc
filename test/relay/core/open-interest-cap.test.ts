import { expect, it } from 'vitest'
import { type Contracts, contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, TAKER, type TestRelay, walletOf } from '../../support/test-relay.ts'

/** What a fill of the default request at 0.12 opens. */
const SIZE = contracts(833n)

function leaveRoom({ chain }: TestRelay, room: Contracts): void {
  for (const [seriesId, series] of chain.registered) chain.registered.set(seriesId, { ...series, room })
}

it('a commit that opens more options than the cap of the series leaves room for is refused, and no maker asked (invariant V2)', async () => {
  const fixture = createTestRelay()
  leaveRoom(fixture, contracts(832n))
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open({ wallet: TAKER })
  await fixture.quote('ada', requestId)
  await expect(fixture.commit(requestId)).rejects.toMatchObject({
    code: 'amount_too_large',
    message: 'The series can hold 832 options more; this fill writes 833.',
  })
  await fixture.quoteFirm('ada', requestId)
  expect(await refusal(fixture.commit(requestId))).toBe('amount_too_large')
  expect(ada.accepted()).toEqual([])
  expect((await fixture.ports.store.makerRecords.find('ada')).outcomes).toEqual([])
  leaveRoom(fixture, SIZE)
  expect(await refusal(fixture.commit(requestId))).toBe('not refused')
})

it('goes to the next maker whose size there is room for', async () => {
  const fixture = createTestRelay()
  leaveRoom(fixture, contracts(700n))
  await fixture.connect('ada')
  const bob = await fixture.connect('bob')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  await fixture.quote('bob', requestId, { size: contracts(700n), price: usd6(130_000n) })
  const commit = fixture.commit(requestId)
  await settle()
  await bob.confirm()
  expect((await commit).execution.acceptance.makerId).toBe('bob')
})

it('does not bound options that change hands, which are open already', async () => {
  const fixture = createTestRelay()
  const [series] = fixture.chain.registered.keys()
  leaveRoom(fixture, contracts(0n))
  const held = { long: SIZE, short: contracts(0n), isApproved: true }
  fixture.chain.inventories.set(walletOf('ada'), new Map([[series ?? '', held]]))
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open({ inventory: true })
  await fixture.quote('ada', requestId)
  const commit = fixture.commit(requestId)
  await settle()
  await ada.confirm()
  expect((await commit).execution.acceptance.fromInventory).toBe(SIZE)
})
