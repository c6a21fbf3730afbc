import type { Clock } from '../../relay/ports/clock.ts'
import type { FanOut } from './fan-out.ts'

/**
 * A fan-out whose frames of one turn of the event loop are written together, after it. A busy relay opens several requests
 * in a turn: a write to each maker for each of them was 4 to 9 % of what a round of ten makers costs.
 */
export function byTurn(fanOut: FanOut, { afterTurn }: Pick<Clock, 'afterTurn'>): FanOut {
  let frames: Buffer[] = []

  function flush(): void {
    const [first, ...others] = frames
    frames = []
    if (first !== undefined) fanOut.send(others.length === 0 ? first : Buffer.concat([first, ...others]))
  }

  return {
    // Who comes in the middle of a turn has been told already of what is still to be written.
    add: (stream) => {
      flush()
      return fanOut.add(stream)
    },
    send: (frame) => {
      if (frames.push(frame) === 1) afterTurn(flush)
    },
  }
}
