import { quorumSignerAbi, serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import { normalPackage, optionTypeNumber, packLegs } from '@rfqctl/protocol/domain/option'
import {
  type PackageTerms,
  type SeriesId,
  type SeriesTerms,
  shapeOf,
  type VanillaTerms,
} from '@rfqctl/protocol/domain/series'
import type { Address, Contracts, Hex, ResolutionBps, Usd6 } from '@rfqctl/protocol/domain/units'
import { type Abi, encodeFunctionData, zeroAddress } from 'viem'
import { ROLE_NUMBERS, type Role, SET_ROLE_NUMBERS } from './authority.ts'
import type { ChainSetup } from './wallet.ts'

/** Call of a contract, to be sent by a wallet of one key or proposed to a multi-signature wallet. */
export type ContractCall = {
  /** `signer`: a contract of several keys that signs resolutions. */
  contract: 'core' | 'settlement' | 'stablecoin' | 'signer'
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
   * Brings a signed resolution to the chain, for all series of its market and expiry. Anyone may send it.
   * @param input.prepared - Result of `prepareSettlement` for one of them.
   * @returns The call.
   * @example
   * const prepared = await taker.prepareSettlement({ seriesId })
   * const call = calls.settleSeries({ prepared })
   */
  settleSeries: (input: { prepared: Pick<PreparedSettlement, 'attestation' | 'signature'> }) => ContractCall
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
   * Revokes every key that a wallet has authorised, at once. The wallet sends it.
   * @returns The call.
   * @example const call = calls.revokeAllSigners()
   */
  revokeAllSigners: () => ContractCall
  /**
   * Withdraws the acceptance of a short that a wallet has signed and that was not moved yet. The wallet sends it.
   * @returns The call.
   * @example const call = calls.withdrawAcceptance()
   */
  withdrawAcceptance: () => ContractCall
  /**
   * Stops new options of some series, or lets them be written again. Halter, guardian or owner halts; the owner resumes.
   * @param input.seriesIds - The series and packages.
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
   * Takes a role, once the notice of its proposal is over. The proposed account sends it.
   * @param input.role - The role.
   * @returns The call.
   * @example const call = calls.acceptRole({ role: 'signer' })
   */
  acceptRole: (input: { role: Role }) => ContractCall
  /**
   * Has a proposed signer of several keys take its role, once the notice of its proposal is over. Any account may send it.
   * @param input.signer - The contract of these keys.
   * @returns The call.
   * @example const call = calls.acceptForQuorum({ signer: '0x1000000000000000000000000000000000000003' })
   */
  acceptForQuorum: (input: { signer: Address }) => ContractCall
  /**
   * Takes a proposal back or removes the resolution signer, at once; prices of this signer that are not final are void then.
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
   * Appoints an account to halt series besides the owner and the guardian, at once. The owner sends it.
   * @param input.account - The halter; null for none.
   * @returns The call.
   * @example const call = calls.setHalter({ account: wallet })
   */
  setHalter: (input: { account: Address | null }) => ContractCall
  /**
   * Caps what all series of a market and expiry can have to pay together, for those registered from then on. The owner sends it.
   * @param input.cap - Micro-dollars; 0: no cap.
   * @returns The call.
   * @example
   * import { usd6 } from 'rfqctl/client'
   *
   * const call = calls.setDefaultCap({ cap: usd6(250_000_000_000n) })
   */
  setDefaultCap: (input: { cap: Usd6 }) => ContractCall
  /**
   * Vetoes the price of a market and expiry that is not final yet. The guardian sends it, once.
   * @param input.seriesId - One of their series.
   * @returns The call.
   * @example const call = calls.vetoSeries({ seriesId })
   */
  vetoSeries: (input: { seriesId: SeriesId }) => ContractCall
  /**
   * Vetoes the price that the owner has proposed for a market and expiry. The guardian sends it, once, where there is a last resort.
   * @param input.seriesId - One of their series.
   * @returns The call.
   * @example const call = calls.vetoManual({ seriesId })
   */
  vetoManual: (input: { seriesId: SeriesId }) => ContractCall
  /**
   * Registers a series of a call or a put. The owner of the core or the registrar sends it.
   * @param input.terms - The terms of the series.
   * @param input.collateral - The token by which the market's positions are collateralised; a core with a conditional-token contract
   * needs it for the first series of a market and expiry.
   * @returns The call.
   * @example
   * import type { VanillaTerms } from 'rfqctl/client'
   *
   * const register = (terms: VanillaTerms) => calls.createSeries({ terms })
   */
  createSeries: (input: { terms: VanillaTerms; collateral?: Address | null }) => ContractCall
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
   * Settles the series of a market and expiry by the market's payout, once nothing else has. Anyone may send it.
   * @param input.terms - One of the series.
   * @returns The call.
   * @example
   * import type { SeriesTerms } from 'rfqctl/client'
   *
   * const settle = (terms: SeriesTerms) => calls.settleFromCondition({ terms })
   */
  settleFromCondition: (input: { terms: SeriesTerms }) => ContractCall
  /**
   * Announces a price for the series of a market and expiry that have none. The owner of the core sends it, from 3 days after expiry;
   * without a resolution signer, from 7 days after.
   * @param input.seriesId - One of the series.
   * @param input.resolutionBps - The price in hundredths of $1.
   * @returns The call.
   * @example
   * import type { ResolutionBps } from 'rfqctl/client'
   *
   * const call = calls.proposeManual({ seriesId, resolutionBps: 59 as ResolutionBps })
   */
  proposeManual: (input: { seriesId: SeriesId; resolutionBps: ResolutionBps }) => ContractCall
  /**
   * Settles the series of a market and expiry by their announced price, once the notice is over. The owner of the core sends it.
   * @param input.seriesId - One of the series.
   * @returns The call.
   * @example const call = calls.executeManual({ seriesId })
   */
  executeManual: (input: { seriesId: SeriesId }) => ContractCall
}

const ABIS = {
  core: serviceCoreAbi,
  settlement: serviceRfqSettlementAbi,
  stablecoin: testUsdAbi,
  signer: quorumSignerAbi,
} as const satisfies Record<ContractCall['contract'], Abi>

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
  const callOf =
    (contract: ContractCall['contract'], to: Address) =>
    (functionName: string, ...args: readonly unknown[]): ContractCall => ({
      contract,
      to,
      functionName,
      args,
      data: encodeFunctionData({ abi: ABIS[contract] as Abi, functionName, args }),
    })
  const core = callOf('core', coreAddress)
  const settlement = callOf('settlement', settlementAddress)
  return {
    closePosition: ({ seriesId, amount, to }) => core('closePosition', BigInt(seriesId), amount, to),
    claimHolderPayout: ({ seriesId, amount, to }) => core('claimHolderPayoutTo', BigInt(seriesId), amount, to),
    claimWriterCollateral: ({ seriesId, to }) => core('claimWriterCollateralTo', BigInt(seriesId), to),
    cancelNonce: ({ nonce }) => settlement('cancelNonce', BigInt(nonce)),
    claimMany: ({ seriesIds, to }) => core('claimMany', seriesIds.map(BigInt), to),
    claimFor: ({ account, seriesId }) => core('claimAllFor', account, BigInt(seriesId)),
    settleSeries: ({ prepared: { attestation, signature } }) =>
      core(
        'settleWithAttestation',
        ...[BigInt(attestation.seriesId), attestation.resolutionBps, BigInt(attestation.validUntil), signature],
      ),
    cancelNonces: ({ first, last }) => settlement('cancelNonceRange', BigInt(first), BigInt(last)),
    setInventoryApproval: ({ isApproved }) => core('setApprovalForAll', settlementAddress, isApproved),
    authorizeSigner: ({ signer, until }) => settlement('authorizeSigner', signer, BigInt(until)),
    revokeSigner: ({ signer }) => settlement('revokeSigner', signer),
    revokeAllSigners: () => settlement('revokeAllSigners'),
    withdrawAcceptance: () => core('useNonce'),
    setHalted: ({ seriesIds, isHalted }) => core('setHalted', seriesIds.map(BigInt), isHalted),
    proposeRole: ({ role, account }) => core('proposeRole', ROLE_NUMBERS[role], account),
    acceptRole: ({ role }) => core('confirmRole', ROLE_NUMBERS[role]),
    acceptForQuorum: ({ signer }) => callOf('signer', signer)('acceptRole', coreAddress),
    revokeRole: ({ role, account }) => core('removeFromRole', ROLE_NUMBERS[role], account),
    setRegistrar: ({ account }) => core('setRole', SET_ROLE_NUMBERS.registrar, account ?? zeroAddress),
    setHalter: ({ account }) => core('setRole', SET_ROLE_NUMBERS.halter, account ?? zeroAddress),
    setDefaultCap: ({ cap }) => core('setDefaultCap', cap),
    vetoSeries: ({ seriesId }) => core('vetoSeries', BigInt(seriesId)),
    vetoManual: ({ seriesId }) => core('vetoManual', BigInt(seriesId)),
    createSeries: ({ terms: { conditionId, yesTokenId, strikeBps, expiry, optionType }, collateral }) =>
      core(
        'createSeries',
        ...[conditionId, BigInt(yesTokenId), collateral ?? zeroAddress],
        ...[strikeBps, BigInt(expiry), optionTypeNumber(optionType)],
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
    settleFromCondition: ({ terms }) => core('settleFromCondition', termsOf(terms)),
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
