import type { Leg, SeriesId, Side, VanillaOption } from '@rfqctl/client/index'
import type { Ticket } from './state.ts'
import type { PayBy } from './trade-record.ts'

/** Packages around the current price, made by one click. */
export type Preset = 'call-spread' | 'put-spread' | 'strangle' | 'straddle'

/** The views' actions. They return nothing and never throw: results are in the state. */
export type Act = {
  /** Selects its next expiry, and no option yet. */
  chooseMarket: (marketKey: string) => void
  /** Unix seconds. */
  chooseExpiry: (expiry: number) => void
  /** Makes this option the only leg. */
  chooseOption: (option: VanillaOption, side?: Side) => void
  /** Sets an option's quantity in the package; 0 removes it. */
  setLeg: (leg: Leg) => void
  choosePreset: (preset: Preset) => void
  /** Puts a position's series, or a listed package, on the ticket. */
  chooseSeries: (seriesId: SeriesId, side?: Side) => void
  clearLegs: () => void
  /** Changes typed or ticked values. */
  edit: (
    change: Partial<
      Pick<
        Ticket,
        'side' | 'budgetText' | 'sizeText' | 'firmOnly' | 'inventory' | 'limitText' | 'minText' | 'payBy' | 'maxFeeText'
      >
    >,
  ) => void
  /** Asks all makers for quotes on the ticket; registers a new package first. Task `ask`. */
  ask: () => void
  /** Shows a trade, and watches its quotes while its request is open; null returns to the ticket. */
  showTrade: (requestId: string | null) => void
  /** Takes the best quote within the limits, and fills at once if the wallet can. */
  commit: (requestId: string) => void
  /** Fills a committed trade, by the ticket's way to pay or another one. */
  fill: (requestId: string, payBy?: PayBy) => void
  /** Closes an open request. Task `cancel:…`. */
  cancel: (requestId: string) => void
  /** Removes a finished trade from the list. */
  forget: (requestId: string) => void
  /** Asks the wallet's owner. */
  connect: (offerId: string) => void
  disconnect: () => void
  /** Asks the wallet to switch to the relay's chain. Task `switch`. */
  switchChain: () => void
  /** Asks for test dollars. Task `faucet`. */
  requestFunds: () => void
  /** Moves the sandbox's chain to a time, Unix seconds; by default just past the selected expiry. Task `warp`. */
  warpTo: (time?: number) => void
  /**
   * Leaves a position: options both held and written end at once; quotes are requested to sell options only held, or to
   * buy back options only written. Task `close:…`, and a trade of the purpose `close`.
   */
  close: (seriesId: SeriesId) => void
  /** Brings the signed price of an expired series to the chain. Task `settle:…`. */
  settle: (seriesId: SeriesId) => void
  /** Collects what a settled series owes the wallet. Task `claim:…`. */
  claim: (seriesId: SeriesId) => void
  /** Follows the prices of a series' settlement window; null stops. */
  watchWindow: (seriesId: SeriesId | null) => void
  reconnect: () => void
  /** Removes a task's result, the wallet's refusal (`wallet`) or a trade's from the page. */
  dismiss: (what: 'wallet' | { task: string } | { trade: string }) => void
}
