import Type, { type Static } from 'typebox'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Figure, Flag, IsoTime, nullable, oneOf, successOf, Text, UnixSeconds } from './schemas.ts'

/** The state of a part; `off`: the relay has no such part. */
export const PartState = oneOf('up', 'down', 'off')

/** Whether the relay can serve, and the parts that it needs for it. */
export const ReadyAnswer = successOf({ ready: Flag, store: PartState, bus: PartState, chain: PartState })

const PartFields = Type.Object({
  state: PartState,
  tookMs: Count,
  detail: nullable(Text),
})

/** The health of a relay, in JSON. */
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

/** The health of a relay. */
export type Health = {
  /** Time of the report, Unix milliseconds. */
  at: number
  /** Whether it takes requests. */
  isReady: boolean
  /** Parts that the relay depends on: the `store`, the `bus` between relays, and the `chain`. */
  parts: { store: HealthPart; bus: HealthPart; chain: HealthPart }
  /** The newest `block` of the chain, its `time` in Unix seconds and its `ageMs`; null where none is known. */
  head: { block: number; time: number; ageMs: number } | null
  /** Makers that receive requests; null if they could not be counted. */
  makersConnected: number | null
  /** Open connections: `maker_stream`, `taker_stream`, `operator_stream` and `maker_socket`. */
  connections: { maker_stream: number; taker_stream: number; operator_stream: number; maker_socket: number }
  /** Streams cut off since the start because their reader was too slow. */
  droppedSlow: number
  /** Delay of the event loop, milliseconds. */
  eventLoopLagMs: number
  /** Memory in use. */
  memoryBytes: number
  /** Time since the start, milliseconds. */
  uptimeMs: number
}

/** The health of a part of a relay. */
export type HealthPart = {
  /** `off` where the relay runs without it. */
  state: 'up' | 'down' | 'off'
  /** Time that the part took to answer, milliseconds. */
  tookMs: number
  /** Fault of the part, for people; null without one. */
  detail: string | null
}

/** Writes the health of a relay. */
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

/** Reads the health of a relay from fields of a checked schema. */
export const decodeHealth = ({ at, ...health }: Static<typeof HealthFields>): Health => ({
  ...health,
  at: decodeTime(at, 'at'),
})

type PartStates = Record<'store' | 'bus' | 'chain', { state: Static<typeof PartState> }>

/** The states of the parts, also shown when the relay is not ready. */
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
