import type { Static } from 'typebox'
import { Flag, oneOf, successOf } from './schemas.ts'

/** How a part stands; `off`: there is none. */
export const PartState = oneOf('up', 'down', 'off')

/** Whether the relay can serve, and the parts that it needs for it. */
export const ReadyAnswer = successOf({ ready: Flag, store: PartState, bus: PartState, chain: PartState })

type Parts = Record<'store' | 'bus' | 'chain', { state: Static<typeof PartState> }>

/** The states of the parts, also told when the relay is not ready. */
export const partStates = ({ store, bus, chain }: Parts) => ({
  store: store.state,
  bus: bus.state,
  chain: chain.state,
})

/** That the relay can serve. */
export const encodeReady = (parts: Parts): Static<typeof ReadyAnswer> => ({
  success: true,
  ready: true,
  ...partStates(parts),
})
