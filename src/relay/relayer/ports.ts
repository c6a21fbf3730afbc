import type { ErrorCode } from '@rfqctl/protocol/domain/errors'
import type { GaslessFill, RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import type { Order } from '@rfqctl/protocol/domain/order'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'

/** The terms of a relayer, and the limits of its use. */
export type RelayerSettings = Omit<RelayerTerms, 'wallet' | 'isAccepting' | 'reason'> & {
  /** Price of a whole coin of the chain, micro-dollars: fills whose gas costs more than the fee are refused; null: not checked. */
  coinPrice: Usd6 | null
}

/** A fill with the fee that is charged for it, micro-dollars. */
export type ChargedFill = { fill: GaslessFill; fee: Usd6 }

/** The end of a fill that was sent: mined, at a cost in wei, or not known to be mined. */
export type SentFill = { kind: 'mined'; isFilled: boolean; transactionHash: Hex; cost: bigint } | { kind: 'unmined' }

/** The chain as a relayer uses it, by a wallet of its own. All reads reject with `chain_unavailable` when the node fails. */
export type FillChain = {
  /** The wallet that sends. */
  address: Address
  /** The time of the newest block, Unix seconds. */
  time: () => Promise<number>
  /** Upper bound of the current gas price per unit, and the wallet's balance, wei. May be some seconds old. */
  purse: () => Promise<Purse>
  /**
   * Tries a fill and returns the gas that it takes. Rejects with `fill_refused` when it would revert, and with
   * `fill_too_expensive` when it needs more than `maxGas`.
   */
  simulate: (fill: ChargedFill) => Promise<bigint>
  /**
   * Tries a fill again and sends it until it is mined; `onSent` receives each transaction. Rejects only when nothing
   * was sent. An abort ends the waiting, not the transaction.
   */
  send: (fill: ChargedFill, options: { onSent: (hash: Hex) => void; signal: AbortSignal }) => Promise<SentFill>
  /** The transaction that filled an order lately, by any sender; null without one. */
  fillOf: (order: Order) => Promise<Hex | null>
}

/** The upper bound of the current gas price per unit, and the wallet's balance, wei. */
export type Purse = { gasPrice: bigint; coin: bigint }

/** The reason for which an accepted fill failed. */
export type FillFailure = 'refused' | 'reverted' | 'unmined' | 'shutting_down'

/** The status of a submitted fill. */
export type FillStatus = {
  orderHash: Hex
  /** Waiting for its turn; sent; on the chain; or failed. */
  status: 'queued' | 'sent' | 'filled' | 'failed'
  /** Its newest transaction; of an order that someone else filled, theirs. */
  transactionHash: Hex | null
  failure: FillFailure | null
  /** A sentence about the failure. */
  reason: string | null
}

/** The counters of a relayer. */
export type RelayerMeter = {
  submitted: () => void
  refused: (code: ErrorCode) => void
  ended: (how: 'filled' | FillFailure) => void
  /** Gas that was paid, wei. */
  paid: (cost: bigint) => void
}

/** Figures that are read when they are asked for; null: not known. Sums in wei. */
export type RelayerFigures = { queued: number; paidToday: bigint; coin: bigint | null; isAccepting: boolean }
