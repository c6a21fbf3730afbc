import { type Usd6, usd6 } from './units.ts'

/** A promise of a maker's wallet that may still be drawn: what it must pay, to whom, and why it may still count. */
export type Reservation = {
  spender: 'settlement' | 'core'
  amount: Usd6
  state: 'pending' | 'confirmed'
  makerId: string
  /** Unix seconds of chain time. */
  validUntil: number
  nonceUsed: boolean
  takerCanPay: boolean
}

/** What a wallet holds and has approved to one spender, in micro-dollars. */
export type Funds = { balance: Usd6; allowance: Usd6 }

/**
 * What a wallet already owes, in micro-dollars: in all (drawn from its balance), and through `spender` (drawn from that
 * allowance too). Confirmed orders count while they can still be filled; a pending one counts only against the maker that
 * was asked, so that nobody can block a stranger's wallet (ruling C13).
 */
export function reservedFor(
  reservations: readonly Reservation[],
  asker: { makerId: string; spender: 'settlement' | 'core'; chainTime: number },
): { total: Usd6; viaSpender: Usd6 } {
  const counting = reservations.filter((reservation) => stillOwed(reservation, asker))
  const sum = (list: readonly Reservation[]) => usd6(list.reduce((owed, { amount }) => owed + amount, 0n))
  return { total: sum(counting), viaSpender: sum(counting.filter(({ spender }) => spender === asker.spender)) }
}

/** Which of the two 422s applies when a wallet must find `need` on top of what it owes; null when it can. */
export function checkFunds(
  funds: Funds,
  need: Usd6,
  reserved: { total: Usd6; viaSpender: Usd6 },
): 'maker_insufficient_balance' | 'maker_insufficient_allowance' | null {
  if (funds.balance < need + reserved.total) return 'maker_insufficient_balance'
  if (funds.allowance < need + reserved.viaSpender) return 'maker_insufficient_allowance'
  return null
}

function stillOwed(reservation: Reservation, asker: { makerId: string; chainTime: number }): boolean {
  if (reservation.state === 'pending') return reservation.makerId === asker.makerId
  return !reservation.nonceUsed && reservation.takerCanPay && reservation.validUntil >= asker.chainTime
}
