import type { Address, Clock, Hex, RelayEnvironment, RelayerClient, Signer, TakerClient } from '@rfqctl/client/index'
import type { HistoryEntry } from './address.ts'
import type { Place } from './state.ts'

/** Describes the relay that served the page: the page trusts that origin for code and addresses, and shows them. */
export type Environment = RelayEnvironment

export type Trader = Pick<
  TakerClient,
  | 'getTime'
  | 'getEnvironment'
  | 'listMarkets'
  | 'listSeries'
  | 'getSeries'
  | 'getWindowPrices'
  | 'getSurface'
  | 'listTrades'
  | 'listPrices'
  | 'listValuedPositions'
  | 'listCostedPositions'
  | 'listPositions'
  | 'getTradeHistory'
  | 'requestFaucetFunds'
  | 'prepareSettlement'
  | 'openQuoteRequest'
  | 'watchBestQuote'
  | 'getBestQuote'
  | 'proveCommit'
  | 'commitToBestQuote'
  | 'cancelQuoteRequest'
  | 'fillOrder'
  | 'prepareGaslessFill'
  | 'confirmRelayedFill'
  | 'getBalance'
  | 'getCoinBalance'
  | 'getInventoryApproval'
  | 'approveInventory'
  | 'registerPackage'
  | 'closePosition'
  | 'settleSeries'
  | 'claimHolderPayout'
  | 'claimWriterCollateral'
> & {
  /** The file that shows how the price of a request was found. */
  getTranscript: (input: {
    requestId: string
    takerSecret: string
    signal?: AbortSignal | undefined
  }) => Promise<string>
  /** Moves the sandbox's chain on; returns its new time, Unix seconds. */
  warp: (input: { seconds: number; signal?: AbortSignal | undefined }) => Promise<number>
}

export type TraderInput = {
  /** Absent: only the relay is asked. */
  signer?: { account: Signer; environment: Environment; usesSandboxChain: boolean }
  /** Called with each transaction's hash as soon as it is sent, long before it is mined. */
  onSent?: (hash: Hex) => void
}

export type WalletOffer = {
  /** Its `rdns` or uuid (EIP-6963), `injected`, or `sandbox`. */
  id: string
  /** A stranger's text. */
  name: string
  /** A `data:` picture; null if there is none that may be shown. */
  icon: string | null
  kind: 'injected' | 'sandbox'
}

export type ConnectedWallet = {
  address: Address
  /** Null if it follows the relay's. */
  chainId: number | null
  signer: Signer
  switchChain: (environment: Environment) => Promise<void>
  /** Reports another account or chain; a null `address` means lost access. Returns the unsubscribe function. */
  onChange: (hear: (change: { address: Address | null; chainId: number | null }) => void) => () => void
}

export type Wallets = {
  /** Reports each wallet as it announces itself, and asks for announcements. Returns the unsubscribe function. */
  discover: (hear: (offer: WalletOffer) => void) => () => void
  /** `silent`: without asking the wallet's owner; null if that would be necessary. */
  open: (id: string, options: { silent: boolean }) => Promise<ConnectedWallet | null>
}

/** Text that survives a reload, shared by the pages of one origin. */
export type Storage = {
  keys: () => readonly string[]
  read: (key: string) => string | null
  /** May throw if there is no room. */
  write: (key: string, text: string) => void
  remove: (key: string) => void
  /** Reports changes by other pages. Returns the unsubscribe function. */
  onChange: (hear: (change: { key: string; text: string | null }) => void) => () => void
}

/** The history of the browser's tab. */
export type PageHistory = {
  /** The current entry; the place is null if the page did not write the entry. */
  now: () => { path: string; place: Place | null }
  push: (entry: HistoryEntry) => void
  replace: (entry: HistoryEntry) => void
  /** Reports each step back or forward, after it. Returns the unsubscribe function. */
  onChange: (hear: () => void) => () => void
}

type Permission = 'granted' | 'denied' | 'default'

/** Ways of a browser to a person who looks elsewhere. */
export type Attention = {
  /** Whether the page is out of sight. */
  isHidden: () => boolean
  /** Reports that the page is seen again. Returns the unsubscribe function. */
  onShown: (hear: () => void) => () => void
  /** Title of the tab; null: the page's own. */
  setTitle: (text: string | null) => void
  /** Null in a browser without notifications. */
  permission: () => Permission | null
  /** Asks the browser's owner, unless that was done before. */
  ask: () => Promise<Permission>
  /** A notification replaces one of the same id, also another page's. False where the browser shows none. */
  show: (notice: { id: string; text: string; onPress: () => void }) => boolean
}

export type TradePorts = {
  attention: Attention
  history: PageHistory
  clock: Clock
  /** Runs due work just before the browser draws. */
  frames: Clock
  storage: Storage
  wallets: Wallets
  openTrader: (input: TraderInput) => Trader
  openRelayer: (url: string) => Pick<RelayerClient, 'getTerms' | 'submitFillUntilMined' | 'getFill'>
}
