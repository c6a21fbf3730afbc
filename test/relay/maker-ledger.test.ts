import { expect, it } from 'vitest'
import { createLocalPresence } from '../../src/adapters/bus/local/presence.ts'
import type { AuditEntry } from '../../src/domain/audit.ts'
import { createMakerLedger } from '../../src/relay/maker-ledger.ts'
import type { AuditEvent } from '../../src/relay/ports/operations.ts'

/** As many as the ledger keeps. */
const MAKERS_KEPT = 5_000

function openLedger() {
  let tell = (_: readonly AuditEvent[]) => {}
  const ledger = createMakerLedger({
    ownAuditFeed: {
      position: async () => 0,
      newest: async () => [],
      since: async () => null,
      listen: (onEvents) => {
        tell = onEvents
        return () => {}
      },
    },
    presence: createLocalPresence(),
  })
  const hear = (makerId: string) => {
    const entry: AuditEntry = { at: 1, requestId: 'r', kind: 'quote_withdrawn', makerId, quoteId: 'q' }
    tell([{ id: 1, entry }])
  }
  const known = async () => new Set((await ledger.standings()).map(({ makerId }) => makerId))
  return { hear, known }
}

it('beyond 5,000 makers the one that was heard of longest ago is forgotten', async () => {
  const { hear, known } = openLedger()
  for (let i = 0; i < MAKERS_KEPT; i += 1) hear(`maker-${i}`)
  hear('maker-0')
  hear('newcomer')
  const makers = await known()
  expect(makers.size).toBe(MAKERS_KEPT)
  expect([makers.has('maker-0'), makers.has('maker-1'), makers.has('newcomer')]).toEqual([true, false, true])
})
