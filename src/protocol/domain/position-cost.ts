import type { Position } from './position.ts'
import { type Usd6, usd6 } from './units.ts'

/**
 * Change of a wallet's position in a series by one transaction: options gained (negative: given up) and micro-dollars paid for it
 * (negative: received), collateral included; null where options came from another wallet.
 */
export type PositionChange = { long: bigint; short: bigint; paid: Usd6 | null }

/**
 * Premiums, fees and collateral paid for a position, less what came back, micro-dollars. `moved`: options came from or went to
 * another wallet, maybe for money; `earlier`: changes before the known ones made a part of it.
 */
export type PositionCost = Usd6 | 'moved' | 'earlier'

/**
 * The cost of a position from its changes, newest first. They are followed back to the point at which the wallet had no position,
 * so that earlier purchases and sales do not count.
 */
export function costOf(
  { long, short }: Pick<Position, 'long' | 'short'>,
  changes: Iterable<PositionChange>,
): PositionCost {
  let longBefore: bigint = long
  let shortBefore: bigint = short
  let cost = 0n
  if (longBefore === 0n && shortBefore === 0n) return usd6(0n)
  for (const { long, short, paid } of changes) {
    if (paid === null) return 'moved'
    cost += paid
    longBefore -= long
    shortBefore -= short
    // Fewer than none: options have gone to another wallet since.
    if (longBefore < 0n || shortBefore < 0n) return 'moved'
    if (longBefore === 0n && shortBefore === 0n) return usd6(cost)
  }
  return 'earlier'
}
