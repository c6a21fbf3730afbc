import { type OutstandingOrder, outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Acceptance, OutstandingOrders } from '../../core/ports/store.ts'
import type { Journal } from './journal/journal.ts'

/** What wallets owe, in memory, with changes that are still being written: one may count too early, and never too late. */
export type OutstandingLedger = {
  of: (maker: Address, chainTime: number) => OutstandingOrders
  version: (maker: Address) => number
  /** Counts a pending acceptance. */
  accept: (acceptance: Acceptance) => void
  /** Counts it as confirmed. */
  confirm: (acceptance: Acceptance, at: number) => void
  /** Counts it no longer: it has ended, or is in the journal. */
  release: (acceptance: Pick<Acceptance, 'acceptanceId' | 'order'>) => void
  /** Whether another maker has confirmed an order of the wallet since the acceptance was made. */
  hasNewSigner: (acceptance: Acceptance) => boolean
}

/** Beyond this many wallets their versions are forgotten, and every look from before is outdated. */
const VERSIONS_KEPT = 10_000

/** An acceptance is made a little before what its wallet owes is read; what was counted twice is only looked at again. */
const OVERLAP_MS = 1_000

/** A ledger of the acceptances that are pending, and of the journal's confirmed ones. */
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
