import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { AuditEntry } from '../domain/audit.ts'
import type { AuthorityRecord } from '../domain/authority.ts'
import type { MakerStanding, RequestSnapshot, SeriesProgress } from '../domain/operations.ts'
import { AUDIT_ENTRIES, decodeAuditEntry, encodeAuditEntry } from './audit.ts'
import { AuthorityFields, decodeAuthority, encodeAuthority } from './authority.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { decodeHealth, encodeHealth, type Health, HealthFields } from './health.ts'
import { parseJson } from './json.ts'
import { decodeMakerStanding, encodeMakerStanding, MakerStandingFields } from './maker-standing.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { decodeRequestSnapshot, encodeRequestSnapshot, RequestSnapshotFields } from './request-snapshot.ts'
import { Count, described } from './schemas.ts'
import { decodeSeriesProgress, encodeSeriesProgress, SeriesProgressFields } from './series-progress.ts'
import type { SseFrame } from './sse.ts'

const OperatorConnectedEvent = Type.Object({
  serverTime: field.serverTime,
  mode: field.mode,
  chainId: field.chainId,
})

/** The event before a snapshot: what is known from before is void. */
export const OperatorSnapshotEvent = Type.Object({ openRequests: described(Count, 'Number of open requests.', 1) })

/** All events of the stream by name: current states, and the events of a request. */
export const OPERATOR_STREAM_EVENTS = {
  connected: OperatorConnectedEvent,
  snapshot_begin: OperatorSnapshotEvent,
  snapshot_complete: Type.Object({}),
  request: RequestSnapshotFields,
  maker: MakerStandingFields,
  series: SeriesProgressFields,
  health: HealthFields,
  authority: AuthorityFields,
  ...AUDIT_ENTRIES,
} as const satisfies Record<Exclude<OperatorEvent['kind'], 'happened'> | AuditEntry['kind'], JsonSchema>

const readConnected = createReader(OperatorConnectedEvent, 'the event')
const readSnapshot = createReader(OperatorSnapshotEvent, 'the event')
const readRequest = createReader(RequestSnapshotFields, 'the event')
const readMaker = createReader(MakerStandingFields, 'the event')
const readSeries = createReader(SeriesProgressFields, 'the event')
const readHealth = createReader(HealthFields, 'the event')
const readAuthority = createReader(AuthorityFields, 'the event')

/** An event of the operator's stream. A state replaces an earlier one of the same name. */
export type OperatorEvent =
  /** `serverTime` is the relay's clock, Unix milliseconds; `mode` and `chainId` identify the settlement. */
  | { kind: 'connected'; serverTime: number; mode: 'onchain' | 'simulated'; chainId: number }
  /** The whole state follows, with `openRequests` in all. */
  | { kind: 'snapshot_begin'; openRequests: number }
  /** The events that follow are new. */
  | { kind: 'snapshot_complete' }
  | { kind: 'request'; request: RequestSnapshot }
  | { kind: 'maker'; maker: MakerStanding }
  | { kind: 'series'; progress: SeriesProgress }
  | { kind: 'health'; health: Health }
  | { kind: 'authority'; authority: AuthorityRecord }
  /** An entry of the audit log; `id` rises. */
  | { kind: 'happened'; id: number; entry: AuditEntry }

export const operatorConnectedFrame = (
  relay: Omit<Extract<OperatorEvent, { kind: 'connected' }>, 'kind'>,
): SseFrame => ({
  event: 'connected',
  data: { ...relay, serverTime: encodeTime(relay.serverTime) } satisfies Static<typeof OperatorConnectedEvent>,
})

export const operatorSnapshotFrame = (openRequests: number): SseFrame => ({
  event: 'snapshot_begin',
  data: { openRequests } satisfies Static<typeof OperatorSnapshotEvent>,
})

/** The frame after a snapshot, with the position that live events follow. */
export const operatorSnapshotEndFrame = (position: number): SseFrame => ({
  event: 'snapshot_complete',
  data: {},
  id: position,
})

export const requestSnapshotFrame = (standing: Parameters<typeof encodeRequestSnapshot>[0]): SseFrame => ({
  event: 'request',
  data: encodeRequestSnapshot(standing),
})

export const makerStandingFrame = (standing: Parameters<typeof encodeMakerStanding>[0]): SseFrame => ({
  event: 'maker',
  data: encodeMakerStanding(standing),
})

export const seriesProgressFrame = (progress: Parameters<typeof encodeSeriesProgress>[0]): SseFrame => ({
  event: 'series',
  data: encodeSeriesProgress(progress),
})

export const healthFrame = (report: Parameters<typeof encodeHealth>[0]): SseFrame => ({
  event: 'health',
  data: encodeHealth(report),
})

export const authorityFrame = (standing: AuthorityRecord): SseFrame => ({
  event: 'authority',
  data: encodeAuthority(standing),
})

/** The frame of an audit entry; the event is named by the entry's kind. */
export const happenedFrame = ({ id, entry }: { id: number; entry: AuditEntry }): SseFrame => ({
  event: entry.kind,
  data: encodeAuditEntry(entry),
  id,
})

/** An event of the stream; null for one that this version does not know. */
export function decodeOperatorEvent(frame: {
  event: string
  data: string
  id?: string | undefined
}): OperatorEvent | null {
  const { event, data, id } = frame
  const value = parseJson(data)
  switch (event) {
    case 'connected': {
      const { serverTime, mode, chainId } = readConnected(value)
      return { kind: event, serverTime: decodeTime(serverTime, 'serverTime'), mode, chainId }
    }
    case 'snapshot_begin':
      return { kind: event, openRequests: readSnapshot(value).openRequests }
    case 'snapshot_complete':
      return { kind: event }
    case 'request':
      return { kind: event, request: decodeRequestSnapshot(readRequest(value)) }
    case 'maker':
      return { kind: event, maker: decodeMakerStanding(readMaker(value)) }
    case 'series':
      return { kind: event, progress: decodeSeriesProgress(readSeries(value)) }
    case 'health':
      return { kind: event, health: decodeHealth(readHealth(value)) }
    case 'authority':
      return { kind: event, authority: decodeAuthority(readAuthority(value)) }
    default: {
      const entry = decodeAuditEntry(event, value)
      return entry === null ? null : { kind: 'happened', id: Number(id ?? 0), entry }
    }
  }
}
