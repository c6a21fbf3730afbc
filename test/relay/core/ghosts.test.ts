import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, type TestMaker, type TestRelay } from '../../support/test-relay.ts'

const HONEST_PRICE = usd6(200_000n)

/** A fixture with an honest maker and makers that quote better, have sockets, and never sign. */
async function fixtureWith(ghosts: number, settings: Parameters<typeof createTestRelay>[0] = {}) {
  const fixture = createTestRelay(settings)
  const honest = await fixture.connect('honest')
  for (let n = 0; n < ghosts; n += 1) await fixture.connect(`ghost-${n}`)
  return { fixture, honest }
}

/** A request that everybody quotes on. */
async function raced(fixture: TestRelay, ghosts: number): Promise<string> {
  const { requestId } = await fixture.open()
  for (let n = 0; n < ghosts; n += 1) await fixture.quote(`ghost-${n}`, requestId, { price: usd6(BigInt(10_000 + n)) })
  await fixture.quote('honest', requestId, { price: HONEST_PRICE })
  return requestId
}

/** A confirmation of the honest maker that is on record. */
async function prove(fixture: TestRelay, honest: TestMaker): Promise<void> {
  const { requestId } = await fixture.open()
  await fixture.quote('honest', requestId)
  const commit = fixture.commit(requestId)
  await settle()
  await honest.confirm()
  await commit
}

/** How long a commit takes until the honest maker has signed, in milliseconds. */
async function commitTime(fixture: TestRelay, honest: TestMaker, requestId: string): Promise<number> {
  const startedAt = fixture.clock.now()
  const asked = honest.accepted().length
  const commit = fixture.commit(requestId)
  await settle()
  while (honest.accepted().length === asked && fixture.clock.now() - startedAt < 60_000)
    await fixture.clock.advance(100)
  await honest.confirm()
  expect((await commit).execution.acceptance.makerId).toBe('honest')
  return fixture.clock.now() - startedAt
}

describe.each([0, 1, 5, 10])('a commit with %d makers before an honest one that never sign', (ghosts) => {
  it('ends with the honest one within 5 s, the first time and the second, once it has a record', async () => {
    const { fixture, honest } = await fixtureWith(ghosts)
    await prove(fixture, honest)
    const expected = Math.min(ghosts, 2) * 2_500
    expect(await commitTime(fixture, honest, await raced(fixture, ghosts))).toBe(expected)
    expect(await commitTime(fixture, honest, await raced(fixture, ghosts))).toBe(expected)
  })

  it('takes no time once each of them has missed twice', async () => {
    const { fixture, honest } = await fixtureWith(ghosts)
    await prove(fixture, honest)
    // Two of them a commit, and each of them twice.
    const commits = 2 * Math.ceil(ghosts / 2)
    for (let n = 0; n < commits; n += 1) await commitTime(fixture, honest, await raced(fixture, ghosts))
    expect(await commitTime(fixture, honest, await raced(fixture, ghosts))).toBe(0)
  })

  it('knows the record of the honest one after a restart', async () => {
    const { fixture, honest } = await fixtureWith(ghosts)
    await prove(fixture, honest)
    const after = await fixture.restart()
    const back = await after.connect('honest')
    for (let n = 0; n < ghosts; n += 1) await after.connect(`ghost-${n}`)
    expect(await commitTime(after, back, await raced(after, ghosts))).toBe(Math.min(ghosts, 2) * 2_500)
  })
})

describe('makers that are others with each commit', () => {
  /** What commits wait in all, in seconds, each with two makers of which nobody has heard before an honest one. */
  async function waitedS(commits: number, { declining }: { declining: boolean }) {
    const { fixture, honest } = await fixtureWith(0)
    await prove(fixture, honest)
    let waitedMs = 0
    for (let n = 0; n < commits; n += 1) {
      const { requestId } = await fixture.open()
      const names = [0, 1].map((ghost) => `account-${n}-${ghost}`)
      const ghosts = await Promise.all(names.map((name) => fixture.connect(name)))
      for (const name of names) await fixture.quote(name, requestId, { price: usd6(10_000n) })
      await fixture.quote('honest', requestId, { price: HONEST_PRICE })
      const startedAt = fixture.clock.now()
      const asked = honest.accepted().length
      const commit = fixture.commit(requestId)
      await settle()
      while (honest.accepted().length === asked) {
        await fixture.clock.advance(2_400)
        for (const [ghost, makerId] of ghosts.map((one, index) => [one, names[index] as string] as const)) {
          const quoteId = ghost.accepted().at(-1)?.quoteId
          if (declining && quoteId !== undefined) await refusal(fixture.relay.decline({ makerId, quoteId }))
        }
        await fixture.clock.advance(100)
      }
      await honest.confirm()
      expect((await commit).execution.acceptance.makerId).toBe('honest')
      waitedMs += fixture.clock.now() - startedAt
    }
    return { waitedS: waitedMs / 1_000, fixture, honest }
  }

  it.each([
    ['say nothing', false],
    ['decline at the last moment', true],
  ])('hold commits up for a minute in all, and from then on one in 30 s, when they %s', async (_, declining) => {
    const most = 20 * 2.5
    const { waitedS: waited, fixture, honest } = await waitedS(30, { declining })
    expect(waited).toBeGreaterThan(most / 2)
    expect(waited).toBeLessThanOrEqual(most + 5)
    const { requestId } = await fixture.open()
    await fixture.clock.advance(30_000)
    await fixture.connect('newcomer')
    await fixture.quote('newcomer', requestId, { price: usd6(10_000n) })
    await fixture.quote('honest', requestId, { price: HONEST_PRICE })
    expect(await commitTime(fixture, honest, requestId)).toBe(2_500)
  })
})

