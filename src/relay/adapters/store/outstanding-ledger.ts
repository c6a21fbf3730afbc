import { type OutstandingOrder, outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Acceptance, OutstandingOrders } from '../../core/ports/store.ts'
import type { Journal } from './journal/journal.ts'

/** A clock may step back between two orders; one that overtook nothing only causes a re-check. */
const STEP_BACK_MS = 1_000

/** Orders that are pending or being written, and `all` with the journal's `written` ones. */
type Held = {
  orders: Map<string, OutstandingOrder>
  all: { written: readonly OutstandingOrder[]; orders: readonly OutstandingOrder[] } | null
}

/** Beyond this many wallets their versions are dropped, and every earlier read is outdated. */
const VERSIONS_KEPT = 10_000

/**
 * Outstanding orders of wallets: the pending acceptances, the journal's confirmed ones and those still being written,
 * so that one may count too early, never too late.
 */
export function createOutstandingLedger(pending: Iterable<Acceptance>, journal: Pick<Journal, 'confirmedOrders'>) {
  const wallets = new Map<string, Held>()
  const versions = new Map<string, number>()
  /** Pending acceptances of a wallet that has signed for another maker since. */
  const overtaken = new Set<string>()
  let newest = 0
  let oldest = 0

  const count = (wallet: string, order: OutstandingOrder) => {
    const { orders } = wallets.get(wallet) ?? { orders: new Map<string, OutstandingOrder>() }
    wallets.set(wallet, { orders: orders.set(order.acceptanceId, order), all: null })
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
    const { orders } = held
    if (held.all?.written !== written) {
      const others = written.filter(({ acceptanceId }) => !orders.has(acceptanceId))
      held.all = { written, orders: [...orders.values(), ...others] }
    }
    return held.all.orders
  }

  for (const acceptance of pending) {
    const { acceptanceId, makerId, createdAt } = acceptance
    count(walletOf(acceptance), outstandingOrder(acceptance, null))
    const since = createdAt - STEP_BACK_MS
    const isOvertaking = (order: OutstandingOrder) =>
      order.confirmedAt !== null && order.confirmedAt >= since && order.makerId !== makerId
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
      for (const { acceptanceId, makerId, confirmedAt } of wallets.get(walletOf(acceptance))?.orders.values() ?? [])
        if (confirmedAt === null && makerId !== acceptance.makerId) overtaken.add(acceptanceId)
      count(walletOf(acceptance), outstandingOrder(acceptance, at))
      change(walletOf(acceptance))
    },
    /** Stops counting it: it has ended, or is in the journal. */
    release: (acceptance: Pick<Acceptance, 'acceptanceId' | 'order'>): void => {
      const wallet = walletOf(acceptance)
      const orders = wallets.get(wallet)?.orders
      overtaken.delete(acceptance.acceptanceId)
      if (orders === undefined || !orders.delete(acceptance.acceptanceId)) return
      if (orders.size === 0) wallets.delete(wallet)
      else wallets.set(wallet, { orders, all: null })
    },
    /** Another maker has confirmed an order of the wallet since the acceptance was made. */
    hasNewSigner: ({ acceptanceId }: Acceptance): boolean => overtaken.has(acceptanceId),
  }
}

const walletOf = ({ order }: Pick<Acceptance, 'order'>): string => order.maker.toLowerCase()
