import type { AuditEntry } from '../domain/audit.ts'
import { makerOf } from '../domain/audit.ts'
import { afterFact, type MakerFact, type MakerRecord, NEW_MAKER } from '../domain/reliability.ts'
import type { AuditEvent, AuditFeed } from './ports/operations.ts'
import type { ConnectedMaker, Presence } from './ports/presence.ts'

/** A maker as operators see it: how it is connected now, and what it has done. */
export type MakerStanding = { makerId: string; streams: number; sockets: number; record: MakerRecord }

/** What makers have done since the relay started. */
export type MakerLedger = {
  /** All makers that are connected or have done something. */
  standings: () => Promise<readonly MakerStanding[]>
}

/** A maker that was heard of, the how manieth time that was of all. */
type Maker = { record: MakerRecord; heard: number }

/** Beyond this many makers the one that was heard of longest ago is forgotten: makerIds of strangers have no end. */
const MAKERS_KEPT = 5_000

/**
 * A ledger over what this process adds to the audit trail, from now on: following all nodes would bring every quote of
 * each to each.
 */
export function createMakerLedger({
  ownAuditFeed,
  presence,
}: {
  ownAuditFeed: AuditFeed
  presence: Presence
}): MakerLedger {
  const makers = new Map<string, Maker>()
  let heard = 0

  function note({ entry }: AuditEvent): void {
    const makerId = makerOf(entry)
    if (makerId === null) return
    const maker = makers.get(makerId) ?? meet(makerId)
    heard += 1
    maker.heard = heard
    if (isFact(entry)) maker.record = afterFact(maker.record, entry)
  }

  function meet(makerId: string): Maker {
    if (makers.size >= MAKERS_KEPT) forgetOldest(makers)
    const maker = { record: NEW_MAKER, heard }
    makers.set(makerId, maker)
    return maker
  }

  ownAuditFeed.listen((events) => events.forEach(note))

  return {
    standings: async () => {
      const connected = byMaker(await presence.list())
      const makerIds = new Set([...connected.keys(), ...makers.keys()])
      return [...makerIds].map((makerId) => ({
        makerId,
        streams: connected.get(makerId)?.streams ?? 0,
        sockets: connected.get(makerId)?.sockets ?? 0,
        record: makers.get(makerId)?.record ?? NEW_MAKER,
      }))
    },
  }
}

/** Looked for when a maker is new: to keep all in order would move one with every quote. */
function forgetOldest(makers: Map<string, Maker>): void {
  let oldest: string | null = null
  let heard = Number.POSITIVE_INFINITY
  for (const [makerId, maker] of makers) {
    if (maker.heard >= heard) continue
    oldest = makerId
    heard = maker.heard
  }
  if (oldest !== null) makers.delete(oldest)
}

/** Streams without a key count one by one (ruling M3), but are shown as one maker. */
function byMaker(connected: readonly ConnectedMaker[]): ReadonlyMap<string, ConnectedMaker> {
  const makers = new Map<string, ConnectedMaker>()
  for (const { makerId: name, streams, sockets } of connected) {
    const makerId = name.startsWith('anonymous ') ? 'anonymous' : name
    const sum = makers.get(makerId) ?? { makerId, streams: 0, sockets: 0 }
    makers.set(makerId, { makerId, streams: sum.streams + streams, sockets: sum.sockets + sockets })
  }
  return makers
}

const FACTS: ReadonlySet<string> = new Set<MakerFact['kind']>([
  'quoted',
  'quote_refused',
  'asked',
  'confirmed',
  'declined',
  'missed',
  'passed_over',
])

const isFact = (entry: AuditEntry): entry is Extract<AuditEntry, { kind: MakerFact['kind'] }> => FACTS.has(entry.kind)
