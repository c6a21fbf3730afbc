import { expect, it } from 'vitest'
import { orderDigest } from '../../src/domain/order.ts'
import { createOrderDigests } from '../../src/relay/order-digests.ts'
import { settle } from '../support/fake-clock.ts'
import { createRelayHouse } from '../support/relay-house.ts'

it('the digest of an order is the same before and after it is prepared', async () => {
  const house = createRelayHouse()
  const ada = await house.connect('ada')
  const { requestId } = await house.open()
  await house.quote('ada', requestId)
  const commit = house.commit(requestId)
  await settle()
  const [acceptance] = ada.accepted()
  if (acceptance === undefined) throw new Error('ada was not asked')
  const digests = createOrderDigests()
  const expected = orderDigest(acceptance.order, acceptance.domain)
  const other = { ...acceptance, acceptanceId: 'other', order: { ...acceptance.order, nonce: 7 } }
  expect(digests.of(acceptance)).toBe(expected)
  digests.prepare(acceptance)
  expect(digests.of(acceptance)).toBe(expected)
  expect(digests.of(other)).toBe(orderDigest(other.order, other.domain))
  await ada.confirm()
  await commit
})
