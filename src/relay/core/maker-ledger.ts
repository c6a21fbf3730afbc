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

/** A maker with its record: how it is connected now, and what it has done. */
export type KnownMaker = {
  makerId: string
  streams: number
  sockets: number
  record: MakerActivity
  /** Until when its quotes rank behind all others, Unix milliseconds; null: they do not. */
  demotedUntil: number | null
  /** Until when it is suspended, Unix milliseconds; null: it is not, or the store cannot tell. */
  suspendedUntil: number | null
}

/** What makers have done since the nodes that run were started. */
export type MakerLedger = {
  /** All makers that are connected, have done something, or are demoted or suspended. */
  makers: () => Promise<readonly KnownMaker[]>
}

/** A record, and the sequence number of the last event about its maker. */
type Maker = { record: MakerActivity; lastEvent: number }

/** A record of all nodes, and what it is the sum of. */
type Sum = { parts: readonly MakerActivity[]; record: MakerActivity }

/** Beyond this many makers the one without an event for longest is forgotten: makerIds of strangers have no end. */
const MAKERS_KEPT = 5_000

/** How long the other nodes may take to answer; who is later is counted at the next poll. In milliseconds. */
const ANSWER_MS = 100

/** A ledger over what this process adds to the audit log, from now on, and what the other nodes tell of theirs. */
export function createMakerLedger({
  ownAuditFeed,
  store,
  presence,
  book,
  bus,
  ids,
  clock,
  takeover,
}: Pick<
  OperationsPorts,
  'ownAuditFeed' | 'store' | 'presence' | 'book' | 'bus' | 'ids' | 'clock' | 'takeover'
>): MakerLedger {
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

  /** The same object for as long as nothing has changed. */
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
    makers: async () => {
      await askPeers()
      const connected = byMaker(await presence.list())
      const demoted = new Map((await book.demoted()).map(({ makerId, until }) => [makerId, until]))
      const suspended = new Map(
        (await store.makerRecords.suspended().catch(() => [])).map(({ makerId, suspension }) => [makerId, suspension]),
      )
      const makerIds = new Set([
        ...connected.keys(),
        ...makers.keys(),
        ...peers.makerIds(),
        ...demoted.keys(),
        ...suspended.keys(),
      ])
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

/** Looked for when a maker is new: to keep all in order would move one with every quote. */
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

/** Streams without a key count one by one, but are shown as one maker. */
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
