import { makerObligation } from '../../src/protocol/domain/order.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'

/** What a wallet has: micro-dollars, and options of the series that was just promised. */
type Holding = { balance: bigint; long: bigint }

/**
 * What a wallet has promised beyond what it has by `promised`, an acceptance that was just stored or signed; `outstanding` is all of
 * the wallet that counts, with that one. Each is the wallet, followed by the series where it is options that are too few.
 *
 * Options are too few only where the acceptance takes some. Two makers may be asked for the same options of one wallet, since what
 * waits for one does not count against the other (decision C13). Once one of them has signed, the other's signature is refused;
 * until that is written, its order still waits, and an order that takes money alone breaks no promise of options.
 */
export function overdraftsBy(
  promised: Acceptance,
  outstanding: readonly Acceptance[],
  { balance, long }: Holding,
): string[] {
  const { maker, seriesId } = promised.order
  // Who needs money must find it although the takers of all others take money, too, in place of options.
  const needsMoney = ({ order, fromInventory }: Acceptance) => !order.makerSelling || fromInventory === undefined
  const owed = outstanding.some(needsMoney) ? mostOwedFor : owedFor
  const money = outstanding.reduce((sum, one) => sum + owed(one), 0n)
  const longs = outstanding
    .filter(({ order }) => order.makerSelling && order.seriesId === seriesId)
    .reduce((sum, { fromInventory = 0n }) => sum + fromInventory, 0n)
  const takesLongs = promised.order.makerSelling && (promised.fromInventory ?? 0n) > 0n
  return [...(money > balance ? [maker] : []), ...(takesLongs && longs > long ? [`${maker} of ${seriesId}`] : [])]
}

const mostOwedFor = ({ order, option }: Acceptance): bigint => makerObligation(order, option).amount

const owedFor = ({ order, option, fromInventory }: Acceptance): bigint =>
  makerObligation(order, option, fromInventory).amount
