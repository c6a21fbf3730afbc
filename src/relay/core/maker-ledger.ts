import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { makerOf } from '@rfqctl/protocol/domain/audit'
import {
  afterFact,
  type MakerActivity,
  type MakerFact,
  NEW_MAKER,
  sumRecords,
} from '@rfqctl/protocol/domain/reliability'
import { type ChangedRecords, createPeerRecords, NO_PEERS } from './peer-records.ts'
import type { ConnectedMaker } from './ports/live.ts'
import type { AuditEvent, OperationsPorts } from './ports/operations.ts'

export type KnownMaker = {
  makerId: string
  streams: number
  sockets: number
  record: MakerActivity
  /** Unix milliseconds; null if not demoted. */
  demotedUntil: number | null
  /** Unix milliseconds; null if not suspended, or if the store cannot answer. */
  suspendedUntil: number | null
}

/** Covers the time since the running nodes were started. */
export type MakerLedger = ReturnType<typeof createMakerLedger>

/** `lastEvent` is the sequence number of the maker's last event. */
type Maker = { record: MakerActivity; lastEvent: number }

type Sum = { parts: readonly MakerActivity[]; record: MakerActivity }

/** Beyond it the maker without an event for longest is dropped: strangers can create any number of makerIds. */
const MAKERS_KEPT = 5_000

/** Milliseconds for the other nodes to answer; a later answer counts at the next poll. */
const ANSWER_MS = 100

/** Counts this process's audit log entries from now on, and the records of the other nodes. */
export function createMakerLedger(
  ports: Pick<OperationsPorts, 'ownAuditFeed' | 'store' | 'presence' | 'book' | 'bus' | 'ids' | 'clock' | 'takeover'>,
) {
  const { ownAuditFeed, store, presence, book, bus, ids, clock, takeover } = ports
  const makers = new Map<string, Maker>()
  const sums = new Map<string, Sum>()
  let lastEvent = 0
  const peers = takeover === null ? NO_PEERS : createPeerRecords({ bus, node: ids.uuid(), changedSince })

  function note({ entry }: AuditEvent): void {
    const makerId = makerOf(entry)
    if (makerId === null) return
    const maker = makers.get(makerId) ?? meet(makerId)
    lastEvent += 1
    maker.lastEvent = lastEvent
    if (isFact(entry)) maker.record = afterFact(maker.record, entry)
  }

  function meet(makerId: string): Maker {
    if (makers.size >= MAKERS_KEPT) forgetOldest(makers)
    const maker = { record: NEW_MAKER, lastEvent }
    makers.set(makerId, maker)
    return maker
  }

  function changedSince(change: number): ChangedRecords {
    const changed = [...makers].filter(([, maker]) => maker.lastEvent > change)
    return { change: lastEvent, records: changed.map(([makerId, { record }]) => [makerId, record]) }
  }

  /** Returns the same object while nothing has changed. */
  function recordOf(makerId: string): MakerActivity {
    const own = makers.get(makerId)?.record ?? NEW_MAKER
    const others = peers.of(makerId)
    if (others.length === 0) return own
    const parts = [own, ...others] as const
    const former = sums.get(makerId)
    if (former !== undefined && isSameList(former.parts, parts)) return former.record
    const record = sumRecords([...parts])
    sums.set(makerId, { parts, record })
    return record
  }

  async function askPeers(): Promise<void> {
    if (peers === NO_PEERS) return
    await peers.ask()
    await new Promise<void>((resolve) => clock.schedule(clock.now() + ANSWER_MS, resolve))
  }

  ownAuditFeed.listen((events) => events.forEach(note))

  return {
    makers: async (): Promise<readonly KnownMaker[]> => {
      await askPeers()
      const connected = byMaker(await presence.list())
      const demoted = new Map((await book.demoted()).map(({ makerId, until }) => [makerId, until]))
      const suspended = new Map(
        (await store.makerRecords.suspended().catch(() => [])).map(({ makerId, suspension }) => [makerId, suspension]),
      )
      const judged = [...demoted.keys(), ...suspended.keys()]
      const makerIds = new Set([...connected.keys(), ...makers.keys(), ...peers.makerIds(), ...judged])
      for (const makerId of sums.keys()) if (!makerIds.has(makerId)) sums.delete(makerId)
      return [...makerIds].map((makerId) => ({
        makerId,
        streams: connected.get(makerId)?.streams ?? 0,
        sockets: connected.get(makerId)?.sockets ?? 0,
        record: recordOf(makerId),
        demotedUntil: demoted.get(makerId) ?? null,
        suspendedUntil: suspended.get(makerId)?.until ?? null,
      }))
    },
  }
}

/** Searched when a maker is new: a sorted order would move one maker with every quote. */
function forgetOldest(makers: Map<string, Maker>): void {
  let oldest: string | null = null
  let lastEvent = Number.POSITIVE_INFINITY
  for (const [makerId, maker] of makers) {
    if (maker.lastEvent >= lastEvent) continue
    oldest = makerId
    lastEvent = maker.lastEvent
  }
  if (oldest !== null) makers.delete(oldest)
}

const isSameList = (a: readonly MakerActivity[], b: readonly MakerActivity[]): boolean =>
  a.length === b.length && a.every((record, index) => record === b[index])

/** Streams without a key count separately, but are shown as one maker. */
function byMaker(connected: readonly ConnectedMaker[]): ReadonlyMap<string, ConnectedMaker> {
  const makers = new Map<string, ConnectedMaker>()
  for (const { makerId: name, streams, sockets } of connected) {
    const makerId = name.startsWith('anonymous ') ? 'anonymous' : name
    const sum = makers.get(makerId) ?? { makerId, streams: 0, sockets: 0 }
    makers.set(makerId, { makerId, streams: sum.streams + streams, sockets: sum.sockets + sockets })
  }
  return makers
}

const KINDS = ['quoted', 'quote_refused', 'asked', 'confirmed', 'declined', 'missed', 'passed_over'] as const
const FACTS: ReadonlySet<string> = new Set<MakerFact['kind']>(KINDS)

const isFact = (entry: AuditEntry): entry is Extract<AuditEntry, { kind: MakerFact['kind'] }> => FACTS.has(entry.kind)
