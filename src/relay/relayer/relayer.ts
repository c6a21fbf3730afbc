import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { GaslessFill, RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import { orderDigest, orderDomain } from '@rfqctl/protocol/domain/order'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Clock, Log } from '../core/ports/runtime.ts'
import { createCapacity, type Party, type Standstill } from './capacity.ts'
import { createFillBook, type TakenFill } from './fill-book.ts'
import { assertFill, isSameFill } from './fill-rules.ts'
import { createFillSender } from './fill-sender.ts'
import type {
  ChargedFill,
  FillChain,
  FillStatus,
  Purse,
  RelayerFigures,
  RelayerMeter,
  RelayerSettings,
} from './ports.ts'

/** Submits fills for their takers, for a fee that they signed. */
export type Relayer = ReturnType<typeof createRelayer>

/** Longest wait for a transaction before a submission is answered. */
const ANSWER_MS = 8_000

/**
 * State is in memory only: after a restart the chain knows the filled orders, and fills none twice. One wallet sends
 * the fills one after the other.
 */
export function createRelayer(parts: {
  settings: RelayerSettings
  chain: FillChain
  clock: Clock
  log: Log
  meter: RelayerMeter
}) {
  const { settings, chain, clock, meter } = parts
  const domain = orderDomain(settings.chainId, settings.settlementAddress)
  const capacity = createCapacity(settings)
  const book = createFillBook()
  const sender = createFillSender({ ...parts, book, capacity })

  function standstill(purse: Purse): Standstill | null {
    if (sender.isClosing()) return { reason: 'It is shutting down.', waitMs: null }
    return capacity.standstill({ queued: sender.queued(), purse, now: clock.now() })
  }

  function assertAccepting(purse: Purse, party: Party): void {
    capacity.assertShare(party, { waiting: sender.queuedOf(party.taker), now: clock.now() })
    const found = standstill(purse)
    if (found === null) return
    const data = found.waitMs === null ? {} : { retryAfterS: Math.ceil(found.waitMs / 1_000) }
    throw new RfqError('relayer_unavailable', { detail: `The relayer takes no fills now. ${found.reason}`, data })
  }

  /** Null if unknown or failed. Throws `fill_in_progress` if the fill of this order under way or done differs. */
  function standing(orderHash: Hex, fill: GaslessFill): TakenFill | null {
    const known = book.find(orderHash)
    if (known === null || known.status.status === 'failed') return null
    if (known.charged !== null && !isSameFill(known.charged.fill, fill)) throw new RfqError('fill_in_progress')
    return known
  }

  /** Returns the gas, or the transaction that has filled the order already. */
  async function tryFill(charged: ChargedFill): Promise<{ gas: bigint } | { filledBy: Hex }> {
    try {
      return { gas: await chain.simulate(charged) }
    } catch (fault) {
      const isUsed = fault instanceof RfqError && fault.data.contractError === 'NonceUsed'
      const filledBy = isUsed ? await chain.fillOf(charged.fill.order) : null
      if (filledBy === null) throw fault
      return { filledBy }
    }
  }

  async function take(orderHash: Hex, fill: GaslessFill, party: Party): Promise<TakenFill> {
    const { fee, feeRecipient } = settings
    assertFill(fill, { orderHash, feeRecipient, fee, chainTime: await chain.time() })
    assertAccepting(await chain.purse(), party)
    const charged = { fill, fee }
    const tried = await tryFill(charged)
    const purse = await chain.purse()
    // The same order may have arrived meanwhile, and others may have used up the limits: no await from here on.
    const known = standing(orderHash, fill)
    if (known !== null) return known
    if ('filledBy' in tried) return book.note(orderHash, tried.filledBy)
    capacity.assertPaid(tried.gas, purse.gasPrice)
    assertAccepting(purse, party)
    const taken = book.open(orderHash, charged)
    sender.enqueue({ taken, party, release: capacity.take(party, clock.now()) })
    meter.submitted()
    return taken
  }

  /** Accepts a fill and waits a moment until it is sent. For an order that is known or filled, returns its status. */
  async function submit(fill: GaslessFill, client: string): Promise<FillStatus> {
    const orderHash = orderDigest(fill.order, domain)
    try {
      const party = { client, taker: fill.order.taker }
      const taken = standing(orderHash, fill) ?? (await take(orderHash, fill, party))
      await moved(taken)
      return taken.status
    } catch (fault) {
      if (fault instanceof RfqError) meter.refused(fault.code)
      throw fault
    }
  }

  function moved({ hasMoved }: TakenFill): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.schedule(clock.now() + ANSWER_MS, resolve)
      void hasMoved.then(() => {
        stop()
        resolve()
      })
    })
  }

  return {
    terms: async (): Promise<RelayerTerms> => {
      const found = standstill(await chain.purse())
      return { ...settings, wallet: chain.address, isAccepting: found === null, reason: found?.reason ?? null }
    },
    submit,
    /** Throws `fill_not_found`. */
    status: (orderHash: Hex): FillStatus => {
      const known = book.find(orderHash)
      if (known === null) throw new RfqError('fill_not_found')
      return known.status
    },
    figures: async (): Promise<RelayerFigures> => {
      const purse = await chain.purse().catch(() => null)
      const isAccepting = purse !== null && standstill(purse) === null
      const paidToday = capacity.usedToday(clock.now())
      return { queued: sender.queued(), paidToday, coin: purse?.coin ?? null, isAccepting }
    },
    /** Accepts no more fills, drops queued ones, and resolves when the sent ones have ended or are given up. */
    close: sender.close,
  }
}
