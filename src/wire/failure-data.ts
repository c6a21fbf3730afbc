import type { ErrorCode } from '../domain/errors.ts'
import type { JsonSchema } from './reader.ts'
import { PartState } from './ready.ts'
import { Count, Dollars, ResolutionPrice, Text, Uint256Text, UnixSeconds } from './schemas.ts'

const series = { seriesId: Uint256Text }

/** The fields that some refusals add to the envelope: figures that a program can go on with. */
export const FAILURE_DATA: Partial<Record<ErrorCode, Readonly<Record<string, JsonSchema>>>> = {
  not_ready: { store: PartState, bus: PartState, chain: PartState },
  too_many_connections: { retryAfterS: Count },
  too_many_requests: { retryAfterS: Count },
  too_many_unfilled_orders: { retryAfterS: Count },
  already_committed: { quoteId: Text, price: Dollars, fillContracts: Count },
  option_expired: { expiry: UnixSeconds, now: UnixSeconds },
  series_not_expired: { ...series, expiry: UnixSeconds, chainTime: UnixSeconds },
  series_already_settled: { ...series, resolutionBps: ResolutionPrice },
  already_resolved: { ...series, resolutionBps: ResolutionPrice },
  manual_review: { ...series, windowStart: UnixSeconds, windowEnd: UnixSeconds },
  faucet_cooldown: { retryAfterS: Count },
  /** Where it is the relay that bounds what it asks of the chain. */
  chain_unavailable: { retryAfterS: Count },
  faucet_exhausted: { retryAfterS: Count },
}
