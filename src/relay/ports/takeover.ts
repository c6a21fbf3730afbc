import type { ClosedStatus } from '../../domain/request.ts'
import type { Acceptance } from './store.ts'

/** What nodes that share a store leave to each other when one dies or stands still. All of it is judged by the store's clock. */
export type Takeover = {
  /** Times out, for one caller each, the pending acceptances whose deadline passed a while ago: their own node would have. */
  endOverdue: () => Promise<readonly Acceptance[]>
  /** Requests that were closed a while ago, and whose end was not told to everyone yet. */
  unannounced: () => Promise<readonly { requestId: string; status: ClosedStatus }[]>
  /** All that ever quoted on a request that was closed, while it is remembered; none once the live market was lost. */
  quotedBy: (requestId: string) => Promise<readonly { makerId: string; quoteId: string }[]>
  /** Notes, in its own time and not before the rejections that were noted earlier, that the end of a request was told. */
  announced: (requestId: string) => void
}
