import { ERRORS } from '../domain/errors.ts'
import type { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from './abi.ts'

type AbiItem = (typeof serviceCoreAbi | typeof serviceRfqSettlementAbi | typeof testUsdAbi)[number]

/** The name of a typed error of our contracts, or of a contract that they call. */
export type ContractErrorName = Extract<AbiItem, { type: 'error' }>['name']

/**
 * What a refusal on the chain says: a stable snake_case code, that of the service's table where both mean the same; the
 * sentence for people; and what to do about it, where someone can do something.
 */
export type ContractRefusal = { code: string; message: string; hint: string | null }

const ASK_AGAIN = 'Ask for new quotes and commit again.'
const NOT_YOURS = 'Use the wallet that holds this role.'
const REPORT = 'Check the addresses of the contracts: those of this version never refuse like this.'

/** Every typed error of our contracts. What it carries is told apart from the sentence, in people's units. */
export const CONTRACT_ERRORS = {
  NotTaker: refusal('not_taker', 'The order names another taker.', 'Fill it from the wallet that committed.'),
  OrderExpired: refusal('order_expired', 'The order can no longer be filled: its last second has passed.', ASK_AGAIN),
  AmountZero: refusal('amount_zero', 'The amount is zero.', 'Give an amount of at least one option.'),
  SelfTrade: refusal('self_trade', 'Maker and taker are the same wallet.', ASK_AGAIN),
  SignatureInvalid: refusal(
    'invalid_signature',
    "The order does not carry its maker's signature.",
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
  BatchEmpty: refusal('batch_empty', 'The batch holds no order.', null),
  BatchLengthMismatch: refusal('batch_length_mismatch', 'The batch must hold one signature for each order.', null),

  SeriesUnknown: refusal('series_not_registered', ERRORS.series_not_registered.message, 'Check the id of the series.'),
  SeriesHalted: refusal('series_halted', ERRORS.series_halted.message, 'Claims, closes and settlement stay open.'),
  SeriesExpired: refusal('option_expired', 'The series has expired: no new options are written.', null),
  SeriesNotExpired: refusal(
    'series_not_expired',
    ERRORS.series_not_expired.message,
    'Settle it at or after its expiry.',
  ),
  SeriesAlreadySettled: refusal('series_already_settled', ERRORS.series_already_settled.message, 'Claim what it owes.'),
  SeriesNotSettled: refusal('series_not_settled', 'The option series is not settled yet.', 'Settle it first.'),
  SeriesExists: refusal('series_exists', 'The option series is registered already.', null),
  StrikeOutOfRange: refusal('strike_out_of_range', 'A strike lies between $0.0001 and $0.9999.', null),
  ExpiryOutOfRange: refusal(
    'expiry_out_of_range',
    'An expiry lies in the future, at most 100 years ahead.',
    'Give it in seconds, not milliseconds.',
  ),
  OptionTypeInvalid: refusal('option_type_invalid', 'An option type is 0 (call) or 1 (put).', null),
  OpenInterestOverflow: refusal('amount_too_large', 'The series cannot hold that many options.', null),

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
  ResolutionOutOfRange: refusal('resolution_out_of_range', 'A resolution lies between $0.00 and $1.00.', null),
  ManualProposalMissing: refusal('manual_proposal_missing', 'The owner has announced no price for this series.', null),
  TooEarly: refusal('too_early', 'The announced step is not allowed yet.', 'Wait until its delay has passed.'),
  PendingSignerMissing: refusal('pending_signer_missing', 'No resolution signer is announced.', null),
  SignerUnknown: refusal('signer_unknown', 'The address is neither the resolution signer nor the announced one.', null),

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
  NotSettlement: refusal('not_settlement', 'Only the settlement contract writes options.', 'Fill an order instead.'),
  ReentrancyGuardReentrantCall: refusal(
    'reentrant_call',
    'The core was called again while a call was running.',
    'The wallet that receives the options must not call the core from its hook.',
  ),

  OwnableUnauthorizedAccount: refusal('not_owner', 'Only the owner of the core may do this.', NOT_YOURS),
  OwnableInvalidOwner: refusal('owner_invalid', 'The zero address cannot own the core.', null),
  OwnershipNotRenounceable: refusal('ownership_not_renounceable', 'Ownership can be handed over, not given up.', null),
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

/** What the table says of an error by its name; null for one that is none of ours. */
export const contractErrorOf = (name: string): ContractRefusal | null =>
  Object.hasOwn(CONTRACT_ERRORS, name) ? CONTRACT_ERRORS[name as ContractErrorName] : null

function refusal<Code extends string>(code: Code, message: string, hint: string | null) {
  return { code, message, hint }
}
