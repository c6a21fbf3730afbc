import type { Reservation } from '../../../src/domain/reservation.ts'

/** Ruling C13 as one running sum per question. */
export function owedByRunningSum(
  reservations: readonly Reservation[],
  asker: { makerId: string; spender: 'settlement' | 'core'; chainTime: number },
): { total: bigint; viaSpender: bigint } {
  let total = 0n
  let viaSpender = 0n
  for (const { state, makerId, nonceUsed, takerCanPay, validUntil, amount, spender } of reservations) {
    if (state === 'pending' && makerId !== asker.makerId) continue
    if (state === 'confirmed' && nonceUsed) continue
    if (state === 'confirmed' && !takerCanPay) continue
    if (state === 'confirmed' && validUntil < asker.chainTime) continue
    total += amount
    if (spender === asker.spender) viaSpender += amount
  }
  return { total, viaSpender }
}
