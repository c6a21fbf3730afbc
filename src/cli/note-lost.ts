import type { OnLink } from '../client/link.ts'
import { duration } from './format.ts'
import type { Output } from './output.ts'

/** Says that a connection is lost and when it is tried again, for commands that follow one. Programs are not told. */
export const noteLost =
  ({ note, paint }: Output): OnLink =>
  (state) => {
    if (state.kind === 'lost') note(paint.yellow(`lost the relay, tries again in ${duration(state.retryInMs)}`))
  }
