import type { Leg, SeriesId, Side, VanillaOption } from '@rfqctl/client/index'
import type { Ticket } from './state.ts'
import type { PayBy } from './trade-record.ts'

/** Packages that one click makes of the ladder around the price of now. */
export type Preset = 'call-spread' | 'put-spread' | 'strangle' | 'straddle'

/** What a view may ask for. Nothing is returned and nothing throws: what comes of it is in the state. */
export type Act = {
  /** Looks at another market: its next expiry, and no option yet. */
  chooseMarket: (marketKey: string) => void
  /** Looks at another expiry, Unix seconds. */
  chooseExpiry: (expiry: number) => void
  /** Trades this option alone. */
  chooseOption: (option: VanillaOption, side?: Side) => void
  /** Puts an option into the package, or changes how often it is in it; 0 takes it out. */
  setLeg: (leg: Leg) => void
  /** Makes a package of the ladder. */
  choosePreset: (preset: Preset) => void
  /** Trades what a position has, or a listed package. */
  chooseSeries: (seriesId: SeriesId, side?: Side) => void
  clearLegs: () => void
  /** Changes what was typed or ticked. */
  edit: (
    change: Partial<
      Pick<
        Ticket,
        'side' | 'budgetText' | 'sizeText' | 'firmOnly' | 'inventory' | 'limitText' | 'minText' | 'payBy' | 'maxFeeText'
      >
    >,
  ) => void
  /** Asks all makers for quotes on the ticket; registers its package first where that is new. Task `ask`. */
  ask: () => void
  /** Shows a trade, and watches its quotes while its request is open; null goes back to the ticket. */
  showTrade: (requestId: string | null) => void
  /** Takes the best quote within the limits, and fills at once where the wallet can. */
  commit: (requestId: string) => void
  /** Fills a trade that was committed before, by the ticket's way to pay or another one. */
  fill: (requestId: string, payBy?: PayBy) => void
  /** Closes an open request. Task `cancel:…`. */
  cancel: (requestId: string) => void
  /** Takes a trade that is over from the list. */
  forget: (requestId: string) => void
  /** Uses a wallet; asks its owner. */
  connect: (offerId: string) => void
  disconnect: () => void
  /** Asks the wallet to go to the relay's chain. Task `switch`. */
  switchChain: () => void
  /** Asks for test dollars. Task `faucet`. */
  requestFunds: () => void
  /** Moves the sandbox's chain to a time, Unix seconds; by default just past the expiry that is looked at. Task `warp`. */
  warpTo: (time?: number) => void
  /**
   * Leaves a position: what is both held and written ends at once; what is only held is sold and what is only written bought back, for
   * which quotes are asked. Task `close:…`, and a trade of the purpose `close`.
   */
  close: (seriesId: SeriesId) => void
  /** Gets the signed price of an expired series and brings it to the chain. Task `settle:…`. */
  settle: (seriesId: SeriesId) => void
  /** Collects what a settled series owes the wallet. Task `claim:…`. */
  claim: (seriesId: SeriesId) => void
  /** Follows the prices of a series' settlement window; null stops. */
  watchWindow: (seriesId: SeriesId | null) => void
  /** Tries the relay again now. */
  reconnect: () => void
  /** Takes the result of a task, or the wallet's refusal (`wallet`), or a trade's, from the page. */
  dismiss: (what: 'wallet' | { task: string } | { trade: string }) => void
}
