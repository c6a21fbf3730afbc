import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import { settle } from '../../support/fake-clock.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { createTestRelay, refusal } from '../../support/test-relay.ts'

/** Ada, who has two self-serve keys and the best quote, and Bob, whose quote is the next. */
async function adaAndBob(settings: Partial<RelaySettings> = {}) {
  const fixture = createTestRelay({ ports: { identity: fakeIdentity }, settings })
  const { relay } = fixture
  const user = await relay.authenticateUser('token-of-ada')
  const [first, second] = [await relay.createApiKey({ user, name: '1' }), await relay.createApiKey({ user, name: '2' })]
  const revoke = ({ apiKey }: typeof first) => relay.revokeApiKey({ user, keyId: apiKey.keyId })
  const [ada, bob] = [await fixture.connect(user.makerId), await fixture.connect('bob')]
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote(user.makerId, requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId)
  return { fixture, user, first, second, revoke, ada, bob, requestId, quoteId }
}

describe('a key that is revoked while its maker is asked to sign', () => {
  it('leaves the order confirmable when the maker has another key (fault B8)', async () => {
    const { fixture, user, first, second, revoke, ada, bob, requestId } = await adaAndBob()
    const commit = fixture.commit(requestId)
    await settle()
    await revoke(first)
    await fixture.clock.advance(5_000)
    expect(bob.accepted()).toEqual([])
    expect(await fixture.relay.authenticateMaker(second.secret)).toMatchObject({ makerId: user.makerId })
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe(user.makerId)
  })

  it('falls back to the next maker at once when it was the last one (fault B8)', async () => {
    const { fixture, user, first, second, revoke, ada, bob, requestId } = await adaAndBob()
    const commit = fixture.commit(requestId)
    await settle()
    await revoke(first)
    await revoke(second)
    await settle()
    expect(await refusal(fixture.relay.authenticateMaker(second.secret))).toBe('invalid_api_key')
    expect(bob.accepted()).toHaveLength(1)
    expect(await refusal(ada.confirm())).toBe('no_pending_acceptance')
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(fixture.auditLog).toContainEqual(expect.objectContaining({ kind: 'declined', makerId: user.makerId }))
  })

  it('leaves it confirmable when the operator has set a key of that maker', async () => {
    const { fixture, first, second, revoke, ada, requestId, user } = await adaAndBob({
      staticKeys: [{ digest: '00', makerId: 'maker-000000000001' }],
    })
    expect(user.makerId).toBe('maker-000000000001')
    const commit = fixture.commit(requestId)
    await settle()
    await revoke(first)
    await revoke(second)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe(user.makerId)
  })
})

describe('the quotes of a maker', () => {
  it('leave the book with its last key: no one could confirm them', async () => {
    const { fixture, first, second, revoke, requestId, quoteId } = await adaAndBob()
    const best = async () => (await fixture.relay.readRequest({ requestId, takerSecret: null })).best?.makerId
    await revoke(first)
    await settle()
    expect(await best()).not.toBe('bob')
    await revoke(second)
    await settle()
    expect(await best()).toBe('bob')
    expect(fixture.auditLog).toContainEqual(expect.objectContaining({ kind: 'quote_withdrawn', quoteId }))
  })

  it('leave the book also when one is out for signature, so that no later commit asks for it again (fault B8)', async () => {
    const { fixture, first, second, revoke, requestId, quoteId } = await adaAndBob()
    const commit = fixture.commit(requestId, { limitPrice: usd6(100_000n) })
    await settle()
    await revoke(first)
    await revoke(second)
    expect(await refusal(commit)).toBe('no_maker_confirmed')
    await fixture.clock.advance(50)
    expect((await fixture.ports.book.ranked(requestId)).map(({ makerId }) => makerId)).toEqual(['bob'])
    expect(await fixture.ports.book.findQuote({ makerId: 'ada', quoteId })).toBeNull()
  })

  it('stay when the store fails right after the revocation, which holds all the same', async () => {
    const { fixture, first, second, revoke } = await adaAndBob()
    await revoke(first)
    fixture.ports.store.apiKeys.listActive = () => Promise.reject(new Error('the store is down'))
    await revoke(second)
    await settle()
    expect(await refusal(fixture.relay.authenticateMaker(second.secret))).toBe('invalid_api_key')
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'standing_down_failed' }))
  })
})

describe('the answer to a revocation', () => {
  async function keyed(publish: () => Promise<void>) {
    const fixture = createTestRelay({ ports: { identity: fakeIdentity } })
    fixture.ports.bus.publish = publish
    const user = await fixture.relay.authenticateUser('token-of-ada')
    const { secret, apiKey } = await fixture.relay.createApiKey({ user, name: '1' })
    return { fixture, secret, revoke: () => fixture.relay.revokeApiKey({ user, keyId: apiKey.keyId }) }
  }

  it('waits until the news is on its way to the other nodes', async () => {
    let sent = () => {}
    const { revoke } = await keyed(
      () =>
        new Promise((resolve) => {
          sent = resolve
        }),
    )
    let answered = false
    const revoking = revoke().then(() => {
      answered = true
    })
    await settle()
    expect(answered).toBe(false)
    sent()
    await revoking
  })

  it('is given when the news cannot be sent: the key is refused here, and elsewhere when it is looked up again', async () => {
    const { fixture, secret, revoke } = await keyed(() => Promise.reject(new Error('no bus')))
    await revoke()
    expect(await refusal(fixture.relay.authenticateMaker(secret))).toBe('invalid_api_key')
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'revocation_not_told' }))
  })
})
