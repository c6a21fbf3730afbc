import { expect, it } from 'vitest'
import type { AuthorityEvent, AuthorityRecord } from '../../../src/protocol/domain/authority.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { watchAuthority } from '../../../src/relay/core/background.ts'
import type { OperatorNews } from '../../../src/relay/core/operations.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { createTestRelay, TAKER } from '../../support/test-relay.ts'

const VOIDED: AuthorityEvent = {
  kind: 'price_voided',
  blockNumber: 7,
  transactionHash: `0x${'ab'.repeat(32)}`,
  role: null,
  account: null,
  seriesId: '42',
  resolutionBps: 59 as ResolutionBps,
  effectiveAt: null,
}

const standingOf = (events: readonly AuthorityEvent[]): AuthorityRecord => ({
  roles: [
    { role: 'owner', holder: TAKER, proposed: null },
    { role: 'guardian', holder: TAKER, proposed: { account: TAKER, acceptableAt: 1, lapsesAt: 2 } },
  ],
  events,
})

function fakeAuthority() {
  const fake = {
    standing: standingOf([]),
    news: [] as AuthorityEvent[],
    read: async () => ({ standing: fake.standing, news: fake.news }),
    last: () => fake.standing,
  }
  return fake
}

it('an action by the holder of a role is logged, with its series', async () => {
  const authority = fakeAuthority()
  const log = createFakeLog()
  await watchAuthority({ authority, log })
  expect(log.lines).toEqual([])
  authority.news = [VOIDED]
  await watchAuthority({ authority, log })
  const fields = { code: 'price_voided', reason: 'price voided: $0.59', seriesId: '42' }
  expect(log.lines).toEqual([{ level: 'warn', event: 'authority_used', fields }])
  await watchAuthority({ authority: null, log })
})

it('an operator is shown who holds the roles, and again when that changes', async () => {
  const authority = fakeAuthority()
  const fixture = createTestRelay({ ports: { authority } })
  expect((await fixture.operations.feed.open(null)).state.authority).toEqual(standingOf([]))
  const news: OperatorNews[] = []
  const stop = fixture.operations.feed.listen((item) => news.push(item))
  await fixture.clock.advance(4_000)
  authority.standing = standingOf([VOIDED])
  await fixture.clock.advance(4_000)
  authority.standing = standingOf([VOIDED])
  await fixture.clock.advance(4_000)
  stop()
  expect(news.filter(({ kind }) => kind === 'authority')).toEqual([
    { kind: 'authority', authority: standingOf([]) },
    { kind: 'authority', authority: standingOf([VOIDED]) },
  ])
  expect((await fixture.operations.metrics()).text).toContain('"rolesPending":1')
})
