import type { Asker, OutstandingOnChain, OutstandingOrder, Spender } from '../../../src/protocol/domain/reservation.ts'

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

/** How an order is filled: not at all, by money alone, or by options that its taker holds. */
type Fill = 'none' | 'money' | 'options'

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
  for (let choice = 0; choice < 3 ** open.length; choice += 1) {
    const fillOf = (i: number): Fill =>
      (['none', 'money', 'options'] as const)[Math.floor(choice / 3 ** i) % 3] ?? 'none'
    const filled = open.map((order, i) => ({ ...order, by: fillOf(i) })).filter(({ by }) => by !== 'none')
    if (filled.some(({ by, spender }) => by === 'options' && spender === 'core')) continue
    if (!canFill(filled, asker, onChain)) continue
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

type Filled = OutstandingOrder & { by: Fill }

function canFill(filled: readonly Filled[], { now }: Asker, { takers, positionOf }: OutstandingOnChain): boolean {
  const isOld = ({ confirmedAt }: OutstandingOrder) => now - (confirmedAt ?? now) >= 60_000
  return filled.every(({ taker, seriesId }) => {
    const own = filled.filter((order) => order.taker === taker)
    const { long, isApproved } = positionOf({ taker, seriesId })
    const handedOver = own.filter((order) => order.by === 'options' && order.seriesId === seriesId)
    if (sum(handedOver, ({ optionAmount }) => optionAmount) > long) return false
    if (!isApproved && handedOver.some(isOld)) return false
    const paid = own.filter(({ by }) => by === 'money')
    const has = takers.get(taker)
    const balance = has?.settlement?.balance ?? has?.core?.balance
    if (balance !== undefined && sum(own, costOf) > balance + releasedBy(own, positionOf)) return false
    return (['core', 'settlement'] as Spender[]).every((spender) => {
      const allowance = has?.[spender === 'core' ? 'settlement' : 'core']?.allowance
      const old = paid.filter((order) => order.spender === spender && isOld(order))
      return allowance === undefined || sum(old, ({ takerAmount }) => takerAmount) <= allowance
    })
  })
}

/** What a fill leaves a taker poorer by: one that sells is paid the premium. */
function costOf({ by, spender, amount, takerAmount }: Filled): bigint {
  if (spender === 'core') return takerAmount
  return by === 'options' ? -amount : takerAmount - amount
}

function releasedBy(own: readonly Filled[], positionOf: OutstandingOnChain['positionOf']): bigint {
  const ending = own.filter(({ closes, spender }) => closes && spender === 'core')
  const released = new Map<string, bigint>()
  for (const order of ending) {
    const ofSeries = ending.filter(({ seriesId }) => seriesId === order.seriesId)
    const bought = sum(ofSeries, ({ optionAmount }) => optionAmount)
    const { short } = positionOf(order)
    released.set(order.seriesId, (bought < short ? bought : short) * order.collateralEach)
  }
  return [...released.values()].reduce((all, one) => all + one, 0n)
}

const sum = <Of>(list: readonly Of[], amountOf: (one: Of) => bigint): bigint =>
  list.reduce((all, one) => all + amountOf(one), 0n)
