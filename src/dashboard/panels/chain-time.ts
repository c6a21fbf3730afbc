import type { Market } from '../market.ts'

/** The chain's time at the relay's, Unix milliseconds: expiries are judged by it, and it may have been moved ahead. */
export function chainTime({ health }: Market, now: number): number {
  if (health?.head == null) return now
  return now + Math.max(0, health.head.time * 1_000 - health.at)
}
