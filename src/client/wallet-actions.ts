import type { TransactionReceipt } from 'viem'
import { serviceRfqSettlementAbi } from '../contracts/abi.ts'
import type { Position } from '../domain/position.ts'
import type { SeriesId } from '../domain/series.ts'
import type { Contracts, Usd6 } from '../domain/units.ts'
import type { PreparedSettlement } from '../wire/settlement.ts'
import { unlessAborted } from './abort.ts'
import type { PublicActions } from './discovery.ts'
import type { CallOptions } from './http.ts'
import { type CostedPosition, readCostedPositions } from './position-costs.ts'
import { type Claim, claimHolderPayout, claimWriterCollateral, readPositions } from './positions.ts'
import { settleWithAttestation } from './settle.ts'
import type { Spender, Wallet } from './wallet.ts'

/**
 * What either side does with its own wallet on the chain. Every call rejects with `ClientSetupError` where the client has
 * no account or chain, and with viem's error, which names the contract's own, where the chain refuses.
 */
export type WalletActions = {
  /** The stablecoin held, micro-dollars. */
  getBalance: (options?: CallOptions) => Promise<Usd6>
  /** The chain's coin held, which pays for gas, wei. */
  getCoinBalance: (options?: CallOptions) => Promise<bigint>
  /** The stablecoin approved to one of the two contracts, micro-dollars. */
  getAllowance: (spender: Spender, options?: CallOptions) => Promise<Usd6>
  /** Approves stablecoin where less is approved; null when nothing had to be done. */
  approveSpender: (input: { spender: Spender; amount: Usd6 } & CallOptions) => Promise<TransactionReceipt | null>
  /** Takes an approval back, whatever is left of it; null when there was none. What it backed can be filled no more. */
  revokeApproval: (input: { spender: Spender } & CallOptions) => Promise<TransactionReceipt | null>
  /**
   * Makes a signed order of this wallet unfillable, by its nonce. Rejects with `ContractRefusedError` where the order was
   * filled or cancelled before.
   */
  cancelNonce: (input: { nonce: number } & CallOptions) => Promise<TransactionReceipt>
  /** What is held and owed in some series, in all that the relay lists when absent. */
  listPositions: (input?: { seriesIds?: readonly SeriesId[] } & CallOptions) => Promise<Position[]>
  /**
   * The same with what the wallet has put into each, as far as the chain's events of both contracts tell. The node is asked
   * for blocks from the newest back, as many at a time as it gives.
   */
  listCostedPositions: (input?: { seriesIds?: readonly SeriesId[] } & CallOptions) => Promise<CostedPosition[]>
  /** Claims the payout of options held, all unless told otherwise; null when there are none. */
  claimHolderPayout: (input: { seriesId: SeriesId; amount?: Contracts } & CallOptions) => Promise<Claim | null>
  /** Claims back collateral of options written; null when there are none. */
  claimWriterCollateral: (input: { seriesId: SeriesId } & CallOptions) => Promise<Claim | null>
  /** Relays a signed resolution to the chain; anyone may, once per series. */
  settleSeries: (
    input: { prepared: Pick<PreparedSettlement, 'attestation' | 'signature'> } & CallOptions,
  ) => Promise<TransactionReceipt>
}

/**
 * The actions of a wallet that is made when it is first needed. An abort ends the wait for a slow chain at once; nothing is
 * sent after it.
 */
export function createWalletActions({
  wallet,
  publicActions,
}: {
  wallet: () => Wallet
  publicActions: Pick<PublicActions, 'listSeries'>
}): WalletActions {
  const idsOr = async (seriesIds: readonly SeriesId[] | undefined, signal: AbortSignal | undefined) =>
    seriesIds ?? (await publicActions.listSeries({ signal })).map(({ seriesId }) => seriesId)

  return {
    getBalance: async ({ signal } = {}) => unlessAborted(wallet().balance(), signal),
    getCoinBalance: async ({ signal } = {}) => unlessAborted(wallet().coinBalance(), signal),
    getAllowance: async (spender, { signal } = {}) => unlessAborted(wallet().allowance(spender), signal),
    approveSpender: async ({ signal, ...input }) => unlessAborted(wallet().approve({ ...input, signal }), signal),
    revokeApproval: async ({ signal, ...input }) => unlessAborted(wallet().revoke({ ...input, signal }), signal),
    cancelNonce: async ({ nonce, signal }) => {
      const { setup, write } = wallet()
      const call = {
        address: setup.settlementAddress,
        abi: serviceRfqSettlementAbi,
        functionName: 'cancelNonce',
      } as const
      return unlessAborted(write({ ...call, args: [BigInt(nonce)] }, signal), signal)
    },
    listPositions: async ({ seriesIds, signal } = {}) => {
      const own = wallet()
      return unlessAborted(readPositions(own, await idsOr(seriesIds, signal)), signal)
    },
    listCostedPositions: async ({ seriesIds, signal } = {}) => {
      const own = wallet()
      return unlessAborted(readCostedPositions(own, await idsOr(seriesIds, signal), signal), signal)
    },
    claimHolderPayout: async (input) => unlessAborted(claimHolderPayout(wallet(), input), input.signal),
    claimWriterCollateral: async (input) => unlessAborted(claimWriterCollateral(wallet(), input), input.signal),
    settleSeries: async (input) => unlessAborted(settleWithAttestation(wallet(), input), input.signal),
  }
}
