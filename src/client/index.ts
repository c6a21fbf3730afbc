/**
 * `rfqctl/client`: the library for outside takers and makers of the service, over its public protocol only. The public entry point:
 * package.json exports it.
 */

export type { Clock } from '@rfqctl/lib/clock'
export type { Backoff } from '@rfqctl/lib/retry'
export type { ContractUnit, ContractValue } from '@rfqctl/protocol/contracts/values'
export type { PreparedSettlement, SettlementAttestation } from '@rfqctl/protocol/domain/attestation'
export type { Audience } from '@rfqctl/protocol/domain/audience'
export type { AuditEntry, AuditFact, SeenQuote } from '@rfqctl/protocol/domain/audit'
export type { AuthorityEvent, AuthorityRecord, AuthorityRole, RoleHolder } from '@rfqctl/protocol/domain/authority'
export type { LossFeedback, RankedQuote, RejectReason } from '@rfqctl/protocol/domain/best-quote'
export type { CommitTerms, Protections } from '@rfqctl/protocol/domain/commit'
export type { CommitProof, ProvenCommit } from '@rfqctl/protocol/domain/commit-proof'
export { formatUsd6, type Rounding, toUsd6, usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
export type { ErrorCode } from '@rfqctl/protocol/domain/errors'
export type {
  FillAuthorization,
  GaslessFill,
  Payment,
  PaymentMethod,
  RelayerTerms,
} from '@rfqctl/protocol/domain/gasless-fill'
export { impliedVolatility as computeImpliedVolatility } from '@rfqctl/protocol/domain/implied-volatility'
export type {
  MakerProtections,
  ProtectionTrip,
  ProtectionWindow,
  ReferencePrice,
  WindowUse,
} from '@rfqctl/protocol/domain/maker-protections'
export type { MakerOutcomeKind, OwnStanding, RecordedOutcome, WinCounts } from '@rfqctl/protocol/domain/maker-record'
export type { MakerStanding, RequestSnapshot, SeriesProgress } from '@rfqctl/protocol/domain/operations'
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
} from '@rfqctl/protocol/domain/option'
export type { Order, TakerApproval, TypedDataDomain } from '@rfqctl/protocol/domain/order'
export type { OrderEnd, OrderState } from '@rfqctl/protocol/domain/order-end'
export type { PartnerFee } from '@rfqctl/protocol/domain/partner-fee'
export type { Position, PositionValue, ValuedPosition } from '@rfqctl/protocol/domain/position'
export type { PositionCost } from '@rfqctl/protocol/domain/position-cost'
export {
  fairValue as computeFairValue,
  type Greeks,
  greeks as computeGreeks,
  type PricingInput,
} from '@rfqctl/protocol/domain/pricing'
export type { PublicTrade } from '@rfqctl/protocol/domain/public-trade'
export type { Durations, MakerQuality, Quality, QualityReport } from '@rfqctl/protocol/domain/quality'
export type { FirmTerms, Quote, QuoteSubmission } from '@rfqctl/protocol/domain/quote'
export type { MakerRefusal } from '@rfqctl/protocol/domain/reliability'
export {
  type ClosedStatus,
  type OneSidedTerms,
  type OneSidedTrade,
  type OpenedRequest,
  type RequestedMarket,
  type RequestedOption,
  type RequestStatus,
  type RequestTerms,
  type Side,
  type StandingLimit,
  type TakerRating,
  type Trade,
  type TwoSidedTrade,
  toRequestedOption,
} from '@rfqctl/protocol/domain/request'
export type { Defunding } from '@rfqctl/protocol/domain/reservation'
export type { ResolutionMeta } from '@rfqctl/protocol/domain/resolution'
export type {
  ResolvedSeries,
  ReviewDecision,
  ReviewDetails,
  ReviewItem,
  WindowPrices,
} from '@rfqctl/protocol/domain/review'
export type {
  ListedSeries,
  MarketSummary,
  PackageTerms,
  SeriesFilter,
  VanillaTerms,
} from '@rfqctl/protocol/domain/series'
export {
  type Series,
  type SeriesId,
  type SeriesTerms,
  seriesIdOf as computeSeriesId,
} from '@rfqctl/protocol/domain/series'
export type { Level, MarketSurface, ObservedVolatility, SeriesMark } from '@rfqctl/protocol/domain/surface'
export type {
  TradedSeries,
  TradeEvent,
  TradeEventKind,
  TradeRecord,
  TradeState,
} from '@rfqctl/protocol/domain/trade-history'
export type { PricePoint, TwapWindow } from '@rfqctl/protocol/domain/twap'
export {
  type Address,
  type Contracts,
  contracts,
  type Hex,
  type ResolutionBps,
  type StrikeBps,
  type Usd6,
  usd6,
} from '@rfqctl/protocol/domain/units'
export { requestIdOf } from '@rfqctl/protocol/domain/uuid'
export type { ApiKeyRecord, Profile } from '@rfqctl/protocol/wire/account'
export type { ShownBook, ShownQuote } from '@rfqctl/protocol/wire/best-quote'
export type { Block, BlockTerms, MakersView } from '@rfqctl/protocol/wire/blocks'
export type { Execution, OnchainTrade, SignedTrade } from '@rfqctl/protocol/wire/commit'
export type { RelayEnvironment } from '@rfqctl/protocol/wire/environment'
export type { Health, HealthPart } from '@rfqctl/protocol/wire/health'
export type { OwnQuote } from '@rfqctl/protocol/wire/maker-book'
export type { QuoteEnd, QuoteOutcome } from '@rfqctl/protocol/wire/maker-history'
export type { MakerSocketMessage, PostTradeMessage, SignatureRequest } from '@rfqctl/protocol/wire/maker-messages'
export {
  type ProtectionsInput,
  type ShownProtections,
  toProtectionsInput,
} from '@rfqctl/protocol/wire/maker-protections'
export type { AnnouncedRequest, MakerStreamEvent } from '@rfqctl/protocol/wire/maker-stream'
export type { OperatorEvent } from '@rfqctl/protocol/wire/operator-stream'
export type { RelayedFill } from '@rfqctl/protocol/wire/relayer'
export type { WithdrawTerms } from '@rfqctl/protocol/wire/submit-quote'
export { type AccountClient, type AccountOptions, createAccountClient } from './account.ts'
export { type Authority, getAuthority, type Role, type RoleState } from './authority.ts'
export { checkCall } from './check-call.ts'
export { checkMakerOrder, checkTakerOrder, type Offer } from './check-order.ts'
export type { ClaimNews } from './claimer.ts'
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
  QuotedRequest,
  RequestKey,
  StandingInput,
  TakerClient,
  TakerOptions,
  TakerRequest,
} from './taker-client.ts'
export { formatTradesCsv } from './trade-csv.ts'
export type { TradeHistory, WalletTrade } from './trade-history.ts'
export { createLogClient, type LogClient, type QualityCredential, type TranscriptCredential } from './transparency.ts'
export { type ChainSetup, type Spender, UNLIMITED } from './wallet.ts'
export type { WalletActions } from './wallet-actions.ts'
