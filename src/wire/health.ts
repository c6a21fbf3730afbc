import Type, { type Static } from 'typebox'
import { decodeTime, encodeTime } from './fields.ts'
import { Count, Figure, Flag, IsoTime, nullable, oneOf, Text, UnixSeconds } from './schemas.ts'

const PartFields = Type.Object({
  state: oneOf('up', 'down', 'off'),
  tookMs: Count,
  detail: nullable(Text),
})

/** How a relay is doing. */
export const HealthFields = Type.Object({
  at: IsoTime,
  isReady: Flag,
  parts: Type.Object({ store: PartFields, bus: PartFields, chain: PartFields }),
  head: nullable(Type.Object({ block: Count, time: UnixSeconds, ageMs: Count }, { description: 'an object' })),
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

/** How a relay is doing; `at` in Unix milliseconds. */
export type Health = Omit<Static<typeof HealthFields>, 'at'> & { at: number }

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
