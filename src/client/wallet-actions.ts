import { unlessAborted } from '@rfqctl/lib/abort'
import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import type { Position } from '@rfqctl/protocol/domain/position'
import type { PackageTerms, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Contracts, Usd6 } from '@rfqctl/protocol/domain/units'
import type { TransactionReceipt } from 'viem'
import { type ContractCall, createContractCalls } from './contract-calls.ts'
import type { PublicActions } from './discovery.ts'
import type { CallOptions } from './http.ts'
import { type CostedPosition, readCostedPositions } from './position-costs.ts'
import {
  type Claim,
  claimHolderPayout,
  claimWriterCollateral,
  closePosition,
  isInventoryApproved,
  readPositions,
  readSignerUntil,
  registerPackage,
  sendContractCall,
  settleWithAttestation,
} from './settlement.ts'
import { readTradeHistory, type TradeHistory, withMarkets } from './trade-history.ts'
import type { Spender, Wallet } from './wallet.ts'

/**
 * Actions of a taker or maker with its own wallet on the chain. Besides the errors named, every call rejects with `ClientSetupError`
 * where the client has no account or chain, with viem's error where the node fails, or with the reason of its signal. A call that sends
 * waits until its transaction is mined, and rejects with `ContractRefusedError` or `TransactionRevertedError`; an abort ends the waiting,
 * not the transaction.
 */
