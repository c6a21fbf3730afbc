import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import { normalPackage, optionTypeNumber, packLegs } from '@rfqctl/protocol/domain/option'
import {
  type PackageTerms,
  type SeriesId,
  type SeriesTerms,
  shapeOf,
  type VanillaTerms,
} from '@rfqctl/protocol/domain/series'
import type { Address, Contracts, Hex, ResolutionBps } from '@rfqctl/protocol/domain/units'
import { type Abi, encodeFunctionData, zeroAddress } from 'viem'
import { ROLE_NUMBERS, type Role } from './authority.ts'
import type { ChainSetup } from './wallet.ts'

/** Call of one of the two contracts, to be sent by a wallet of one key or proposed to a multi-signature wallet. */
export type ContractCall = {
  contract: 'core' | 'settlement'
  to: Address
  functionName: string
  /** Its arguments, in the contract's own numbers. */
  args: readonly unknown[]
  /** Function and arguments as call data. */
  data: Hex
}

/** Makes calls to leave a position, to cancel orders and to hold a role, and sends none. `to` receives the payment or collateral. */
export type ContractCalls = {
  /**
   * Burns options held against options written, and returns their collateral. Any account may send it, for itself, at any time.
   * @param input.seriesId - The series.
   * @param input.amount - Options to burn of each.
   * @param input.to - Receiver of the collateral.
   * @returns The call.
   * @example
   * import { contracts } from 'rfqctl/client'
   *
   * const { to, data } = calls.closePosition({ seriesId, amount: contracts(5n), to: wallet })
   */
  closePosition: (input: { seriesId: SeriesId; amount: Contracts; to: Address }) => ContractCall
  /**
   * Pays the value of options of a settled series. Their holder sends it.
   * @param input.seriesId - The series.
   * @param input.amount - Options to claim for.
   * @param input.to - Receiver of the payment.
   * @returns The call.
   * @example
   * import { contracts } from 'rfqctl/client'
   *
   * const call = calls.claimHolderPayout({ seriesId, amount: contracts(5n), to: wallet })
   */
  claimHolderPayout: (input: { seriesId: SeriesId; amount: Contracts; to: Address }) => ContractCall
  /**
   * Returns the collateral that a settled series has left. The writer of the options sends it.
   * @param input.seriesId - The series.
   * @param input.to - Receiver of the payment.
   * @returns The call.
   * @example const call = calls.claimWriterCollateral({ seriesId, to: wallet })
   */
  claimWriterCollateral: (input: { seriesId: SeriesId; to: Address }) => ContractCall
  /**
   * Pays a wallet for everything it holds and has written in settled series, at once.
   * @param input.seriesIds - The series.
   * @param input.to - Receiver of the payment.
   * @returns The call.
   * @example const call = calls.claimMany({ seriesIds: [seriesId], to: wallet })
   */
  claimMany: (input: { seriesIds: readonly SeriesId[]; to: Address }) => ContractCall
  /**
   * Pays an account what a settled series owes it. Anyone may send it; only the account is paid.
   * @param input.account - The account.
   * @param input.seriesId - The series.
   * @returns The call.
   * @example const call = calls.claimFor({ account: wallet, seriesId })
   */
  claimFor: (input: { account: Address; seriesId: SeriesId }) => ContractCall
  /**
   * Brings signed resolutions to the chain, all or none; series that have a price are left out. Anyone may send it.
   * @param input.prepared - Results of `prepareSettlement`.
   * @returns The call.
   * @example
   * const prepared = [await taker.prepareSettlement({ seriesId })]
   * const call = calls.settleMany({ prepared })
   */
  settleMany: (input: { prepared: readonly Pick<PreparedSettlement, 'attestation' | 'signature'>[] }) => ContractCall
  /**
   * Voids a signed order. Its maker sends it.
   * @param input.nonce - The nonce.
   * @returns The call.
   * @example const call = calls.cancelNonce({ nonce: 4_294_967_297 })
   */
  cancelNonce: (input: { nonce: number }) => ContractCall
  /**
   * Voids every order with one of these nonces. Their maker sends it.
   * @param input.first - The first nonce.
   * @param input.last - The last nonce.
   * @returns The call.
   * @example await maker.sendCall({ call: calls.cancelNonces({ first: 4_294_967_297, last: 4_294_967_400 }) })
   */
  cancelNonces: (input: { first: number; last: number }) => ContractCall
  /**
   * Lets fills move options that a wallet holds, or stops that. Any wallet may send it, for itself.
   * @param input.isApproved - Whether the settlement may move them from then on.
   * @returns The call.
   * @example const call = calls.setInventoryApproval({ isApproved: true })
   */
  setInventoryApproval: (input: { isApproved: boolean }) => ContractCall
  /**
   * Lets a key sign orders for a wallet, up to a given second. Any wallet may send it, for itself; the key can do nothing else.
   * @param input.signer - The address of the signer.
   * @param input.until - The last second in which its orders can be filled, Unix seconds of chain time: ahead, at most 366 days.
   * @returns The call.
   * @example
   * const inThirtyDays = Math.floor(Date.now() / 1_000) + 30 * 86_400
   * await taker.sendCall({ call: calls.authorizeSigner({ signer: wallet, until: inThirtyDays }) })
   */
  authorizeSigner: (input: { signer: Address; until: number }) => ContractCall
  /**
   * Revokes a key at once: orders that it has signed can no longer be filled. The wallet that authorised it sends the call.
   * @param input.signer - The address of the signer.
   * @returns The call.
   * @example const call = calls.revokeSigner({ signer: wallet })
   */
  revokeSigner: (input: { signer: Address }) => ContractCall
  /**
   * Stops new options of some series, or lets them be written again.
   * @param input.seriesIds - The series.
   * @param input.isHalted - Whether they are halted from then on.
   * @returns The call.
   * @example const call = calls.setHalted({ seriesIds: [seriesId], isHalted: true })
   */
  setHalted: (input: { seriesIds: readonly SeriesId[]; isHalted: boolean }) => ContractCall
  /**
   * Proposes an account for a role, which starts its notice. The owner of the core sends it.
   * @param input.role - The role.
   * @param input.account - The account.
   * @returns The call.
   * @example const call = calls.proposeRole({ role: 'signer', account: wallet })
   */
  proposeRole: (input: { role: Role; account: Address }) => ContractCall
  /**
   * Puts the proposed account in a role, once its notice is over. The owner sends it; for the owner's role, the account.
   * @param input.role - The role.
   * @returns The call.
   * @example const call = calls.acceptRole({ role: 'signer' })
   */
  acceptRole: (input: { role: Role }) => ContractCall
  /**
   * Takes a proposal back or removes the resolution signer, at once.
   * @param input.role - The role.
   * @param input.account - Account that is proposed for it, or that signs resolutions.
   * @returns The call.
   * @example const call = calls.revokeRole({ role: 'signer', account: wallet })
   */
  revokeRole: (input: { role: Role; account: Address }) => ContractCall
  /**
   * Appoints an account to register series besides the owner, at once. The owner sends it.
   * @param input.account - The registrar; null for none.
   * @returns The call.
   * @example const call = calls.setRegistrar({ account: wallet })
   */
  setRegistrar: (input: { account: Address | null }) => ContractCall
  /**
   * Caps the open interest of series registered from then on. The owner sends it.
   * @param input.exponent - At most 2^exponent options of a series, 1 to 79; 0: no cap.
   * @returns The call.
   * @example const call = calls.setDefaultCap({ exponent: 20 })
   */
  setDefaultCap: (input: { exponent: number }) => ContractCall
  /**
   * Vetoes a price that is not final yet. The guardian sends it, once per series.
   * @param input.seriesId - The series.
   * @returns The call.
   * @example const call = calls.vetoSeries({ seriesId })
   */
  vetoSeries: (input: { seriesId: SeriesId }) => ContractCall
  /**
   * Registers a series of a call or a put. The owner of the core or the registrar sends it.
   * @param input.terms - The terms of the series.
   * @returns The call.
   * @example
   * import type { VanillaTerms } from 'rfqctl/client'
   *
   * const register = (terms: VanillaTerms) => calls.createSeries({ terms })
   */
  createSeries: (input: { terms: VanillaTerms }) => ContractCall
  /**
   * Registers a package. Its legs must be registered, not halted and not expired. Anyone may send it.
   * @param input.terms - The terms of the package.
   * @returns The call.
   * @example
   * import type { PackageTerms } from 'rfqctl/client'
   *
   * const register = (terms: PackageTerms) => calls.createPackage({ terms })
   */
  createPackage: (input: { terms: PackageTerms }) => ContractCall
  /**
   * Halts a package with a halted leg. Anyone may send it; the owner resumes it by `setHalted`.
   * @param input.terms - The terms of the package.
   * @param input.legIndex - Index of the halted leg, from 0.
   * @returns The call.
   * @example
   * import type { PackageTerms } from 'rfqctl/client'
   *
   * const halt = (terms: PackageTerms) => calls.haltPackage({ terms, legIndex: 0 })
   */
  haltPackage: (input: { terms: PackageTerms; legIndex: number }) => ContractCall
  /**
   * Voids contradicting prices of one market and expiry that are not final yet. Anyone may send it.
   * @param input.one - One series.
   * @param input.other - Another one.
   * @returns The call.
   * @example
   * import type { SeriesTerms } from 'rfqctl/client'
   *
   * const contradict = (one: SeriesTerms, other: SeriesTerms) => calls.contradictPrices({ one, other })
   */
  contradictPrices: (input: { one: SeriesTerms; other: SeriesTerms }) => ContractCall
  /**
   * Settles a series by the payout of its market, once nothing else has. Anyone may send it.
   * @param input.terms - The series.
   * @param input.collateral - The token by which the market's positions are collateralised.
   * @returns The call.
   * @example
   * import type { SeriesTerms } from 'rfqctl/client'
   *
   * const settle = (terms: SeriesTerms) => calls.settleFromCondition({ terms, collateral: wallet })
   */
  settleFromCondition: (input: { terms: SeriesTerms; collateral: Address }) => ContractCall
  /**
   * Announces a price for a series without one. The owner of the core sends it, from 3 days after expiry.
   * @param input.seriesId - The series.
   * @param input.resolutionBps - The price in hundredths of $1.
   * @returns The call.
   * @example
   * import type { ResolutionBps } from 'rfqctl/client'
   *
   * const call = calls.proposeManual({ seriesId, resolutionBps: 59 as ResolutionBps })
   */
  proposeManual: (input: { seriesId: SeriesId; resolutionBps: ResolutionBps }) => ContractCall
  /**
   * Settles a series by its announced price, once the notice is over. The owner of the core sends it.
   * @param input.seriesId - The series.
   * @returns The call.
   * @example const call = calls.executeManual({ seriesId })
   */
  executeManual: (input: { seriesId: SeriesId }) => ContractCall
}

