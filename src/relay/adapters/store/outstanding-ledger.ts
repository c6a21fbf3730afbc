import { type OutstandingOrder, outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Acceptance, OutstandingOrders } from '../../core/ports/store.ts'
import type { Journal } from './journal/journal.ts'

/** Outstanding orders of wallets, those still being written included: one may count too early, never too late. */
export type OutstandingLedger = {
  of: (maker: Address, chainTime: number) => OutstandingOrders
  version: (maker: Address) => number
  accept: (acceptance: Acceptance) => void
  confirm: (acceptance: Acceptance, at: number) => void
  /** Stops counting it: it has ended, or is in the journal. */
  release: (acceptance: Pick<Acceptance, 'acceptanceId' | 'order'>) => void
  /** Another maker has confirmed an order of the wallet since the acceptance was made. */
  hasNewSigner: (acceptance: Acceptance) => boolean
}

/** Beyond this many wallets their versions are dropped, and every earlier read is outdated. */
const VERSIONS_KEPT = 10_000

/** Milliseconds from an acceptance to the read of its wallet's orders; one counted twice only causes a re-check. */
const OVERLAP_MS = 1_000

/** Covers the pending acceptances and the journal's confirmed ones. */
export function createOutstandingLedger(
  pending: Iterable<Acceptance>,
  journal: Pick<Journal, 'confirmedOrders'>,
): OutstandingLedger {
  const wallets = new Map<string, Map<string, OutstandingOrder>>()
  const versions = new Map<string, number>()
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

  for (const acceptance of pending) count(walletOf(acceptance), outstandingOrder(acceptance, null))

  return {
    of: (maker, chainTime) => ({ version: version(maker), orders: ordersOf(maker.toLowerCase(), chainTime) }),
    version,
    accept: (acceptance) => {
      count(walletOf(acceptance), outstandingOrder(acceptance, null))
      change(walletOf(acceptance))
    },
    confirm: (acceptance, at) => {
      count(walletOf(acceptance), outstandingOrder(acceptance, at))
      change(walletOf(acceptance))
    },
    release: (acceptance) => {
      const wallet = walletOf(acceptance)
      const held = wallets.get(wallet)
      held?.delete(acceptance.acceptanceId)
      if (held?.size === 0) wallets.delete(wallet)
    },
    hasNewSigner: (acceptance) =>
      ordersOf(walletOf(acceptance), 0).some(
        ({ makerId, confirmedAt }) =>
          confirmedAt !== null && makerId !== acceptance.makerId && confirmedAt >= acceptance.createdAt - OVERLAP_MS,
      ),
  }
}

const walletOf = ({ order }: Pick<Acceptance, 'order'>): string => order.maker.toLowerCase()
