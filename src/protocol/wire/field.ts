import * as Type from 'typebox'
import {
  AddressText,
  AnyAddressText,
  Budget,
  Bytes32Text,
  Count,
  Dollars,
  described,
  Flag,
  IsoTime,
  LimitPrice,
  OptionTypeText,
  oneOf,
  Quantity,
  QuoteSize,
  ResolutionPrice,
  SecretText,
  SideText,
  SignatureText,
  Strike,
  Text,
  Uint256Text,
  UnixMs,
  UnixSeconds,
} from './schemas.ts'

// Fields of more than one message, by the name that they have in JSON. The examples are one trade, in which 100 dollars buy 833
// calls at 0.12.

export const createdAt = described(IsoTime, 'Time of creation.', '2027-01-15T07:00:00.000Z')
export const name = described(Text, 'Label of the key, at most 100 characters.', 'bot 1')
export const makerId = described(Text, 'The stable name of the maker, derived from its API key.', 'maker-1')
export const quoteId = described(
  Text,
  "Id of the quote, given by the relay. A maker's quotes on one request share it.",
  '9f5c1b8e-6a3d-4c0e-9a55-0f2c8f1d7e44',
)
export const maker = described(AnyAddressText, 'Maker wallet address; becomes `Order.maker`.')
export const side = described(SideText, "The taker's side.", 'buy')
export const askedSide = described(
  oneOf('buy', 'sell', 'both'),
  "The taker's side; `both`: makers price both, and the commit names one.",
  'buy',
)
export const committedSide = described(
  SideText,
  "The taker's side, where the request asks for both; else absent.",
  'buy',
)
export const otherPrice = described(
  Dollars,
  'Price on the other side in dollars, where the request asks for both; else absent.',
  0.1,
)
export const price = described(Dollars, 'Price per one option in dollars, exact to 6 decimals.', 0.12)
export const size = described(QuoteSize, 'A number of whole options.', 1_000)
export const expiresAt = described(IsoTime, 'End of its lifetime.', '2027-01-15T07:05:00.000Z')
export const firm = described(
  Flag,
  'Whether the maker has signed the order of the quote already, so that a commit asks no one; absent: no.',
  true,
)
export const kind = described(Text, 'What happened.')
export const at = described(IsoTime, 'Time of the event.', '2027-01-15T07:00:02.250Z')
export const requestId = described(Text, 'Id of the quote request.', '3b241101-e2bb-4255-8caf-4136c566a962')
export const seriesId = described(
  Uint256Text,
  'The uint256 id of the series, also its ERC-1155 token id.',
  '77770871434891359308267302489959896538900816656636245744408345915189366187400',
)
export const makersConnected = described(Count, 'Distinct makers with a live stream; null when unknown.', 3)
export const code = described(Text, 'The stable code of a refusal.', 'price_above_max_payoff')
export const detail = described(
  Text,
  'The sentence, when `error` is the code; otherwise further details.',
  'The price is above the most that the option can pay.',
)
export const wallet = described(AddressText, 'The address of a wallet.', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')
export const limitPrice = described(
  Dollars,
  'Protection: the worst price per option that the taker accepts; null accepts any.',
  0.12,
)
export const minContracts = described(
  Count,
  'Protection: the fewest options that the taker accepts; null accepts any.',
  400,
)
export const expectedQuoteId = described(
  Text,
  'Protection: the only quote that the taker accepts; null accepts any.',
  '9f5c1b8e-6a3d-4c0e-9a55-0f2c8f1d7e44',
)
export const firmOnly = described(Flag, 'Whether only firm quotes are taken; absent: no.', false)
export const deadline = described(IsoTime, 'Time by which the maker must sign.', '2027-01-15T07:00:12.250Z')
export const reason = described(Text, 'The reason.', 'another_quote_won', 'No price in the window.')
export const executionId = described(Text, 'Id of the trade.', 'c56a4180-65aa-42ec-a945-5fd21dec0538')
export const status = described(
  oneOf('committed', 'expired', 'cancelled'),
  'Current status.',
  'open',
  'committed',
  'confirmed',
)
export const account = described(AnyAddressText, 'Who was proposed for the role, took it or lost it.')
export const blockNumber = described(
  Count,
  'Block of that transaction, or in which the lack was read; it is final.',
  41_870_233,
)
export const transactionHash = described(Bytes32Text, 'Transaction that ended the order.', `0x${'5e'.repeat(32)}`)
export const resolutionBps = described(
  ResolutionPrice,
  'Settlement price in hundredths of $1, 0 to 100; null while unsettled.',
  59,
)
export const fillContracts = described(Count, 'Whole options that this quote would fill.', 833)
export const expiresInMs = described(Count, 'Lifetime in milliseconds; absent: until the request closes.', 60_000)
export const quoteCount = described(Count, 'Number of valid quotes.', 2)
export const closed = described(Flag, 'Whether the request has ended.', false)
export const blocked = described(Flag, 'Whether the maker is blocked.', true)
export const by = described(Text, 'Name of the person who decided; null unless a person did.', 'ops@example.com')
export const count = described(Count, 'Number of items.', 1)
export const takerSecret = described(
  SecretText,
  "The secret that only the request's taker received when it opened the request.",
  'Zk3v8sQ1mT7yB2nR5wX9cL4hJ6',
)
export const settlementAddress = described(
  AnyAddressText,
  'The settlement contract.',
  '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
)
export const coreAddress = described(AnyAddressText, 'The core contract.', '0x5FbDB2315678afecb367f032d93F642f64180aa3')
export const chainId = described(Count, 'EVM chain id.', 80_002)
export const fromInventory = described(
  Uint256Text,
  'Of the options, those that the seller holds and hands over, as a decimal string; absent: none.',
  '120',
)
export const message = described(Text, 'A sentence for people to read.', 'Sent 1000 test dollars.', 'The maker signed.')
export const mode = described(oneOf('onchain', 'simulated'), '`simulated` when no chain is configured.')
export const signature = described(
  SignatureText,
  'An EIP-712 signature, of at most 4,096 bytes.',
  `0x${'1b6e2f40'.repeat(16)}1b`,
)
export const conditionId = described(Bytes32Text, 'Market condition id, bytes32 hex.', `0x${'11'.repeat(32)}`)
export const yesTokenId = described(Uint256Text, 'Decimal id of the YES token.', '123456789')
export const strikeBps = described(Strike, 'Strike in basis points of $1.', 4_500)
export const expiry = described(UnixSeconds, 'Expiry in Unix seconds.', 1_800_000_000)
export const optionType = described(OptionTypeText, '`call` or `put`.', 'call')
export const settled = described(Flag, 'Whether the series is settled on chain.', false, 'false')
export const finalAt = described(
  UnixSeconds,
  'Time from which the price is final and claims are open, in Unix seconds; absent until the series has a price.',
  1_799_999_700,
)
export const vetoed = described(
  Flag,
  'True when a price of the series was taken back: the chain accepts no more attestations. Otherwise absent.',
  true,
)
export const yesPrice = described(Dollars, 'YES price in dollars; null when unknown.', 0.5884)
export const twoSided = described(oneOf('true', 'false'), 'Whether to include requests for both sides.', 'true', true)
export const packages = described(oneOf('true', 'false'), 'Whether to include packages.', 'true', true)
export const retryAfterS = described(Count, 'Seconds to wait before trying again.', 5)
export const chainTime = described(UnixSeconds, 'The time of the chain in Unix seconds.', 1_799_996_400)
export const windowStart = described(UnixSeconds, 'Start of the 30-minute window, Unix seconds.', 1_799_998_200)
export const windowEnd = described(UnixSeconds, 'End of the window, Unix seconds: the expiry.', 1_800_000_000)
export const amount = described(Dollars, 'Dollars that the faucet sends; null without a faucet.', 1_000)
export const cooldownMs = described(
  Count,
  'Time until the same wallet can use the faucet again, in milliseconds.',
  86_400_000,
)
export const ref = described(Text, "The maker's own text for a call; its answer has the same.", 'a1')
export const protocolVersion = described(Count, 'Version of the maker protocol.', 3)
export const serverTime = described(IsoTime, "The relay's clock.", '2027-01-15T07:00:00.000Z')
export const graceMs = described(Count, 'How long the maker may be disconnected, in milliseconds.', 2_000)
export const ms = described(Count, 'Length of the window in milliseconds.', 60_000)
export const maxAccepted = described(Count, 'Most orders accepted; null when there is no bound.', 10)
export const maxContracts = described(QuoteSize, 'Most options; null when there is no bound.', 5_000)
export const maxNotional = described(Budget, 'Most premium in dollars; null when there is no bound.', 600)
export const maxCollateral = described(
  Budget,
  'Most collateral that the maker locks as a writer, in dollars; null when there is no bound.',
  2_500,
)
export const freezeMs = described(Count, 'How long a trip lasts, in milliseconds; null is until it is reset.', 30_000)
export const maxQuoteSize = described(
  QuoteSize,
  'Largest size of a quote, in options; null when there is no bound.',
  2_000,
)
export const maxDeviation = described(
  LimitPrice,
  'How far a quote may be from the reference price, in dollars per option.',
  0.05,
)
export const until = described(
  IsoTime,
  'When the trip or the suspension ends by itself; null when only a reset ends it.',
  '2027-01-15T07:00:32.250Z',
)
export const score = described(Count, 'Reliability, 0 to 100; null without data.', 92)
export const confirmP50Ms = described(Count, 'Median time to sign, in milliseconds; null without data.', 640)
export const confirmP99Ms = described(
  Count,
  '99th percentile of the time to sign, in milliseconds; null without data.',
  2_100,
)
export const id = described(Count, 'Position of the event, to resume after it.', 1_000_000_042)
export const quantity = described(Quantity, 'How often the option is in the package, -4 to 4; negative: sold.', 1)
export const maxPayoff = described(
  Dollars,
  'Packages only: the most that one can pay, dollars; also its collateral.',
  0.2,
)
export const floor = described(
  Dollars,
  'Packages only: the least that the legs can be worth together, dollars; one pays what they are worth less this.',
  0,
)
export const validUntil = described(UnixSeconds, 'End of validity in Unix seconds of chain time.', 1_799_996_533)
export const claimableUsd = described(Dollars, 'Amount that can be claimed on chain now, in dollars.', 0)
export const locked = described(Flag, 'Whether commit, poll and stream need the taker secret.', true)
export const expiryMs = described(UnixMs, 'Option expiry in Unix milliseconds.', 1_800_000_000_000)
export const question = described(Text, 'Question text; empty or null when unknown.', 'Will it rain on Sunday?')
export const escalatedAt = described(IsoTime, 'Time since which it waits.', '2027-01-15T08:00:05.000Z')
export const method = described(
  oneOf('outcome', 'twap', 'manual'),
  '`outcome` of the market, `twap` of the window, or `manual` decision.',
  'twap',
)
export const t = described(UnixSeconds, 'Unix seconds.', 1_799_998_260)
export const p = described(Dollars, 'Price in dollars.', 0.58)
export const pointCount = described(Count, 'Price points used.', 31)
export const maxGapS = described(Count, 'The longest gap between prices in seconds; null without prices.', 60)
export const twap = described(
  Dollars,
  'Time-weighted average of the YES price in dollars; null while there is none.',
  0.5884,
)
export const jsonrpc = described(Type.Literal('2.0', { must: '"2.0"' }), 'The version of JSON-RPC.')
export const confirmed = described(Count, 'Orders signed in time.', 11)
export const declined = described(Count, 'Orders declined.', 0)
export const missed = described(Count, 'Orders not signed in time.', 1)
export const displaced = Type.Optional(
  described(
    Type.Literal(true),
    'Present where the relay cancelled the request to make room for that of another client.',
  ),
)

export const levelCount = described(Count, 'Number of levels that the relay keeps.', 1)
export const keptMs = described(Count, 'Milliseconds until the relay forgets the levels.', 60_000)
export const mark = described(
  Dollars,
  'What one option is worth by the volatility surface of its market, in dollars; null: there is none.',
  0.16,
)
export const intrinsic = described(Dollars, 'What one option would pay at the present YES price, in dollars.', 0.14)
