import { type OutstandingOrder, outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Acceptance, OutstandingOrders } from '../../core/ports/store.ts'
import type { Journal } from './journal/journal.ts'

/** Beyond this many wallets their versions are dropped, and every earlier read is outdated. */
const VERSIONS_KEPT = 10_000

/**
 * Outstanding orders of wallets: the pending acceptances, the journal's confirmed ones and those still being written,
 * so that one may count too early, never too late.
 */
export function createOutstandingLedger(pending: Iterable<Acceptance>, journal: Pick<Journal, 'confirmedOrders'>) {
  const wallets = new Map<string, Map<string, OutstandingOrder>>()
  const versions = new Map<string, number>()
  /** Pending acceptances of a wallet that has signed for another maker since. */
  const overtaken = new Set<string>()
  let newest = 0
  let oldest = 0

  const count = (wallet: string, order: OutstandingOrder) => {
    const orders = wallets.get(wallet) ?? new Map<string, OutstandingOrder>()
    wallets.set(wallet, orders.set(order.acceptanceId, order))
  }

  const change = (wallet: string) => {
    newest += 1
    if (versions.size >= VERSIONS_KEPT) {
      versions.clear()
      oldest = newest
    }
    versions.set(wallet, newest)
  }

  const version = (maker: Address) => versions.get(maker.toLowerCase()) ?? oldest

  function ordersOf(wallet: string, chainTime: number): readonly OutstandingOrder[] {
    const written = journal.confirmedOrders(wallet, chainTime)
    const held = wallets.get(wallet)
    if (held === undefined) return written
    return [...held.values(), ...written.filter(({ acceptanceId }) => !held.has(acceptanceId))]
  }

  for (const acceptance of pending) {
    const { acceptanceId, makerId, createdAt } = acceptance
    count(walletOf(acceptance), outstandingOrder(acceptance, null))
    const isOvertaking = (order: OutstandingOrder) =>
      order.confirmedAt !== null && order.confirmedAt >= createdAt && order.makerId !== makerId
    if (journal.confirmedOrders(walletOf(acceptance), 0).some(isOvertaking)) overtaken.add(acceptanceId)
  }

  return {
    of: (maker: Address, chainTime: number): OutstandingOrders => ({
      version: version(maker),
      orders: ordersOf(maker.toLowerCase(), chainTime),
    }),
    version,
    accept: (acceptance: Acceptance): void => {
      count(walletOf(acceptance), outstandingOrder(acceptance, null))
      change(walletOf(acceptance))
    },
    confirm: (acceptance: Acceptance, at: number): void => {
      for (const { acceptanceId, makerId, confirmedAt } of wallets.get(walletOf(acceptance))?.values() ?? [])
        if (confirmedAt === null && makerId !== acceptance.makerId) overtaken.add(acceptanceId)
      count(walletOf(acceptance), outstandingOrder(acceptance, at))
      change(walletOf(acceptance))
    },
    /** Stops counting it: it has ended, or is in the journal. */
    release: (acceptance: Pick<Acceptance, 'acceptanceId' | 'order'>): void => {
      const wallet = walletOf(acceptance)
      const held = wallets.get(wallet)
      held?.delete(acceptance.acceptanceId)
      overtaken.delete(acceptance.acceptanceId)
      if (held?.size === 0) wallets.delete(wallet)
    },
    /** Another maker has confirmed an order of the wallet since the acceptance was made. */
    hasNewSigner: ({ acceptanceId }: Acceptance): boolean => overtaken.has(acceptanceId),
  }
}

const walletOf = ({ order }: Pick<Acceptance, 'order'>): string => order.maker.toLowerCase()
