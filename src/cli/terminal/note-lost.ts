import type { OnLink } from '../../client/link.ts'
import { duration } from './format.ts'
import type { Output } from './output.ts'

/**
 * Says once that a connection is lost and tried again, and once that it is back, for commands that follow one. Programs
 * are not told.
 */
export function noteLost({ note, paint }: Output): OnLink {
  let isLost = false
  return (state) => {
    if (state.kind === 'lost' && !isLost) {
      note(
        paint.yellow(
          `lost the connection to the relay; trying again in ${duration(state.retryInMs)}, until it is back`,
        ),
      )
      isLost = true
    }
    if (state.kind === 'open' && isLost) {
      note(paint.green('connected to the relay again'))
      isLost = false
    }
  }
}
