import Type, { type Static } from 'typebox'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Figure, Flag, IsoTime, nullable, oneOf, successOf, Text, UnixSeconds } from './schemas.ts'

/** How a part stands; `off`: there is none. */
export const PartState = oneOf('up', 'down', 'off')

/** Whether the relay can serve, and the parts that it needs for it. */
export const ReadyAnswer = successOf({ ready: Flag, store: PartState, bus: PartState, chain: PartState })

const PartFields = Type.Object({
  state: PartState,
  tookMs: Count,
  detail: nullable(Text),
})

/** How a relay is doing. */
export const HealthFields = Type.Object({
  at: IsoTime,
  isReady: Flag,
  parts: Type.Object({ store: PartFields, bus: PartFields, chain: PartFields }),
  head: nullable(Type.Object({ block: Count, time: UnixSeconds, ageMs: Count })),
  makersConnected: nullable(Count),
  connections: Type.Object({
    maker_stream: Count,
    taker_stream: Count,
    operator_stream: Count,
    maker_socket: Count,
  }),
  droppedSlow: Count,
  eventLoopLagMs: Figure,
  memoryBytes: Count,
  uptimeMs: Count,
})

/** How a relay is doing. */
export type Health = {
  /** When, Unix milliseconds. */
  at: number
  /** Whether it takes requests. */
  isReady: boolean
  /** What it depends on: the `store`, the `bus` between relays, and the `chain`. */
  parts: { store: HealthPart; bus: HealthPart; chain: HealthPart }
  /** The newest `block` of the chain, its `time` in Unix seconds and its `ageMs`; null where none is known. */
  head: { block: number; time: number; ageMs: number } | null
  /** How many makers hear requests; null where that could not be counted. */
  makersConnected: number | null
  /** Open connections: `maker_stream`, `taker_stream`, `operator_stream` and `maker_socket`. */
  connections: { maker_stream: number; taker_stream: number; operator_stream: number; maker_socket: number }
  /** Streams cut off since the start because their reader was too slow. */
  droppedSlow: number
  /** How late the event loop is, milliseconds. */
  eventLoopLagMs: number
  /** Memory in use. */
  memoryBytes: number
  /** Since when it runs, in milliseconds. */
  uptimeMs: number
}

/** How a part of a relay is doing. */
export type HealthPart = {
  /** `off` where the relay runs without it. */
  state: 'up' | 'down' | 'off'
  /** How long it took to answer, milliseconds. */
  tookMs: number
  /** What is wrong, for people; null when nothing is. */
  detail: string | null
}

/** How a relay is doing. */
export const encodeHealth = ({
  at,
  isReady,
  parts,
  head,
  makersConnected,
  vitals,
}: {
  at: number
  isReady: boolean
  parts: Health['parts']
  head: Health['head']
  makersConnected: number | null
  vitals: Pick<Health, 'connections' | 'droppedSlow' | 'eventLoopLagMs' | 'memoryBytes' | 'uptimeMs'>
}): Static<typeof HealthFields> => ({ at: encodeTime(at), isReady, parts, head, makersConnected, ...vitals })

/** How a relay is doing, of a checked schema. */
export const decodeHealth = ({ at, ...health }: Static<typeof HealthFields>): Health => ({
  ...health,
  at: decodeTime(at, 'at'),
})

type PartStates = Record<'store' | 'bus' | 'chain', { state: Static<typeof PartState> }>

/** The states of the parts, also told when the relay is not ready. */
export const partStates = ({ store, bus, chain }: PartStates) => ({
  store: store.state,
  bus: bus.state,
  chain: chain.state,
})

/** That the relay can serve. */
export const encodeReady = (parts: PartStates): Static<typeof ReadyAnswer> => ({
  success: true,
  ready: true,
  ...partStates(parts),
})