export type WalletActions = {
  /**
   * Reads how much stablecoin the wallet holds.
   * @param options - May carry a signal.
   * @returns Micro-dollars.
   * @throws ClientSetupError without an account, or without a transport.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * console.log(`$${formatUsd6(await taker.getBalance())}`)
   */
  getBalance: (options?: CallOptions) => Promise<Usd6>
  /**
   * Reads how much of the chain's coin the wallet holds, which pays for gas.
   * @param options - May carry a signal.
   * @returns Wei.
   * @throws ClientSetupError without an account, or without a transport.
   * @example if ((await taker.getCoinBalance()) === 0n) console.log('no transaction can be paid for')
   */
  getCoinBalance: (options?: CallOptions) => Promise<bigint>
  /**
   * Reads how much stablecoin one of the two contracts may draw from the wallet.
   * @param spender - The contract: premiums go through `settlement`, collateral through `core`.
   * @param options - May carry a signal.
   * @returns Micro-dollars.
   * @throws ClientSetupError without an account, or without a transport.
   * @example const collateral = await maker.getAllowance('core')
   */
  getAllowance: (spender: Spender, options?: CallOptions) => Promise<Usd6>
  /**
   * Approves stablecoin to one of the two contracts, where less is approved.
   * @param input.spender - The contract.
   * @param input.amount - Micro-dollars.
   * @returns The receipt; null when no transaction was needed.
   * @throws ContractRefusedError, TransactionRevertedError.
   * @example
   * import { UNLIMITED } from 'rfqctl/client'
   *
   * // A maker that sells locks collateral, one that buys pays premiums.
   * await maker.approveSpender({ spender: 'core', amount: UNLIMITED })
   * await maker.approveSpender({ spender: 'settlement', amount: UNLIMITED })
   */
  approveSpender: (input: { spender: Spender; amount: Usd6 } & CallOptions) => Promise<TransactionReceipt | null>
  /**
   * Revokes what is left of an approval. Orders that it backed can no longer be filled.
   * @param input.spender - The contract.
   * @returns The receipt; null when nothing was approved.
   * @throws ContractRefusedError, TransactionRevertedError.
   * @example await maker.revokeApproval({ spender: 'core' })
   */
  revokeApproval: (input: { spender: Spender } & CallOptions) => Promise<TransactionReceipt | null>
  /**
   * Reads whether fills may move options that the wallet holds.
   * @param options - May carry a signal.
   * @returns Whether they may.
   * @throws ClientSetupError without an account, or without a transport.
   * @example if (!(await maker.getInventoryApproval())) await maker.approveInventory()
   */
  getInventoryApproval: (options?: CallOptions) => Promise<boolean>
  /**
   * Lets fills move options that the wallet holds, in every series, so that it sells those before it writes new ones.
   * @param options - May carry a signal.
   * @returns The receipt; null when they may already.
   * @throws ContractRefusedError, TransactionRevertedError.
   * @example await maker.approveInventory()
   */
  approveInventory: (options?: CallOptions) => Promise<TransactionReceipt | null>
  /**
   * Stops fills from moving options that the wallet holds. Orders that count on them can be filled only with collateral.
   * @param options - May carry a signal.
   * @returns The receipt; null when nothing was approved.
   * @throws ContractRefusedError, TransactionRevertedError.
   * @example await maker.revokeInventory()
   */
  revokeInventory: (options?: CallOptions) => Promise<TransactionReceipt | null>
  /**
   * Reads the time up to which a key may sign orders for the wallet.
   * @param input.signer - The address of the signer.
   * @returns The last second in which its orders can be filled, Unix seconds of chain time; null where it may not, or no longer.
   * @throws ClientSetupError without an account, or without a transport.
   * @example
   * const until = await maker.getSignerUntil({ signer: wallet })
   * if (until === null) console.log('orders that this key signs cannot be filled')
   */
  getSignerUntil: (input: { signer: Address } & CallOptions) => Promise<number | null>
  /**
   * Makes a signed order of this wallet unfillable.
   * @param input.nonce - The nonce.
   * @returns The receipt.
   * @throws ContractRefusedError `nonce_used` where the order was filled or cancelled before.
   * @example await maker.cancelNonce({ nonce: acceptance.order.nonce })
   */
  cancelNonce: (input: { nonce: number } & CallOptions) => Promise<TransactionReceipt>
  /**
   * Reads from the chain the options that the wallet holds and has written.
   * @param input.seriesIds - Series to read; all that the relay lists when absent.
   * @returns Its positions; empty ones are left out.
   * @throws RelayError where the series are asked of the relay and it refuses.
   * @example for (const { seriesId, long, short } of await taker.listPositions()) console.log(seriesId, long - short)
   */
  listPositions: (input?: { seriesIds?: readonly SeriesId[] } & CallOptions) => Promise<Position[]>
  /**
   * Reads the wallet's positions with their costs, as far as the events of both contracts show them. Blocks are read from the newest
   * back, as many at a time as the node allows.
   * @param input.seriesIds - Series to read; all that the relay lists when absent.
   * @returns The positions with their costs.
   * @throws RelayError where the series are asked of the relay and it refuses.
   * @example
   * const [position] = await taker.listCostedPositions({ seriesIds: [seriesId] })
   * if (typeof position?.cost === 'bigint') console.log('paid', position.cost)
   */
  listCostedPositions: (input?: { seriesIds?: readonly SeriesId[] } & CallOptions) => Promise<CostedPosition[]>
  /**
   * Reads the trades of a wallet from the events of both contracts, with realised profit: what is closed, settled or claimed as well.
   * Options that leave take their average cost along. Blocks are read from the newest back, as many at a time as the node allows.
   * @param input.wallet - The wallet; its key is not needed. The client's own when absent.
   * @param input.since - Unix seconds: only trades with an event from then on; all when absent.
   * @returns The trades, newest first, and whether older ones are missing.
   * @throws ClientSetupError without an account, or without a transport.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const { trades, isComplete } = await taker.getTradeHistory()
   * for (const { state, profit } of trades) console.log(state, profit === null ? 'unknown' : formatUsd6(profit))
   * if (!isComplete) console.log('older trades are missing')
   */
  getTradeHistory: (input?: { wallet?: Address; since?: number } & CallOptions) => Promise<TradeHistory>
  /**
   * Claims the payout of held options, after settlement.
   * @param input.seriesId - The settled series.
   * @param input.amount - Options to claim for; all when absent.
   * @param input.to - Receiver of the payment; the wallet itself when absent.
   * @returns The payment; null when there are none.
   * @throws ContractRefusedError `series_not_settled`, `insufficient_options`.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const claim = await taker.claimHolderPayout({ seriesId })
   * if (claim !== null) console.log(`got $${formatUsd6(claim.paid)}`)
   */
  claimHolderPayout: (
    input: { seriesId: SeriesId; amount?: Contracts; to?: Address } & CallOptions,
  ) => Promise<Claim | null>
  /**
   * Claims the collateral that written options have left, after settlement.
   * @param input.seriesId - The settled series.
   * @param input.to - Receiver of the payment; the wallet itself when absent.
   * @returns The payment; null when none were written.
   * @throws ContractRefusedError `series_not_settled`.
   * @example await maker.claimWriterCollateral({ seriesId })
   */
  claimWriterCollateral: (input: { seriesId: SeriesId; to?: Address } & CallOptions) => Promise<Claim | null>
  /**
   * Ends options that are held against options that the wallet has written, and gets their collateral back: before or after
   * settlement, in a halted series too.
   * @param input.seriesId - The series.
   * @param input.amount - Options of each to close; as many as there are of both when absent.
   * @param input.to - Receiver of the collateral; the wallet itself when absent.
   * @returns The payment; null when the wallet does not have both.
   * @throws ContractRefusedError `short_insufficient`, `insufficient_options`.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const closed = await maker.closePosition({ seriesId })
   * if (closed !== null) console.log(`got $${formatUsd6(closed.paid)} back`)
   */
  closePosition: (
    input: { seriesId: SeriesId; amount?: Contracts; to?: Address } & CallOptions,
  ) => Promise<Claim | null>
  /**
   * Registers a package on the chain unless it is registered; anyone may, while its legs are registered, not halted and not expired.
   * @param input.terms - Its market, its expiry and its legs, in any order.
   * @returns Its series, and the receipt; null where it was registered already.
   * @throws RelayError `invalid_package` where its legs are no package; ContractRefusedError `series_not_registered`, `series_halted`,
   * `option_expired` of a leg.
   * @example
   * import type { StrikeBps } from 'rfqctl/client'
   *
   * const { conditionId, yesTokenId, expiry } = await taker.getSeries({ seriesId })
   * const legs = [
   *   { optionType: 'call' as const, strikeBps: 4_000 as StrikeBps, quantity: 1 },
   *   { optionType: 'call' as const, strikeBps: 6_000 as StrikeBps, quantity: -1 },
   * ]
   * const spread = await taker.registerPackage({ terms: { conditionId, yesTokenId, expiry, legs } })
   */
  registerPackage: (
    input: { terms: PackageTerms } & CallOptions,
  ) => Promise<{ seriesId: SeriesId; receipt: TransactionReceipt | null }>
  /**
   * Tries a call of the contracts, sends it and waits until it is mined.
   * @param input.call - The call, of `createContractCalls`.
   * @returns The receipt.
   * @throws ContractRefusedError where the call would be refused; TransactionRevertedError where it was mined and failed.
   * @example
   * await maker.sendCall({ call: calls.cancelNonce({ nonce: 4_294_967_297 }) })
   */
  sendCall: (input: { call: ContractCall } & CallOptions) => Promise<TransactionReceipt>
  /**
   * Brings a signed resolution to the chain; anyone may, once per series.
   * @param input.prepared - Result of `prepareSettlement`.
   * @returns The receipt.
   * @throws ContractRefusedError `series_already_settled`, `attestation_expired`, `attestation_signer_invalid`.
   * @example
   * const prepared = await taker.prepareSettlement({ seriesId })
   * const { transactionHash } = await taker.settleSeries({ prepared })
   */
  settleSeries: (
    input: { prepared: Pick<PreparedSettlement, 'attestation' | 'signature'> } & CallOptions,
  ) => Promise<TransactionReceipt>
}

