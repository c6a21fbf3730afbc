import type { Order } from '../../../src/protocol/domain/order.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import { overdraftsBy } from '../../model/overdrafts.ts'
import type { FakeChain } from '../../support/fake-chain.ts'
import type { Recorder } from './recorder.ts'

/** Checks that no wallet promises more than it has, as the database takes acceptances and signatures. */
export type WalletPromises = { forget: () => void; emptied: () => void }

type Promised = { acceptance: Acceptance; isSigned: boolean }

/** How long nodes may count with funds that were there, milliseconds. */
const SETTLED_MS = 10_000

export function watchWalletPromises(parts: {
  recorder: Recorder
  chain: FakeChain
  isUsed: (order: Order) => boolean
  /** The time of the chain, Unix milliseconds. */
  now: () => number
}): WalletPromises {
  const { recorder, chain, isUsed, now } = parts
  let signed: Acceptance[] = []
  let emptiedAt = Number.NEGATIVE_INFINITY

  async function check({ acceptance, isSigned }: Promised): Promise<void> {
    const { maker, seriesId } = acceptance.order
    if (now() - emptiedAt < SETTLED_MS) return
    // While one of an unproven taker waits for its signature, proven takers may be promised the same money (decision C17).
    if (isSigned && acceptance.proven !== true) return
    const asked = isSigned ? [] : [...recorder.pending.values()].filter((one) => one.makerId === acceptance.makerId)
    // Orders of takers without a proof bind a part of a wallet only (decision C17).
    const isBinding = (one: Acceptance) => one === acceptance || one.proven === true
    const outstanding = [...signed, ...asked].filter(
      (one) =>
        one.order.maker === maker && isBinding(one) && one.order.validUntil * 1_000 > now() && !isUsed(one.order),
    )
    const funds = chain.wallets.get(maker)?.core
    if (funds === undefined) return
    const long = chain.inventories.get(maker)?.get(seriesId)?.long ?? 0n
    const [overdrawn] = overdraftsBy(acceptance, outstanding, { balance: funds.balance, long })
    if (overdrawn === undefined) return
    const { requestId, makerId } = acceptance
    recorder.find(
      'no wallet promises more than it has',
      requestId,
      `${makerId} promised more than its wallet has for ${requestId}`,
    )
  }

  recorder.trades.onPromise = (acceptance, confirmedAt) => {
    if (confirmedAt !== null) signed.push(acceptance)
    if (signed.length > 1_000) signed = signed.filter(({ order }) => order.validUntil * 1_000 > now())
    void check({ acceptance, isSigned: confirmedAt !== null })
  }

  return {
    forget: () => {
      signed = []
    },
    emptied: () => {
      emptiedAt = now()
    },
  }
}
