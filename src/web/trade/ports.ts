import type { Address, Clock, Hex, RelayEnvironment, RelayerClient, Signer, TakerClient } from '@rfqctl/client/index'

/** What the page has of the relay that served it: it trusts that origin for code and addresses, and shows them. */
export type Environment = RelayEnvironment

/** The relay and the chain as this page uses them: the client of takers, and what only pages ask. */
export type Trader = Pick<
  TakerClient,
  | 'getTime'
  | 'getEnvironment'
  | 'listMarkets'
  | 'listSeries'
  | 'getSeries'
  | 'getWindowPrices'
  | 'listValuedPositions'
  | 'listCostedPositions'
  | 'listPositions'
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
  /** Moves the sandbox's chain on; returns its time then, Unix seconds. */
  warp: (input: { seconds: number; signal?: AbortSignal | undefined }) => Promise<number>
}

/** Whose wallet a trader has, and where it settles. */
export type TraderInput = {
  /** Absent: only the relay is asked. */
  signer?: { account: Signer; environment: Environment; usesSandboxChain: boolean }
  /** Hears the hash of each transaction as soon as it is sent, long before it is mined. */
  onSent?: (hash: Hex) => void
}

/** A wallet that can be chosen: one that is injected into the page, or the sandbox's own account. */
export type WalletOffer = {
  /** Its `rdns` or uuid (EIP-6963), `injected`, or `sandbox`. */
  id: string
  /** Its name: a stranger's text. */
  name: string
  /** A `data:` picture; null where it gave none that may be shown. */
  icon: string | null
  kind: 'injected' | 'sandbox'
}

/** An open wallet. */
export type ConnectedWallet = {
  address: Address
  /** The chain that it is on; null where it follows the relay's. */
  chainId: number | null
  signer: Signer
  /** Asks it to go to the relay's chain. */
  switchChain: (environment: Environment) => Promise<void>
  /** Tells of another account or chain; `null` when it gives no more access. Returns how to stop. */
  onChange: (hear: (change: { address: Address | null; chainId: number | null }) => void) => () => void
}

/** Where wallets come from. */
export type Wallets = {
  /** Hears each wallet as it announces itself, and again when asked to look. Returns how to stop. */
  discover: (hear: (offer: WalletOffer) => void) => () => void
  /** Opens one. `silent`: without asking its owner; null where that would be needed. */
  open: (id: string, options: { silent: boolean }) => Promise<ConnectedWallet | null>
}

/** Text that survives a reload, shared by the pages of one origin. */
export type Storage = {
  keys: () => readonly string[]
  read: (key: string) => string | null
  /** May throw where there is no room. */
  write: (key: string, text: string) => void
  remove: (key: string) => void
  /** Hears of changes that another page made. Returns how to stop. */
  onChange: (hear: (change: { key: string; text: string | null }) => void) => () => void
}

/** What a session of trading needs of the world. */
export type TradePorts = {
  clock: Clock
  storage: Storage
  wallets: Wallets
  openTrader: (input: TraderInput) => Trader
  openRelayer: (url: string) => Pick<RelayerClient, 'getTerms' | 'submitFillUntilMined' | 'getFill'>
}
