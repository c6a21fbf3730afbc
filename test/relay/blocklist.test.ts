import { describe, expect, it } from 'vitest'
import { usd6 } from '../../src/domain/units.ts'
import type { BookTop } from '../../src/relay/ports/book.ts'
import { createRelay } from '../../src/relay/relay.ts'
import { settle } from '../support/fake-clock.ts'
import { createRelayHouse, RELAY_SETTINGS, type RelayHouse, refusal } from '../support/relay-house.ts'

const STATIC = { staticKeys: [{ digest: 'static-digest', makerId: 'ada' }] }

/** A house in which the key `static` is ada's. */
function openHouse() {
  const house = createRelayHouse({ settings: STATIC })
  const { digest } = house.ports.ids
  house.ports.ids.digest = (text) => (text === 'static' ? 'static-digest' : digest(text))
  return house
}

const decide = ({ relay }: Pick<RelayHouse, 'relay'>, isBlocked: boolean) =>
  relay.blocks.decide({ makerId: 'ada', isBlocked, by: 'Olga', reason: 'never signs' })

describe('a maker that the operator blocks', () => {
  it('is refused by whatever key, with a code that says so, until it is let in again', async () => {
    const house = openHouse()
    expect(await house.relay.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })
    await decide(house, true)
    expect(await refusal(house.relay.authenticateMaker('static'))).toBe('maker_blocked')
    await decide(house, false)
    expect(await house.relay.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })
  })

  it('loses its quotes, which takers hear, and its connections', async () => {
    const house = openHouse()
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    await house.quote('bob', requestId, { price: usd6(130_000n) })
    const tops: BookTop[] = []
    await house.relay.watchRequest({ requestId, takerSecret: null, onChange: (top) => tops.push(top) })
    const codes: string[] = []
    house.relay.watchMaker({ makerId: 'ada', key: null }, (code) => codes.push(code))
    house.relay.watchMaker({ makerId: 'bob', key: null }, (code) => codes.push(code))
    await decide(house, true)
    expect(tops).toMatchObject([{ best: { makerId: 'bob' }, quoteCount: 1 }])
    expect(codes).toEqual(['maker_blocked'])
    expect(house.trail.at(-1)).toMatchObject({ kind: 'quote_withdrawn', makerId: 'ada' })
    house.relay.watchMaker({ makerId: 'ada', key: null }, (code) => codes.push(code))
    expect(codes).toHaveLength(2)
  })

  it('does not quote with what was on its way', async () => {
    const house = openHouse()
    const { requestId } = await house.open()
    await decide(house, true)
    expect(await refusal(house.quote('ada', requestId))).toBe('maker_blocked')
    expect((await house.ports.book.top(requestId))?.quoteCount).toBe(0)
  })

  it('is not waited for: the commit that had asked it goes on at once, and its late signature counts for nothing', async () => {
    const house = openHouse()
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const { requestId } = await house.open()
    const quoteId = await house.quote('ada', requestId)
    await house.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = house.commit(requestId)
    await settle()
    const signature = await ada.sign()
    await decide(house, true)
    await house.clock.advance(50)
    expect(await refusal(house.relay.confirm({ makerId: 'ada', quoteId, signature }))).toBe('no_pending_acceptance')
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(house.trail).toContainEqual(
      expect.objectContaining({ kind: 'declined', makerId: 'ada', reason: 'The operator has blocked the maker.' }),
    )
  })

  it('stays out after a restart, and who decided it when and why is known', async () => {
    const house = openHouse()
    await decide(house, true)
    const at = house.clock.now()
    await house.clock.advance(5)
    const after = await house.restart()
    expect(await refusal(after.relay.authenticateMaker('static'))).toBe('maker_blocked')
    expect(await after.relay.blocks.list()).toEqual([
      { makerId: 'ada', isBlocked: true, at, by: 'Olga', reason: 'never signs' },
    ])
    await decide(after, false)
    expect(await after.relay.blocks.list()).toMatchObject([{ makerId: 'ada', isBlocked: false, at: at + 5 }])
    expect(house.log.lines.filter(({ event }) => event.startsWith('maker_'))).toMatchObject([
      { event: 'maker_blocked' },
      { event: 'maker_unblocked' },
    ])
  })

  it('is out on other nodes too, at once by the bus, and within 20 s where its message was lost', async () => {
    const house = openHouse()
    const other = createRelay(house.ports, { ...RELAY_SETTINGS, ...STATIC })
    await decide(house, true)
    await settle()
    expect(await refusal(other.authenticateMaker('static'))).toBe('maker_blocked')
    await decide(house, false)
    expect(await other.authenticateMaker('static')).toMatchObject({ makerId: 'ada' })

    await other.start()
    const { publish } = house.ports.bus
    house.ports.bus.publish = async () => {}
    const closed: string[] = []
    other.watchMaker({ makerId: 'ada', key: null }, (code) => closed.push(code))
    await decide(house, true)
    expect(closed).toEqual([])
    await house.clock.advance(20_000)
    expect(closed).toEqual(['maker_blocked'])
    house.ports.bus.publish = publish
    other.stop()
  })

  it('has its misses forgotten when it is let in again', async () => {
    const house = openHouse()
    for (let n = 0; n < 2; n += 1) {
      const { requestId } = await house.open()
      await house.quote('ada', requestId)
      const commit = refusal(house.commit(requestId))
      await house.clock.advance(1_000)
      expect(await commit).toBe('no_maker_confirmed')
    }
    expect(await house.ports.book.demoted()).toHaveLength(1)
    await decide(house, false)
    expect(await house.ports.book.demoted()).toEqual([])
  })
})
