import { expect, test } from 'vitest'
import { outstandingOrder } from '../../../../src/protocol/domain/reservation.ts'
import { createConfirmedOrders } from '../../../../src/relay/adapters/store/journal/confirmed-orders.ts'
import { createOutstandingLedger } from '../../../../src/relay/adapters/store/outstanding-ledger.ts'
import { anAcceptance, aQuote, aRequest } from '../../../ports/store.fixtures.ts'

const NOW = 1_000_000

/** A ledger over a journal, and orders of one wallet. */
function openLedger() {
  const journal = createConfirmedOrders(() => NOW)
  const ledger = createOutstandingLedger([], { confirmedOrders: journal.of })
  const make = (acceptanceId: string, makerId = 'maker-1') => {
    const request = aRequest(NOW, { requestId: `request of ${acceptanceId}` })
    return anAcceptance(request, { now: NOW, acceptanceId, quote: aQuote(request, { makerId }) })
  }
  const wallet = make('any').order.maker
  return {
    ...ledger,
    make,
    write: (acceptance: ReturnType<typeof make>) =>
      journal.add(wallet.toLowerCase(), outstandingOrder(acceptance, NOW)),
    owed: () =>
      ledger
        .of(wallet, 0)
        .orders.map(({ acceptanceId }) => acceptanceId)
        .toSorted(),
  }
}

test('every change of what a wallet owes is in the next answer, which is the same list until then', () => {
  const { accept, confirm, release, make, write, owed, of } = openLedger()
  const [first, second, third] = [make('1'), make('2'), make('3')]
  for (const acceptance of [first, second, third]) accept(acceptance)
  expect(owed()).toEqual(['1', '2', '3'])
  const { orders } = of(first.order.maker, 0)
  expect(of(first.order.maker, 0).orders).toBe(orders)
  release(first)
  expect(owed()).toEqual(['2', '3'])
  confirm(second, NOW)
  expect(owed()).toEqual(['2', '3'])
  write(second)
  write(make('4'))
  expect(owed()).toEqual(['2', '3', '4'])
  release(second)
  expect(owed()).toEqual(['2', '3', '4'])
  release(third)
  expect(owed()).toEqual(['2', '4'])
})

test('an order is overtaken when another maker of its wallet signs, not by its own maker, and not once it is over', () => {
  const { accept, confirm, release, hasNewSigner, make } = openLedger()
  const [ada, ours, bob] = [make('1', 'ada'), make('2', 'ada'), make('3', 'bob')]
  for (const acceptance of [ada, ours, bob]) accept(acceptance)
  confirm(ada, NOW)
  expect([ours, bob].map(hasNewSigner)).toEqual([false, true])
  release(bob)
  accept(bob)
  expect(hasNewSigner(bob)).toBe(false)
})
