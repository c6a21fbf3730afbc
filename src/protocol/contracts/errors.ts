import { ERRORS } from '../domain/errors.ts'
import type { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from './abi.ts'

type AbiItem = (typeof serviceCoreAbi | typeof serviceRfqSettlementAbi | typeof testUsdAbi)[number]

/** The name of a typed error of our contracts, or of a contract that they call. */
export type ContractErrorName = Extract<AbiItem, { type: 'error' }>['name']

/**
 * A refusal on the chain: a stable snake_case code, equal to the service's where both mean the same; the sentence for people; and
 * what to do about it, where someone can do something.
 */
export type ContractRefusal = { code: string; message: string; hint: string | null }

const ASK_AGAIN = 'Ask for new quotes and commit again.'
const NOT_YOURS = 'Use the wallet that holds this role.'
const REPORT = 'Check the addresses of the contracts: those of this version never refuse like this.'

/** Every typed error of our contracts. Its arguments are shown apart from the sentence, in people's units. */
export const CONTRACT_ERRORS = {
  NotTaker: refusal('not_taker', 'The order names another taker.', 'Fill it from the wallet that committed.'),
  OrderExpired: refusal('order_expired', 'The order can no longer be filled: its last second has passed.', ASK_AGAIN),
  AmountZero: refusal('amount_zero', 'The amount is zero.', 'Give an amount of at least one option.'),
  SelfTrade: refusal('self_trade', 'Maker and taker are the same wallet.', ASK_AGAIN),
  SignatureInvalid: refusal(
    'invalid_signature',
    "The order does not carry its maker's signature, nor that of a key which its maker authorised.",
    'Fill the order exactly as the commit returned it, on the chain and contract that it was signed for.',
  ),
  NonceUsed: refusal(
    'nonce_used',
    'The order was already filled, or its maker cancelled it.',
    'Check your positions before you trade again.',
  ),
  PremiumAboveCollateral: refusal(
    'premium_above_collateral',
    'The premium is above the most that the options can pay.',
    ASK_AGAIN,
  ),
  InventoryAboveAmount: refusal(
    'inventory_above_amount',
    'More options would come from inventory than the order sells.',
    "Take at most the order's amount from inventory.",
  ),
  CloseAboveBought: refusal(
    'close_above_bought',
    'The taker would close more options than it buys by the order.',
    'Close at most what the order buys; a taker that sells closes nothing.',
  ),
  BatchEmpty: refusal('batch_empty', 'The batch holds no order.', null),
  BatchLengthMismatch: refusal('batch_length_mismatch', 'The batch must hold one signature for each order.', null),
  GasTooLow: refusal('gas_too_low', 'There is too little gas for the next order of the batch.', 'Give more gas.'),
  NotSelf: refusal('not_self', 'Only the settlement contract itself may do this.', 'Call fill instead.'),
  NonceRangeEmpty: refusal('nonce_range_empty', 'The range of nonces ends before it starts.', null),
  SignerInvalid: refusal(
    'signer_invalid',
    'The zero address and the maker itself are not authorised as signers.',
    'Authorise the address of another key.',
  ),
  AuthorizationOutOfRange: refusal(
    'authorization_out_of_range',
    'A key is authorised until a second that lies ahead, at most 366 days.',
    'Give a later or an earlier time, in Unix seconds.',
  ),
  FillAuthorizationExpired: refusal(
    'fill_authorization_expired',
    "The last second of the taker's authorisation has passed.",
    'Sign a new authorisation.',
  ),
  FillAuthorizationMismatch: refusal(
    'fill_authorization_mismatch',
    'The taker authorised the fill of another order.',
    'Sign an authorisation for this order.',
  ),
  FillAuthorizationInvalid: refusal(
    'fill_authorization_invalid',
    "The authorisation does not carry the signature of the order's taker.",
    'Sign it with the wallet that the order names as its taker.',
  ),
  FeeAboveMax: refusal(
    'fee_above_max',
    'The fee is more than the taker authorised.',
    'Charge less, or have the taker sign a higher fee.',
  ),
  FeeAbovePremium: refusal(
    'fee_above_premium',
    'The fees are more than the premium that they are taken from.',
    'Fill the order from the wallet itself.',
  ),
  PartnerFeeAboveMax: refusal(
    'partner_fee_above_max',
    "The partner's fee is more than 5% of the premium.",
    'Name at most 500 basis points.',
  ),
  PartnerInvalid: refusal(
    'partner_invalid',
    'Neither the zero address nor a contract of the service takes a fee.',
    'Name the wallet of the partner.',
  ),
  PaymentMismatch: refusal(
    'payment_mismatch',
    'The signed transfer is not of exactly what is due.',
    'Sign a transfer of the premium and the fees, or of the collateral where the taker writes.',
  ),

  SeriesUnknown: refusal('series_not_registered', ERRORS.series_not_registered.message, 'Check the id of the series.'),
  SeriesHalted: refusal('series_halted', ERRORS.series_halted.message, 'Claims, closes and settlement stay open.'),
  TradingEnded: refusal(
    'option_expired',
    'The series is no longer traded: trading ends at its expiry, or before it by the cut-off of the core.',
    null,
  ),
  SeriesNotExpired: refusal(
    'series_not_expired',
    ERRORS.series_not_expired.message,
    'Settle it at or after its expiry.',
  ),
  SeriesAlreadySettled: refusal('series_already_settled', ERRORS.series_already_settled.message, 'Claim what it owes.'),
  SeriesNotSettled: refusal('series_not_settled', 'The option series is not settled yet.', 'Settle it first.'),
  PriceNotFinal: refusal(
    'price_not_final',
    'The price of the series can still be vetoed.',
    'Claim after the dispute window; closing a position is open meanwhile.',
  ),
  PriceFinal: refusal('price_final', 'The price of the series is final and can no longer be vetoed.', null),
  SeriesExists: refusal('series_exists', 'The option series is registered already.', null),
  LegsNotNormal: refusal(
    'legs_not_normal',
    'The legs are not in normal form.',
    'Give two to four in ascending order of type and strike, each once, with quantities of -4 to 4 without a common divisor.',
  ),
  PayoffConstant: refusal(
    'payoff_constant',
    'The legs are worth the same at every resolution.',
    'Choose legs whose sum depends on the price.',
  ),
  StrikeOutOfRange: refusal('strike_out_of_range', 'A strike lies between $0.0001 and $0.9999.', null),
  ExpiryOutOfRange: refusal(
    'expiry_out_of_range',
    'An expiry lies in the future, at most 100 years ahead.',
    'Give it in seconds, not milliseconds.',
  ),
  OptionTypeInvalid: refusal('option_type_invalid', 'An option type is 0 (call) or 1 (put).', null),
  ExposureAboveCap: refusal('amount_too_large', ERRORS.amount_too_large.message, ERRORS.amount_too_large.hint),
  AmountTooLarge: refusal('amount_too_large', ERRORS.amount_too_large.message, ERRORS.amount_too_large.hint),

  AttestationExpired: refusal(
    'attestation_expired',
    'The signed resolution can no longer be used: its last second has passed.',
    'Ask for a new one.',
  ),
  AttestationSignerInvalid: refusal(
    'attestation_signer_invalid',
    'The resolution was not signed by the resolution signer of the core.',
    'Ask the relay of this deployment; after a change of signer, ask again.',
  ),
  AttestationTooFarAhead: refusal(
    'attestation_too_far_ahead',
    'The signed resolution would be valid for more than a day.',
    'Ask for a new one.',
  ),
  AttestationsVetoed: refusal(
    'attestations_vetoed',
    'A price of this market and expiry was vetoed: no other signed resolution counts.',
    'Wait for the owner to name a price, or for the resolution of the market.',
  ),
  ResolutionOutOfRange: refusal('resolution_out_of_range', 'A resolution lies between $0.00 and $1.00.', null),
  ManualProposalMissing: refusal(
    'manual_proposal_missing',
    'The owner has announced no price for this market and expiry.',
    null,
  ),
  ManualVetoUsed: refusal(
    'manual_veto_used',
    'A price that the owner announced for this market and expiry was vetoed before: the guardian vetoes only one.',
    null,
  ),
  TooEarly: refusal('too_early', 'The announced step is not allowed yet.', 'Wait until its delay has passed.'),
  TooLate: refusal('too_late', 'The announced step has lapsed.', 'Announce it again.'),
  LastResortMissing: refusal(
    'last_resort_missing',
    'The core was deployed without a conditional-token contract.',
    null,
  ),
  ConditionUnresolved: refusal('condition_unresolved', 'The market has not been resolved on chain yet.', null),
  ConditionPayoutInvalid: refusal('condition_payout_invalid', 'The market reports an impossible payout.', null),
  ConditionMismatch: refusal(
    'condition_mismatch',
    'No outcome of the market, in this collateral, is the token of the series.',
    'Name the token by which the positions of the market are collateralised.',
  ),

  NotInRole: refusal('not_in_role', 'The wallet does not hold the role for this.', NOT_YOURS),
  ProposalMissing: refusal('proposal_missing', 'No one is proposed for this role.', null),
  NotProposed: refusal(
    'not_proposed',
    'The wallet is not the one that is proposed for this role.',
    'Accept the role with the proposed wallet.',
  ),
  NothingToRevoke: refusal(
    'nothing_to_revoke',
    'The address is neither proposed for this role nor the resolution signer.',
    null,
  ),
  SignerWasRevoked: refusal(
    'signer_was_revoked',
    'The address was revoked as resolution signer, and can never be one again.',
    'Propose another address.',
  ),
  RoleIsSetAtOnce: refusal(
    'role_is_set_at_once',
    'Registrar and halter are set at once, not proposed.',
    'Call setRole instead.',
  ),
  RoleIsProposed: refusal(
    'role_is_proposed',
    'Owner, guardian and resolution signer are proposed first, not set at once.',
    'Call proposeRole instead.',
  ),
  DisputeWindowTooLong: refusal('dispute_window_too_long', 'A dispute window is at most 7 days.', null),
  TradingCutoffTooLong: refusal('trading_cutoff_too_long', 'A trading cut-off is at most 7 days.', null),

  NothingWritten: refusal('nothing_written', 'The wallet has no collateral left to claim.', null),
  ShortInsufficient: refusal(
    'short_insufficient',
    'The wallet has written fewer options than it wants to close.',
    'Close at most what it holds and has written.',
  ),
  RecipientInvalid: refusal(
    'recipient_invalid',
    'Money sent to this address would be lost.',
    'Name another recipient.',
  ),
  AcceptanceExpired: refusal(
    'acceptance_expired',
    'The acceptance can no longer be used: its last second has passed.',
    'Ask the receiver for a new one.',
  ),
  AcceptanceInvalid: refusal(
    'acceptance_invalid',
    'The receiver has not signed for this.',
    'Ask for a signature with its next nonce.',
  ),
  NotSettlement: refusal(
    'not_settlement',
    'Only the settlement contract writes, sells and closes options for others.',
    'Fill an order instead.',
  ),
  ReentrancyGuardReentrantCall: refusal(
    'reentrant_call',
    'The core was called again while a call was running.',
    'The wallet that receives the options must not call the core from its hook.',
  ),

  AddressZero: refusal('address_zero', 'An address is zero that must not be.', null),
  CoreDoesNotPointBack: refusal(
    'core_mismatch',
    'The core was deployed for another settlement contract.',
    'Deploy the core and the settlement one after the other from one account.',
  ),
  StablecoinDecimalsInvalid: refusal('stablecoin_decimals', 'The stablecoin must have 6 decimals.', 'Use another one.'),

  ERC1155InsufficientBalance: refusal('insufficient_options', 'The wallet holds fewer options than it needs.', null),
  ERC1155InvalidReceiver: refusal(
    'receiver_refuses_options',
    'The receiving wallet is a contract that does not take ERC-1155 options.',
    'Use a wallet that takes them; without that it can only write.',
  ),
  ERC1155MissingApprovalForAll: refusal('operator_not_approved', 'The holder has not approved this operator.', null),
  ERC1155InvalidApprover: refusal('approver_invalid', 'The zero address cannot approve.', null),
  ERC1155InvalidOperator: refusal('operator_invalid', 'The zero address cannot be an operator.', null),
  ERC1155InvalidSender: refusal('sender_invalid', 'The zero address cannot send.', null),
  ERC1155InvalidArrayLength: refusal('array_length_mismatch', 'Ids and values must have the same length.', null),

  ERC20InsufficientBalance: refusal('insufficient_balance', 'The wallet does not hold enough stablecoin.', 'Fund it.'),
  ERC20InsufficientAllowance: refusal(
    'insufficient_allowance',
    'The wallet has not approved enough stablecoin to this contract.',
    'Approve the amount needed, then try again.',
  ),
  ERC20InvalidApprover: refusal('approver_invalid', 'The zero address cannot approve.', null),
  ERC20InvalidReceiver: refusal('receiver_invalid', 'Stablecoin cannot be sent to this address.', null),
  ERC20InvalidSender: refusal('sender_invalid', 'The zero address cannot send.', null),
  ERC20InvalidSpender: refusal('spender_invalid', 'The zero address cannot spend.', null),
  ERC2612ExpiredSignature: refusal('permit_expired', 'The permit can no longer be used.', 'Sign a new one.'),
  ERC2612InvalidSigner: refusal('permit_signer_invalid', 'The permit was not signed by its owner.', 'Sign it again.'),
  InvalidAccountNonce: refusal(
    'permit_nonce_invalid',
    "The permit does not have its owner's next nonce.",
    'Sign it again.',
  ),
  SafeERC20FailedOperation: refusal(
    'stablecoin_failed',
    'The stablecoin did not carry out the call.',
    'It may be paused, or one of the wallets frozen: ask its issuer.',
  ),
  AccessControlUnauthorizedAccount: refusal('role_missing', 'The account lacks the role for this.', NOT_YOURS),
  AccessControlBadConfirmation: refusal('role_confirmation', 'An account can give up only its own role.', null),

  ECDSAInvalidSignature: refusal('signature_malformed', 'The signature is not valid.', 'Sign again.'),
  ECDSAInvalidSignatureLength: refusal('signature_malformed', 'The signature is not 65 bytes long.', 'Sign again.'),
  ECDSAInvalidSignatureS: refusal('signature_malformed', 'The signature is in its malleable form.', 'Sign again.'),
  InvalidShortString: refusal('string_invalid', 'A name of the contract cannot be read.', REPORT),
  StringTooLong: refusal('string_invalid', 'A name of the contract is too long.', REPORT),
} as const satisfies Record<ContractErrorName, ContractRefusal>

/** The entry of an error by its name; null for a name that the table does not have. */
export const contractErrorOf = (name: string): ContractRefusal | null =>
  Object.hasOwn(CONTRACT_ERRORS, name) ? CONTRACT_ERRORS[name as ContractErrorName] : null

function refusal<Code extends string>(code: Code, message: string, hint: string | null) {
  return { code, message, hint }
}
