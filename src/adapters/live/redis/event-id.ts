import { EPOCH_SIZE } from '../../../domain/limits.ts'

/** The id of a maker event from its place in the stream, `epoch-offset`. */
export function eventIdOf(streamId: string): number {
  const [epoch, offset] = streamId.split('-')
  return Number(epoch) * EPOCH_SIZE + Number(offset)
}

/** The place of an event in the stream. */
export const streamIdOf = (id: number): string => `${Math.floor(id / EPOCH_SIZE)}-${id % EPOCH_SIZE}`

/** Whether two events are of one epoch: what was told in another one may be lost. */
export const isSameEpoch = (one: number, other: number): boolean =>
  Math.floor(one / EPOCH_SIZE) === Math.floor(other / EPOCH_SIZE)