const ABIS = { core: serviceCoreAbi, settlement: serviceRfqSettlementAbi } as const satisfies Record<
  ContractCall['contract'],
  Abi
>

/** ABI of a call's contract. */
export const abiOf = ({ contract }: Pick<ContractCall, 'contract'>): Abi => ABIS[contract]

/**
 * Makes the calls of a deployment. Nothing is read or sent: a call goes to `sendCall` of a client, or to a multi-signature wallet.
 * @param options - The two contracts.
 * @returns The calls.
 * @example
 * import { createContractCalls } from 'rfqctl/client'
 *
 * const calls = createContractCalls({
 *   settlementAddress: '0x1000000000000000000000000000000000000001',
 *   coreAddress: '0x1000000000000000000000000000000000000002',
 * })
 * const { to, data } = calls.setHalted({ seriesIds: [seriesId], isHalted: true })
 */
export function createContractCalls(options: Pick<ChainSetup, 'settlementAddress' | 'coreAddress'>): ContractCalls {
  const { settlementAddress, coreAddress } = options
  const addresses = { core: coreAddress, settlement: settlementAddress }
  const callOf =
    (contract: ContractCall['contract']) =>
    (functionName: string, ...args: readonly unknown[]): ContractCall => ({
      contract,
      to: addresses[contract],
      functionName,
      args,
      data: encodeFunctionData({ abi: ABIS[contract] as Abi, functionName, args }),
    })
  const core = callOf('core')
  const settlement = callOf('settlement')
  return {
    closePosition: ({ seriesId, amount, to }) => core('closePosition', BigInt(seriesId), amount, to),
    claimHolderPayout: ({ seriesId, amount, to }) => core('claimHolderPayoutTo', BigInt(seriesId), amount, to),
    claimWriterCollateral: ({ seriesId, to }) => core('claimWriterCollateralTo', BigInt(seriesId), to),
    cancelNonce: ({ nonce }) => settlement('cancelNonce', BigInt(nonce)),
    claimMany: ({ seriesIds, to }) => core('claimMany', seriesIds.map(BigInt), to),
    claimFor: ({ account, seriesId }) => core('claimAllFor', account, BigInt(seriesId)),
    settleMany: ({ prepared }) =>
      core(
        'settleMany',
        prepared.map(({ attestation: { seriesId, resolutionBps, validUntil } }) => ({
          seriesId: BigInt(seriesId),
          resolutionBps,
          validUntil: BigInt(validUntil),
        })),
        prepared.map(({ signature }) => signature),
      ),
    cancelNonces: ({ first, last }) => settlement('cancelNonceRange', BigInt(first), BigInt(last)),
    setInventoryApproval: ({ isApproved }) => core('setApprovalForAll', settlementAddress, isApproved),
    authorizeSigner: ({ signer, until }) => settlement('authorizeSigner', signer, BigInt(until)),
    revokeSigner: ({ signer }) => settlement('revokeSigner', signer),
    setHalted: ({ seriesIds, isHalted }) => core('setHalted', seriesIds.map(BigInt), isHalted),
    proposeRole: ({ role, account }) => core('proposeRole', ROLE_NUMBERS[role], account),
    acceptRole: ({ role }) => core('confirmRole', ROLE_NUMBERS[role]),
    revokeRole: ({ role, account }) => core('removeFromRole', ROLE_NUMBERS[role], account),
    setRegistrar: ({ account }) => core('setRegistrar', account ?? zeroAddress),
    setDefaultCap: ({ exponent }) => core('setDefaultCap', exponent),
    vetoSeries: ({ seriesId }) => core('vetoSeries', BigInt(seriesId)),
    createSeries: ({ terms: { conditionId, yesTokenId, strikeBps, expiry, optionType } }) =>
      core(
        'createSeries',
        ...[conditionId, BigInt(yesTokenId), strikeBps, BigInt(expiry), optionTypeNumber(optionType)],
      ),
    createPackage: ({ terms }) =>
      core(
        'createPackage',
        ...[
          terms.conditionId,
          BigInt(terms.yesTokenId),
          BigInt(terms.expiry),
          packLegs(normalPackage(terms.legs).legs),
        ],
      ),
    haltPackage: ({ terms, legIndex }) => core('haltPackage', termsOf(terms), BigInt(legIndex)),
    contradictPrices: ({ one, other }) => core('contradict', termsOf(one), termsOf(other)),
    settleFromCondition: ({ terms, collateral }) => core('settleFromCondition', termsOf(terms), collateral),
    proposeManual: ({ seriesId, resolutionBps }) => core('proposeManual', BigInt(seriesId), resolutionBps),
    executeManual: ({ seriesId }) => core('executeManual', BigInt(seriesId)),
  }
}

/** Preimage of a series id, with the contract's field names. */
const termsOf = (terms: SeriesTerms) => ({
  conditionId: terms.conditionId,
  yesClobTokenId: BigInt(terms.yesTokenId),
  ...shapeOf(terms),
  expiry: BigInt(terms.expiry),
})
