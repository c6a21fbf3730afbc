import { expect, test } from 'vitest'
import { type AuthorityEvent, authorityText } from '../../../src/protocol/domain/authority.ts'
import type { Address, ResolutionBps } from '../../../src/protocol/domain/units.ts'

const WALLET: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NOTHING: AuthorityEvent = {
  kind: 'default_cap_changed',
  blockNumber: 7,
  transactionHash: `0x${'ab'.repeat(32)}`,
  role: null,
  account: null,
  seriesId: null,
  resolutionBps: null,
  effectiveAt: null,
}

test.each([
  [{}, 'default cap changed'],
  [
    { kind: 'role_proposed', role: 'resolution_signer', account: WALLET, effectiveAt: 1_800_000_000 },
    `role proposed: resolution signer ${WALLET} from 2027-01-15T08:00Z`,
  ],
  [{ kind: 'role_revoked', role: 'owner', account: WALLET }, `role revoked: owner ${WALLET}`],
  [{ kind: 'price_voided', seriesId: '7', resolutionBps: 59 as ResolutionBps }, 'price voided: $0.59'],
  [
    { kind: 'price_proposal_vetoed', seriesId: '7', resolutionBps: 59 as ResolutionBps },
    'price proposal vetoed: $0.59',
  ],
] as [Partial<AuthorityEvent>, string][])('an action by the holder of a role is a sentence: %j', (changes, text) => {
  expect(authorityText({ ...NOTHING, ...changes })).toBe(text)
})
