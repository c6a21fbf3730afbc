import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import type { BookTop } from '../../../src/relay/core/ports/book.ts'
import { createRelay } from '../../../src/relay/core/relay.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, RELAY_SETTINGS, refusal, type TestRelay } from '../../support/test-relay.ts'

const STATIC = { staticKeys: [{ digest: 'static-digest', makerId: 'ada' }] }

/** A fixture in which the key `static` is ada's. */
function openFixture() {
  const fixture = createTestRelay({ settings: STATIC })
  const { digest } = fixture.ports.ids
  fixture.ports.ids.digest = (text) => (text === 'static' ? 'static-digest' : digest(text))
  return fixture
}

const decide = ({ relay }: Pick<TestRelay, 'relay'>, isBlocked: boolean) =>
  relay.blocks.decide({ makerId: 'ada', isBlocked, by: 'Olga', reason: 'never signs' })

describe('a maker that the operator blocks', () => {
  it('is refused by whatever key, with a code that says so, until it is let in again', async () => {
    const fixture = openFixture()
    expect(await fixture.relay.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })
    await decide(fixture, true)
    expect(await refusal(fixture.relay.authenticateMaker('static'))).toBe('maker_blocked')
    await decide(fixture, false)
    expect(await fixture.relay.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })
  })

  it('loses its quotes, which takers hear, and its connections', async () => {
    const fixture = openFixture()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const tops: BookTop[] = []
    await fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: (top) => tops.push(top) })
    const codes: string[] = []
    fixture.relay.watchMaker({ makerId: 'ada', key: null }, (code) => codes.push(code))
    fixture.relay.watchMaker({ makerId: 'bob', key: null }, (code) => codes.push(code))
    await decide(fixture, true)
    expect(tops).toMatchObject([{ best: { makerId: 'bob' }, quoteCount: 1 }])
    expect(codes).toEqual(['maker_blocked'])
    expect(fixture.auditLog.at(-1)).toMatchObject({ kind: 'quote_withdrawn', makerId: 'ada' })
    fixture.relay.watchMaker({ makerId: 'ada', key: null }, (code) => codes.push(code))
    expect(codes).toHaveLength(2)
  })

  it('does not quote with what was on its way', async () => {
    const fixture = openFixture()
    const { requestId } = await fixture.open()
    await decide(fixture, true)
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_blocked')
    expect((await fixture.ports.book.top(requestId))?.quoteCount).toBe(0)
  })

  it('is not waited for: the commit that had asked it proceeds at once, and its late signature counts for nothing', async () => {
    const fixture = openFixture()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId)
    await settle()
    const signature = await ada.sign()
    await decide(fixture, true)
    await fixture.clock.advance(50)
    expect(await refusal(fixture.relay.confirm({ makerId: 'ada', quoteId, signature }))).toBe('no_pending_acceptance')
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(fixture.auditLog).toContainEqual(
      expect.objectContaining({ kind: 'declined', makerId: 'ada', reason: 'The operator has blocked the maker.' }),
    )
  })

  it('stays out after a restart, and who decided it when and why is known', async () => {
    const fixture = openFixture()
    await decide(fixture, true)
    const at = fixture.clock.now()
    await fixture.clock.advance(5)
    const after = await fixture.restart()
    expect(await refusal(after.relay.authenticateMaker('static'))).toBe('maker_blocked')
    expect(await after.relay.blocks.list()).toEqual([
      { makerId: 'ada', isBlocked: true, at, by: 'Olga', reason: 'never signs' },
    ])
    await decide(after, false)
    expect(await after.relay.blocks.list()).toMatchObject([{ makerId: 'ada', isBlocked: false, at: at + 5 }])
    expect(fixture.log.lines.filter(({ event }) => event.startsWith('maker_'))).toMatchObject([
      { event: 'maker_blocked' },
      { event: 'maker_unblocked' },
    ])
  })

  it('is out on other nodes too, at once by the bus, and within 20 s where its message was lost', async () => {
    const fixture = openFixture()
    const other = createRelay(fixture.ports, { ...RELAY_SETTINGS, ...STATIC })
    await decide(fixture, true)
    await settle()
    expect(await refusal(other.authenticateMaker('static'))).toBe('maker_blocked')
    await decide(fixture, false)
    expect(await other.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })

    await other.start()
    const { publish } = fixture.ports.bus
    fixture.ports.bus.publish = async () => {}
    const closed: string[] = []
    other.watchMaker({ makerId: 'ada', key: null }, (code) => closed.push(code))
    await decide(fixture, true)
    expect(closed).toEqual([])
    await fixture.clock.advance(20_000)
    expect(closed).toEqual(['maker_blocked'])
    fixture.ports.bus.publish = publish
    other.stop()
  })

  it('has its misses forgotten when it is let in again', async () => {
    const fixture = openFixture()
    for (let n = 0; n < 2; n += 1) {
      const { requestId } = await fixture.open()
      await fixture.quote('ada', requestId)
      const commit = refusal(fixture.commit(requestId))
      await fixture.clock.advance(1_000)
      expect(await commit).toBe('no_maker_confirmed')
    }
    expect(await fixture.ports.book.demoted()).toHaveLength(1)
    await decide(fixture, false)
    expect(await fixture.ports.book.demoted()).toEqual([])
  })
})
