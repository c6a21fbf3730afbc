/**
 * `rfqctl/client`: what an outside taker or maker of the service needs, over its public protocol only.
 * The public entry point: package.json exports it.
 */

export type { ContractUnit, ContractValue } from '../contracts/values.ts'
export type { PreparedSettlement, SettlementAttestation } from '../domain/attestation.ts'
export type { AuditEntry, AuditFact } from '../domain/audit.ts'
export type { AuthorityEvent, AuthorityRole, AuthorityStanding, RoleStanding } from '../domain/authority.ts'
export type { LossFeedback, RankedQuote } from '../domain/best-quote.ts'
export type { CommitTerms, Protections } from '../domain/commit.ts'
export type { CommitProof, ProvenCommit } from '../domain/commit-proof.ts'
export { formatUsd6, type Rounding, toUsd6, usd6ToNumber } from '../domain/decimal.ts'
export type { ErrorCode } from '../domain/errors.ts'
export type { FillAuthorization, GaslessFill, Payment, PaymentMethod } from '../domain/gasless-fill.ts'
export type {
  MakerProtections,
  ProtectionTrip,
  ProtectionWindow,
  ReferencePrice,
  WindowUse,
} from '../domain/maker-protections.ts'
export type { MakerOutcomeKind, OwnStanding, RecordedOutcome, WinCounts } from '../domain/maker-record.ts'
export type { MakerStanding, RequestStanding, SeriesProgress } from '../domain/operations.ts'
export {
  collateral as computeCollateral,
  floorOf as computeFloor,
  type Leg,
  maxPayoff as computeMaxPayoff,
  type Option,
  type OptionType,
  type PackageOption,
  payoff as computePayoff,
  type VanillaOption,
} from '../domain/option.ts'
export type { Order, TakerApproval, TypedDataDomain } from '../domain/order.ts'
export type { OrderEnd, OrderStanding } from '../domain/order-end.ts'
export type { Position, PositionValue, ValuedPosition } from '../domain/position.ts'
export type { PositionCost } from '../domain/position-cost.ts'
export type { FrozenTerms, Quote, QuoteSubmission } from '../domain/quote.ts'
export type { MakerRefusal } from '../domain/reliability.ts'
export {
  type ClosedStatus,
  type OpenedRequest,
  type RequestedMarket,
  type RequestedOption,
  type RequestStatus,
  type RequestTerms,
  type Side,
  type TakerRating,
  type Trade,
  toRequestedOption,
} from '../domain/request.ts'
export type { Defunding } from '../domain/reservation.ts'
export type { ResolutionMeta } from '../domain/resolution.ts'
export type { ResolvedSeries, ReviewDecision, ReviewDetails, ReviewItem, WindowPrices } from '../domain/review.ts'
export type { ListedSeries, MarketSummary, PackageTerms, SeriesFilter, VanillaTerms } from '../domain/series.ts'
export { type Series, type SeriesId, type SeriesTerms, seriesIdOf as computeSeriesId } from '../domain/series.ts'
export type { PricePoint, TwapWindow } from '../domain/twap.ts'
export {
  type Address,
  type Contracts,
  contracts,
  type Hex,
  type ResolutionBps,
  type StrikeBps,
  type Usd6,
  usd6,
} from '../domain/units.ts'
export type { Backoff } from '../lib/retry.ts'
export type { ApiKeyRecord, Profile } from '../wire/account.ts'
export type { ShownBook, ShownQuote } from '../wire/best-quote.ts'
export type { Block, BlockTerms, MakersView } from '../wire/blocks.ts'
export type { Execution, OnchainTrade, SignedTrade } from '../wire/commit.ts'
export type { RelayEnvironment } from '../wire/environment.ts'
export type { Health, HealthPart } from '../wire/health.ts'
export type { OwnQuote } from '../wire/maker-book.ts'
export type { QuoteEnd, QuoteOutcome } from '../wire/maker-history.ts'
export type { MakerSocketMessage, PostTradeMessage, SignatureRequest } from '../wire/maker-messages.ts'
export { type ProtectionsInput, type ShownProtections, toProtectionsInput } from '../wire/maker-protections.ts'
export type { AnnouncedRequest, MakerStreamEvent } from '../wire/maker-stream.ts'
export type { OperatorEvent } from '../wire/operator-stream.ts'
export type { RejectReason } from '../wire/rejection.ts'
export type { RelayedFill, RelayerTerms } from '../wire/relayer.ts'
export type { WithdrawTerms } from '../wire/submit-quote.ts'
export { type AccountClient, type AccountOptions, createAccountClient } from './account.ts'
export { type Authority, getAuthority, type Role, type RoleState } from './authority.ts'
export { checkCall } from './check-call.ts'
export { checkMakerOrder, checkTakerOrder, type Offer } from './check-order.ts'
export type { ClaimNews } from './claimer.ts'
export type { Clock } from './clock.ts'
export { signCommit } from './commit-proof.ts'
export type { ConnectionState, OnConnectionState, Timing } from './connection.ts'
export { type ContractCall, type ContractCalls, createContractCalls } from './contract-calls.ts'
export type { PublicActions } from './discovery.ts'
export {
  ClientSetupError,
  ContractRefusedError,
  OrderMismatchError,
  PaymentError,
  RelayError,
  type RelayErrorCode,
  RelayUnreachableError,
  RfqctlError,
  TransactionRevertedError,
  TransactionUnminedError,
  WalletError,
} from './errors.ts'
export type { FeeBumping } from './fee-bumping-wallet.ts'
export type { ApprovalMethod, CommittedTrade, Fill } from './fill.ts'
export type { GaslessInput } from './gasless.ts'
export type { CallOptions } from './http.ts'
export { createKeeper, type Keeper, type KeeperNews, type KeeperOptions } from './keeper.ts'
export { createMakerClient } from './maker.ts'
export type { HistoryInput, MakerClient, MakerOptions, QuoteInput, SubmittedQuote } from './maker-client.ts'
export { createOperatorClient, type OperatorClient, type OperatorFrame, type OperatorOptions } from './operator.ts'
export type { OrderSigner } from './order-signature.ts'
export type { CostedPosition } from './position-costs.ts'
export { createRelayerClient, type RelayerClient, type RelayerOptions } from './relayer.ts'
export { createSafeBatch, type SafeBatch } from './safe-batch.ts'
export type { Claim } from './settlement.ts'
export type { Signer } from './signer.ts'
export { createTakerClient } from './taker.ts'
export type {
  CommitInput,
  OpenRequestInput,
  RequestKey,
  TakerClient,
  TakerOptions,
  TakerRequest,
} from './taker-client.ts'
export { type ChainSetup, type Spender, UNLIMITED } from './wallet.ts'
export type { WalletActions } from './wallet-actions.ts'