/** Actions of a wallet that is created on first use. An abort ends the wait for a slow chain at once; nothing is sent after it. */
export function createWalletActions(input: {
  wallet: () => Promise<Wallet>
  publicActions: Pick<PublicActions, 'listSeries' | 'listMarkets'>
}): WalletActions {
  const { wallet, publicActions } = input
  /** Uses the wallet, unless the signal aborts first. */
  const withWallet = <Value>(signal: AbortSignal | undefined, use: (own: Wallet) => Promise<Value>): Promise<Value> =>
    unlessAborted(wallet().then(use), signal)

  const idsOr = async (seriesIds: readonly SeriesId[] | undefined, signal: AbortSignal | undefined) =>
    seriesIds ?? (await publicActions.listSeries({ packages: true, signal })).map(({ seriesId }) => seriesId)

  const setInventory = (isApproved: boolean, signal: AbortSignal | undefined) =>
    withWallet(signal, async (own) => {
      if ((await isInventoryApproved(own)) === isApproved) return null
      signal?.throwIfAborted()
      return sendContractCall(own, createContractCalls(own.setup).setInventoryApproval({ isApproved }), signal)
    })

  return {
    getBalance: async ({ signal } = {}) => withWallet(signal, (own) => own.balance()),
    getCoinBalance: async ({ signal } = {}) => withWallet(signal, (own) => own.coinBalance()),
    getAllowance: async (spender, { signal } = {}) => withWallet(signal, (own) => own.allowance(spender)),
    approveSpender: async (input) => withWallet(input.signal, (own) => own.approve(input)),
    revokeApproval: async (input) => withWallet(input.signal, (own) => own.revoke(input)),
    getInventoryApproval: async ({ signal } = {}) => withWallet(signal, (own) => isInventoryApproved(own)),
    approveInventory: async ({ signal } = {}) => setInventory(true, signal),
    revokeInventory: async ({ signal } = {}) => setInventory(false, signal),
    getSignerUntil: async ({ signer, signal }) => withWallet(signal, (own) => readSignerUntil(own, signer)),
    cancelNonce: async ({ nonce, signal }) =>
      withWallet(signal, (own) => sendContractCall(own, createContractCalls(own.setup).cancelNonce({ nonce }), signal)),
    listPositions: async ({ seriesIds, signal } = {}) =>
      withWallet(signal, async (own) => readPositions(own, await idsOr(seriesIds, signal))),
    listCostedPositions: async ({ seriesIds, signal } = {}) =>
      withWallet(signal, async (own) => readCostedPositions(own, await idsOr(seriesIds, signal), signal)),
    getTradeHistory: async ({ wallet: address, since, signal } = {}) =>
      withWallet(signal, async (own) => {
        const of = address === undefined ? own : { ...own, address }
        const { trades, isComplete } = await readTradeHistory(of, { since, signal })
        return { trades: await withMarkets(trades, publicActions, signal), isComplete }
      }),
    claimHolderPayout: async (input) => withWallet(input.signal, (own) => claimHolderPayout(own, input)),
    claimWriterCollateral: async (input) => withWallet(input.signal, (own) => claimWriterCollateral(own, input)),
    closePosition: async (input) => withWallet(input.signal, (own) => closePosition(own, input)),
    registerPackage: async (input) => withWallet(input.signal, (own) => registerPackage(own, input)),
    sendCall: async ({ call, signal }) => withWallet(signal, (own) => sendContractCall(own, call, signal)),
    settleSeries: async (input) => withWallet(input.signal, (own) => settleWithAttestation(own, input)),
  }
}
