import type { Static } from 'typebox'
import * as Type from 'typebox'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, described, Figure, Flag, nullable, oneOf, successOf, UnixSeconds } from './schemas.ts'

const IsReady = described(Flag, 'Whether the relay can serve.', true)

const PartState = oneOf('up', 'down', 'off')

export const PartStates = {
  store: described(PartState, 'The store; `off` when there is none.'),
  bus: described(PartState, 'The bus that carries events between nodes.'),
  chain: described(PartState, 'The chain; `off` in simulated mode.'),
}

export const ReadyAnswer = successOf({ ready: IsReady, ...PartStates })

const PartFields = Type.Object({
  state: described(PartState, 'Status of the component; `off` when there is none.'),
  tookMs: described(Count, 'Time that it took to answer, in milliseconds.', 2),
  detail: nullable(field.detail),
})

export const HealthFields = Type.Object({
  at: field.at,
  isReady: IsReady,
  parts: described(
    Type.Object({
      store: described(PartFields, PartStates.store),
      bus: described(PartFields, PartStates.bus),
      chain: described(PartFields, PartStates.chain),
    }),
    'Components that the relay cannot serve without.',
  ),
  head: nullable(
    described(
      Type.Object({
        block: described(Count, 'Number of the block.', 1_204),
        time: described(UnixSeconds, 'Time of the block in Unix seconds.', 1_799_996_399),
        ageMs: described(Count, 'Age of the block in milliseconds.', 1_000),
      }),
      'The last block; null when the chain cannot be read.',
    ),
  ),
  makersConnected: nullable(field.makersConnected),
  connections: described(
    Type.Object({
      maker_stream: described(Count, 'Streams of makers.', 3),
      taker_stream: described(Count, 'Streams of takers.', 1),
      operator_stream: described(Count, 'Streams of operators.', 1),
      maker_socket: described(Count, 'WebSockets of makers.', 3),
    }),
    'Live connections by channel.',
  ),
  droppedSlow: described(Count, 'Streams dropped because their readers were too slow.', 0),
  eventLoopLagMs: described(Figure, 'Delay of the event loop, in milliseconds.', 0.4),
  memoryBytes: described(Count, 'Memory of the process, in bytes.', 96_000_000),
  uptimeMs: described(Count, 'Uptime of the process, in milliseconds.', 3_600_000),
})

/** The health of a relay. */
export type Health = {
  /** Time of the report, Unix milliseconds. */
  at: number
  /** Whether it takes requests. */
  isReady: boolean
  /** The `bus` is between relays. */
  parts: { store: HealthPart; bus: HealthPart; chain: HealthPart }
  /** The newest `block`, its `time` in Unix seconds and its `ageMs`; null where none is known. */
  head: { block: number; time: number; ageMs: number } | null
  /** Null if they could not be counted. */
  makersConnected: number | null
  /** Open `maker_stream`, `taker_stream`, `operator_stream` and `maker_socket`. */
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

type Vitals = Pick<Health, 'connections' | 'droppedSlow' | 'eventLoopLagMs' | 'memoryBytes' | 'uptimeMs'>

export function encodeHealth(report: Omit<Health, keyof Vitals> & { vitals: Vitals }): Static<typeof HealthFields> {
  const { at, isReady, parts, head, makersConnected, vitals } = report
  return { at: encodeTime(at), isReady, parts, head, makersConnected, ...vitals }
}

export const decodeHealth = ({ at, ...health }: Static<typeof HealthFields>): Health => ({
  ...health,
  at: decodeTime(at, 'at'),
})

type PartStates = Record<'store' | 'bus' | 'chain', { state: Static<typeof PartState> }>

export const partStates = ({ store, bus, chain }: PartStates) => ({
  store: store.state,
  bus: bus.state,
  chain: chain.state,
})

export const encodeReady = (parts: PartStates): Static<typeof ReadyAnswer> => ({
  success: true,
  ready: true,
  ...partStates(parts),
})
