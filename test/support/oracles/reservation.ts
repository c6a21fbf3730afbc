import type { Asker, OutstandingOnChain, OutstandingOrder, Spender } from '../../../src/domain/reservation.ts'

/** What counts of a list of orders without a look at what takers have: one running sum per question. */
export function owedByRunningSum(
  orders: readonly OutstandingOrder[],
  asker: Asker,
  onChain: OutstandingOnChain | null,
): { total: bigint; viaSpender: bigint } {
  let total = 0n
  let viaSpender = 0n
  for (const order of orders) {
    const { confirmedAt, makerId, validUntil, amount, spender } = order
    if (confirmedAt === null && makerId !== asker.makerId) continue
    if (confirmedAt !== null && (onChain?.hasEnded(order) || validUntil < asker.chainTime)) continue
    total += amount
    if (spender === asker.spender) viaSpender += amount
  }
  return { total, viaSpender }
}

/** The most that takers can really draw: every choice of their orders is tried, each filled in whole or not at all. */
export function mostDrawn(
  orders: readonly OutstandingOrder[],
  asker: Asker,
  onChain: OutstandingOnChain,
): { total: bigint; viaSpender: bigint } {
  const open = orders.filter(
    (order) => order.confirmedAt !== null && owedByRunningSum([order], asker, onChain).total > 0n,
  )
  let best = { total: 0n, viaSpender: 0n }
  for (let choice = 0; choice < 2 ** open.length; choice += 1) {
    const filled = open.filter((_, i) => (choice >> i) % 2 === 1)
    if (!canPay(filled, asker, onChain)) continue
    const drawn = owedByRunningSum(filled, asker, onChain)
    best = {
      total: drawn.total > best.total ? drawn.total : best.total,
      viaSpender: drawn.viaSpender > best.viaSpender ? drawn.viaSpender : best.viaSpender,
    }
  }
  const waiting = owedByRunningSum(
    orders.filter(({ confirmedAt }) => confirmedAt === null),
    asker,
    null,
  )
  return { total: best.total + waiting.total, viaSpender: best.viaSpender + waiting.viaSpender }
}

function canPay(filled: readonly OutstandingOrder[], { now }: Asker, { takers }: OutstandingOnChain): boolean {
  return filled.every(({ taker }) => {
    const own = filled.filter((order) => order.taker === taker)
    const has = takers.get(taker)
    const cost = (list: readonly OutstandingOrder[]) => list.reduce((sum, { takerAmount }) => sum + takerAmount, 0n)
    const balance = has?.settlement?.balance ?? has?.core?.balance
    if (balance !== undefined && cost(own) > balance) return false
    return (['core', 'settlement'] as Spender[]).every((spender) => {
      const allowance = has?.[spender === 'core' ? 'settlement' : 'core']?.allowance
      const old = own.filter((order) => order.spender === spender && now - (order.confirmedAt ?? now) >= 60_000)
      return allowance === undefined || cost(old) <= allowance
    })
  })
}
