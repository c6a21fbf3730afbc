import type { ClosedStatus } from '../../domain/request.ts'
import type { Acceptance } from './store.ts'

/**
 * What nodes that share a store leave to each other when one dies or stands still. All of it is judged by the store's clock,
 * and each piece is given to one caller at a time.
 */
export type Handover = {
  /** Times out the pending acceptances whose deadline passed a while ago: their own node would have done so. */
  endOverdue: () => Promise<readonly Acceptance[]>
  /** Requests that were closed a while ago, and whose end was told to nobody yet. */
  unannounced: () => Promise<readonly { requestId: string; status: ClosedStatus }[]>
  /** The end of a request was told. */
  announced: (requestId: string) => Promise<void>
}
