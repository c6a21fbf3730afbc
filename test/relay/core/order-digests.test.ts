import { expect, it } from 'vitest'
import { orderDigest } from '../../../src/protocol/domain/order.ts'
import { createOrderDigests } from '../../../src/relay/core/order-digests.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay } from '../../support/test-relay.ts'

it('the digest of an order is the same before and after it is prepared', async () => {
  const fixture = createTestRelay()
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId)
  const commit = fixture.commit(requestId)
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
