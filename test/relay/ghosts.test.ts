import { describe, expect, it } from 'vitest'
import { usd6 } from '../../src/domain/units.ts'
import { settle } from '../support/fake-clock.ts'
import { createRelayHouse, type RelayHouse, refusal, type TestMaker } from '../support/relay-house.ts'

const HONEST_PRICE = usd6(200_000n)

/** A house with an honest maker and makers that quote better, have sockets, and never sign. */
async function houseWith(ghosts: number, settings: Parameters<typeof createRelayHouse>[0] = {}) {
  const house = createRelayHouse(settings)
  const honest = await house.connect('honest')
  for (let n = 0; n < ghosts; n += 1) await house.connect(`ghost-${n}`)
  return { house, honest }
}

/** A request that everybody quotes on. */
async function raced(house: RelayHouse, ghosts: number): Promise<string> {
  const { requestId } = await house.open()
  for (let n = 0; n < ghosts; n += 1) await house.quote(`ghost-${n}`, requestId, { price: usd6(BigInt(10_000 + n)) })
  await house.quote('honest', requestId, { price: HONEST_PRICE })
  return requestId
}

/** A confirmation of the honest maker that is on record. */
async function prove(house: RelayHouse, honest: TestMaker): Promise<void> {
  const { requestId } = await house.open()
  await house.quote('honest', requestId)
  const commit = house.commit(requestId)
  await settle()
  await honest.confirm()
  await commit
}

/** How long a commit takes until the honest maker has signed, in milliseconds. */
async function commitTime(house: RelayHouse, honest: TestMaker, requestId: string): Promise<number> {
  const startedAt = house.clock.now()
  const asked = honest.accepted().length
  const commit = house.commit(requestId)
  await settle()
  while (honest.accepted().length === asked && house.clock.now() - startedAt < 60_000) await house.clock.advance(100)
  await honest.confirm()
  expect((await commit).execution.acceptance.makerId).toBe('honest')
  return house.clock.now() - startedAt
}

describe.each([0, 1, 5, 10])('a commit with %d makers before an honest one that never sign', (ghosts) => {
  it('ends with the honest one within 5 s, the first time and the second, once it has a record', async () => {
    const { house, honest } = await houseWith(ghosts)
    await prove(house, honest)
    const expected = Math.min(ghosts, 2) * 2_500
    expect(await commitTime(house, honest, await raced(house, ghosts))).toBe(expected)
    expect(await commitTime(house, honest, await raced(house, ghosts))).toBe(expected)
  })

  it('takes no time once each of them has missed twice', async () => {
    const { house, honest } = await houseWith(ghosts)
    await prove(house, honest)
    // Two of them a commit, and each of them twice.
    const commits = 2 * Math.ceil(ghosts / 2)
    for (let n = 0; n < commits; n += 1) await commitTime(house, honest, await raced(house, ghosts))
    expect(await commitTime(house, honest, await raced(house, ghosts))).toBe(0)
  })

  it('knows the record of the honest one after a restart', async () => {
    const { house, honest } = await houseWith(ghosts)
    await prove(house, honest)
    const after = await house.restart()
    const back = await after.connect('honest')
    for (let n = 0; n < ghosts; n += 1) await after.connect(`ghost-${n}`)
    expect(await commitTime(after, back, await raced(after, ghosts))).toBe(Math.min(ghosts, 2) * 2_500)
  })
})

describe('the time to sign', () => {
  const deadlineOf = async (maker: TestMaker) => {
    await settle()
    const { deadline, createdAt } = maker.accepted().at(-1) as ReturnType<TestMaker['accepted']>[number]
    return deadline - createdAt
  }

  it('is the whole of it among makers of which none has a record', async () => {
    const house = createRelayHouse()
    const makers = await Promise.all(['ada', 'bob'].map((name) => house.connect(name)))
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    await house.quote('bob', requestId, { price: HONEST_PRICE })
    const commit = refusal(house.commit(requestId))
    await house.clock.advance(20_000)
    expect(await commit).toBe('no_maker_confirmed')
    for (const maker of makers) expect(await deadlineOf(maker)).toBe(10_000)
  })

  it('is less only for one without a record before one with a record, and the order says so', async () => {
    const { house, honest } = await houseWith(1)
    const ghost = await house.connect('ghost-0')
    await prove(house, honest)
    const requestId = await raced(house, 1)
    const commit = house.commit(requestId)
    expect(await deadlineOf(ghost)).toBe(2_500)
    const [pending] = await house.ports.store.acceptances.pending()
    expect(pending?.order.validUntil).toBe((pending?.createdAt ?? 0) / 1_000 + 130)
    await house.clock.advance(2_499)
    expect(honest.accepted()).toHaveLength(1)
    await house.clock.advance(1)
    expect(await deadlineOf(honest)).toBe(10_000)
    await honest.confirm()
    await commit
  })

  it('is the whole of it once more for those that are left when the ones with a record have missed', async () => {
    const { house, honest } = await houseWith(3)
    await prove(house, honest)
    const requestId = await raced(house, 3)
    const commit = refusal(house.commit(requestId))
    await house.clock.advance(2 * 2_500 + 2 * 10_000)
    expect(await commit).toBe('no_maker_confirmed')
    const waits = house.trail.flatMap((entry) =>
      entry.kind === 'asked' && entry.requestId === requestId ? [[entry.makerId, entry.deadline - entry.at]] : [],
    )
    expect(waits).toEqual([
      ['ghost-0', 2_500],
      ['ghost-1', 2_500],
      ['honest', 10_000],
      ['ghost-2', 10_000],
    ])
  })

  it('never grows by a setting that is longer than the whole, and a maker with a record is not pushed out by few candidates', async () => {
    const settings = { makerConfirmationMs: 1_000, maxCandidates: 1 }
    const { house, honest } = await houseWith(1, { settings })
    await prove(house, honest)
    expect(await commitTime(house, honest, await raced(house, 1))).toBe(0)
    const two = await houseWith(2, { settings: { ...settings, maxCandidates: 2 } })
    await prove(two.house, two.honest)
    expect(await commitTime(two.house, two.honest, await raced(two.house, 2))).toBe(1_000)
  })

  it('is the whole of it where the last confirmation of those behind is too long ago', async () => {
    const { house, honest } = await houseWith(0, { settings: { makerRecordMs: 60_000 } })
    const late = await house.connect('late')
    await prove(house, honest)
    await house.clock.advance(60_001)
    const { requestId } = await house.open()
    await house.quote('late', requestId)
    await house.quote('honest', requestId, { price: HONEST_PRICE })
    void house.commit(requestId).catch(() => {})
    expect(await deadlineOf(late)).toBe(10_000)
  })
})

describe('misses of a maker', () => {
  it('are remembered by makerId and never by the wallet that its quotes name', async () => {
    const { house, honest } = await houseWith(1)
    for (const price of [10_000n, 20_000n]) {
      const { requestId } = await house.open()
      await house.quote('ghost-0', requestId, { maker: honest.wallet, price: usd6(price) })
      const commit = refusal(house.commit(requestId))
      await house.clock.advance(10_000)
      expect(await commit).toBe('no_maker_confirmed')
    }
    expect((await house.ports.book.demoted()).map(({ makerId }) => makerId)).toEqual(['ghost-0'])
    const { requestId } = await house.open()
    await house.quote('ghost-0', requestId, { price: usd6(10_000n) })
    const quoteId = await house.quote('honest', requestId, { price: HONEST_PRICE })
    expect((await house.relay.readRequest({ requestId, takerSecret: null })).best?.quoteId).toBe(quoteId)
  })
})