describe('the time to sign', () => {
  const deadlineOf = async (maker: TestMaker) => {
    await settle()
    const { deadline, createdAt } = maker.accepted().at(-1) as ReturnType<TestMaker['accepted']>[number]
    return deadline - createdAt
  }

  it('is the whole of it among makers of which none has a record', async () => {
    const fixture = createTestRelay()
    const makers = await Promise.all(['ada', 'bob'].map((name) => fixture.connect(name)))
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.quote('bob', requestId, { price: HONEST_PRICE })
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(20_000)
    expect(await commit).toBe('no_maker_confirmed')
    for (const maker of makers) expect(await deadlineOf(maker)).toBe(10_000)
  })

  it('is less only for one without a record before one with a record, and the order says so', async () => {
    const { fixture, honest } = await fixtureWith(1)
    const ghost = await fixture.connect('ghost-0')
    await prove(fixture, honest)
    const requestId = await raced(fixture, 1)
    const commit = fixture.commit(requestId)
    expect(await deadlineOf(ghost)).toBe(2_500)
    const [pending] = await fixture.ports.store.acceptances.pending()
    expect(pending?.order.validUntil).toBe((pending?.createdAt ?? 0) / 1_000 + 130)
    await fixture.clock.advance(2_499)
    expect(honest.accepted()).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(await deadlineOf(honest)).toBe(10_000)
    await honest.confirm()
    await commit
  })

  it('is the whole of it once more for those that are left when the ones with a record have missed', async () => {
    const { fixture, honest } = await fixtureWith(3)
    await prove(fixture, honest)
    const requestId = await raced(fixture, 3)
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(2 * 2_500 + 2 * 10_000)
    expect(await commit).toBe('no_maker_confirmed')
    const waits = fixture.auditLog.flatMap((entry) =>
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
    const { fixture, honest } = await fixtureWith(1, { settings })
    await prove(fixture, honest)
    expect(await commitTime(fixture, honest, await raced(fixture, 1))).toBe(0)
    const two = await fixtureWith(2, { settings: { ...settings, maxCandidates: 2 } })
    await prove(two.fixture, two.honest)
    expect(await commitTime(two.fixture, two.honest, await raced(two.fixture, 2))).toBe(1_000)
  })

  it('is the whole of it where the last confirmation of those behind is too long ago', async () => {
    const { fixture, honest } = await fixtureWith(0, { settings: { makerRecordMs: 60_000 } })
    const late = await fixture.connect('late')
    await prove(fixture, honest)
    await fixture.clock.advance(60_001)
    const { requestId } = await fixture.open()
    await fixture.quote('late', requestId)
    await fixture.quote('honest', requestId, { price: HONEST_PRICE })
    void fixture.commit(requestId).catch(() => {})
    expect(await deadlineOf(late)).toBe(10_000)
  })
})

describe('misses of a maker', () => {
  it('are remembered by makerId and never by the wallet that its quotes name', async () => {
    const { fixture, honest } = await fixtureWith(1)
    for (const price of [10_000n, 20_000n]) {
      const { requestId } = await fixture.open()
      await fixture.quote('ghost-0', requestId, { maker: honest.wallet, price: usd6(price) })
      const commit = refusal(fixture.commit(requestId))
      await fixture.clock.advance(10_000)
      expect(await commit).toBe('no_maker_confirmed')
    }
    expect((await fixture.ports.book.demoted()).map(({ makerId }) => makerId)).toEqual(['ghost-0'])
    const { requestId } = await fixture.open()
    await fixture.quote('ghost-0', requestId, { price: usd6(10_000n) })
    const quoteId = await fixture.quote('honest', requestId, { price: HONEST_PRICE })
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).best?.quoteId).toBe(quoteId)
  })
})
