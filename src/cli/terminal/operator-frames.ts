import type { OperatorFrame } from '../../client/operator.ts'
import type { Output } from './output.ts'

/** Prints every event of the operator's feed on a line of its own, as the relay sends it, for programs. */
export async function printFrames(out: Output, frames: AsyncIterable<OperatorFrame>): Promise<void> {
  for await (const { event, id, data } of frames) {
    out.print({ type: event, ...(id === null ? {} : { id: Number(id) }), ...(data as object) }, '')
  }
}
