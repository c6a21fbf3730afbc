import {
  type Address,
  computeMaxPayoff,
  computeSeriesId,
  type ListedSeries,
  type MarketSummary,
  type Option,
  type OptionType,
  type PublicTrade,
  type SeriesTerms,
  type StrikeBps,
  type Trade,
  toUsd6,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { isPackage, normalPackage, optionOf, valueAt } from '@rfqctl/protocol/domain/option'
import { TWAP_WINDOW_S } from '@rfqctl/protocol/domain/twap'
import { readCount, readDollars, type Typed } from './amounts.ts'
import { privacyProblem } from './privacy.ts'
import type { Ticket, TradeState } from './state.ts'

/** Requests and quotes expire by the relay's clock, Unix milliseconds. */
export const relayNow = ({ now, relayOffsetMs }: Pick<TradeState, 'now' | 'relayOffsetMs'>): number =>
  now + relayOffsetMs

/** Orders and options expire by the chain's clock, Unix milliseconds; the relay's while that is unknown. */
export const chainNow = (state: Pick<TradeState, 'now' | 'relayOffsetMs' | 'chainOffsetMs'>): number =>
  state.chainOffsetMs === null ? relayNow(state) : state.now + state.chainOffsetMs

/** By the clock that is ahead, Unix seconds: no option is shown as open that one of them takes for expired. */
export const latestNow = (state: Pick<TradeState, 'now' | 'relayOffsetMs' | 'chainOffsetMs'>): number =>
  Math.max(relayNow(state), chainNow(state)) / 1_000

/** The connected wallet, where it is on the chain that the relay settles on. */
export function chainWallet({ wallet, environment }: Pick<TradeState, 'wallet' | 'environment'>): Address | null {
  const { standing } = wallet
  if (standing.kind !== 'connected' || environment === null || environment.mode === 'simulated') return null
  return standing.chainId === null || standing.chainId === environment.chainId ? standing.address : null
}

export function linkView({ link, now }: Pick<TradeState, 'link' | 'now'>) {
  if (link.kind === 'live') return { kind: link.kind, isDimmed: false, retryInMs: null, failure: null }
  // Null if no attempt is awaited.
  const retryInMs = link.retryAt === null ? null : Math.max(0, link.retryAt - now)
  return { kind: link.kind, isDimmed: link.kind === 'lost', retryInMs, failure: link.reason }
}

type MarketKey = Pick<MarketSummary, 'conditionId' | 'yesTokenId'>

export const marketKeyOf = ({ conditionId, yesTokenId }: MarketKey): string => `${conditionId} ${yesTokenId}`

export type MarketRow = NonNullable<ReturnType<typeof marketRows>>[number]

/** A name is a stranger's text; `yesPrice` is in dollars, null if unknown; `nextExpiry` in Unix seconds, null if nothing is open. */
export function marketRows(state: TradeState) {
  const { markets, series, ticket } = state
  if (markets === null) return null
  const volumes = volumesOf(state)
  return markets.map((market) => {
    const key = marketKeyOf(market)
    const { name, yesPrice } = market
    const open = (byMarket(series ?? []).get(key) ?? []).filter((each) => isOpen({ phase: seriesPhase(state, each) }))
    const nextExpiry = open.length === 0 ? null : Math.min(...open.map(({ expiry }) => expiry))
    const volume = volumes.get(key) ?? usd6(0n)
    return { key, name, yesPrice, openCount: open.length, nextExpiry, volume, isChosen: key === ticket.marketKey }
  })
}

/** Premiums that were paid since the tape begins, micro-dollars by market; an order that no one paid is not a trade. */
export function volumesOf({ tape }: Pick<TradeState, 'tape'>): ReadonlyMap<string, Usd6> {
  const volumes = new Map<string, Usd6>()
  for (const trade of tape?.trades ?? []) {
    if (!isPaid(trade)) continue
    const key = marketKeyOf(trade)
    volumes.set(key, usd6((volumes.get(key) ?? 0n) + trade.price * trade.size))
  }
  return volumes
}

/** A relay without a chain does not know. */
export const isPaid = ({ state }: Pick<PublicTrade, 'state'>): boolean => state === 'filled' || state === null

const groups = new WeakMap<readonly ListedSeries[], ReadonlyMap<string, readonly ListedSeries[]>>()

/** Made once for each list: a large relay has ten thousand series, and each drawing asks for those of a market. */
function byMarket(series: readonly ListedSeries[]): ReadonlyMap<string, readonly ListedSeries[]> {
  const known = groups.get(series)
  if (known !== undefined) return known
  const made = new Map<string, ListedSeries[]>()
  for (const each of series) {
    const key = marketKeyOf(each)
    const group = made.get(key)
    if (group === undefined) made.set(key, [each])
    else group.push(each)
  }
  groups.set(series, made)
  return made
}

export const chosenMarket = ({ markets, ticket }: Pick<TradeState, 'markets' | 'ticket'>): MarketSummary | null =>
  markets?.find((market) => marketKeyOf(market) === ticket.marketKey) ?? null

/**
 * `window`: its price is being averaged, and it is tradable; `expired`: it waits for its price; `disputable`: its price
 * can still be taken back; `settled`: claims are open.
 */
export type SeriesPhase = 'open' | 'window' | 'expired' | 'disputable' | 'settled'

export function seriesPhase(
  state: Pick<TradeState, 'now' | 'relayOffsetMs' | 'chainOffsetMs'>,
  { expiry, resolutionBps, finalAt }: Pick<ListedSeries, 'expiry' | 'resolutionBps' | 'finalAt'>,
): SeriesPhase {
  const nowS = latestNow(state)
  if (resolutionBps !== null)
    return finalAt !== undefined && chainNow(state) / 1_000 < finalAt ? 'disputable' : 'settled'
  if (expiry <= nowS) return 'expired'
  return expiry - TWAP_WINDOW_S <= nowS ? 'window' : 'open'
}

/**
 * The tab of an expiry (Unix seconds) has the least advanced phase of its series. Those that can be traded come first,
 * the soonest at the front; then those that are over, the latest at the front.
 */
export function expiryTabs(state: TradeState) {
  const phases = new Map<number, SeriesPhase>()
  for (const each of seriesOfMarket(state)) {
    const phase = seriesPhase(state, each)
    const other = phases.get(each.expiry)
    if (other === undefined || PHASES.indexOf(phase) < PHASES.indexOf(other)) phases.set(each.expiry, phase)
  }
  return [...phases]
    .map(([expiry, phase]) => ({ expiry, phase, isChosen: expiry === state.ticket.expiry }))
    .map((tab) => ({ ...tab, isOver: !isOpen(tab) }))
    .toSorted((a, b) => Number(a.isOver) - Number(b.isOver) || (a.isOver ? b.expiry - a.expiry : a.expiry - b.expiry))
}

type ExpiryTab = ReturnType<typeof expiryTabs>[number]

/** The soonest expiry whose options have time left before their price is averaged, else the soonest of all. */
const firstOf = (tabs: readonly ExpiryTab[]): ExpiryTab | undefined =>
  tabs.find(({ phase }) => phase === 'open') ?? tabs[0]

/** The market's expiry to begin with, Unix seconds; null if none is listed. */
export const firstExpiry = (state: TradeState): number | null => firstOf(expiryTabs(state))?.expiry ?? null

/** The expiry to go on with, Unix seconds, if the selected one has passed; null if it has not, or none is listed. */
export function nextExpiry(state: TradeState): number | null {
  const tabs = expiryTabs(state)
  const next = firstOf(tabs)
  const isPast = tabs.some(({ isChosen, isOver }) => isChosen && isOver)
  return next === undefined || next.isOver || !isPast ? null : next.expiry
}

const isOpen = ({ phase }: { phase: SeriesPhase }): boolean => phase === 'open' || phase === 'window'

const PHASES: readonly SeriesPhase[] = ['window', 'open', 'expired', 'disputable', 'settled']

const seriesOfMarket = ({ series, ticket }: Pick<TradeState, 'series' | 'ticket'>): readonly ListedSeries[] =>
  byMarket(series ?? []).get(ticket.marketKey ?? '') ?? []

const yesPriceOf = (market: MarketSummary | null | undefined): Usd6 | null =>
  market?.yesPrice == null ? null : toUsd6(market.yesPrice, 'half-up')

/** The YES price that all figures of the page about a market go by; null if unknown. */
export const spotOfMarket = ({ markets }: Pick<TradeState, 'markets'>, key: MarketKey): Usd6 | null =>
  yesPriceOf(markets?.find((market) => marketKeyOf(market) === marketKeyOf(key)))

/** That of the chosen market. */
export const spotOf = (state: Pick<TradeState, 'markets' | 'ticket'>): Usd6 | null => yesPriceOf(chosenMarket(state))

/** The YES price that options are shown at as if it stayed: none from their window on, since the prices before count as well. */
export const stayingSpot = (state: TradeState, series: (MarketKey & { expiry: number }) | null): Usd6 | null =>
  series === null || seriesPhase(state, { expiry: series.expiry, resolutionBps: null }) !== 'open'
    ? null
    : spotOfMarket(state, series)

export type LadderCell = {
  series: ListedSeries
  optionType: OptionType
  strikeBps: StrikeBps
  /** Payoff of one if YES stays at the current price; null from the window on, where prices before count, or if none is known. */
  valueNow: Usd6 | null
  /** Its mark; null without one. */
  mark: Usd6 | null
  maxPayoff: Usd6
  /** On the ticket; negative if sold, 0 if not on it. */
  quantity: number
  long: bigint
  short: bigint
  phase: SeriesPhase
}

export type LadderRow = {
  strikeBps: StrikeBps
  call: LadderCell | null
  put: LadderCell | null
  /** Whether the current price lies between this strike and the next one. */
  isBelowSpot: boolean
  /** One row has it: the strike that is nearest to the current price, or the one in the middle while no price is known. */
  isAtSpot: boolean
}

export function ladder(state: TradeState): readonly LadderRow[] {
  const spot = spotOf(state)
  const rows = new Map<StrikeBps, { call: LadderCell | null; put: LadderCell | null }>()
  for (const series of seriesOfMarket(state)) {
    if (isPackage(series) || series.expiry !== state.ticket.expiry) continue
    const row = rows.get(series.strikeBps) ?? { call: null, put: null }
    rows.set(series.strikeBps, { ...row, [series.optionType]: cellOf(state, series, spot) })
  }
  const sorted = [...rows].toSorted(([a], [b]) => a - b)
  const at = spot === null ? null : Number(spot) / 100
  const [nearest] = at === null ? [] : [...rows.keys()].toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at))
  const chosen = nearest ?? sorted[Math.floor(sorted.length / 2)]?.[0]
  return sorted.map(([strikeBps, cells], index) => {
    const next = sorted[index + 1]?.[0]
    const isBelowSpot = at !== null && strikeBps <= at && (next === undefined || at < next)
    return { strikeBps, ...cells, isBelowSpot, isAtSpot: strikeBps === chosen }
  })
}

function cellOf(
  state: TradeState,
  series: ListedSeries & { optionType: OptionType; strikeBps: StrikeBps },
  spot: Usd6 | null,
): LadderCell {
  const { optionType, strikeBps } = series
  const held = state.positions?.rows.find((row) => row.series.seriesId === series.seriesId)
  const phase = seriesPhase(state, series)
  const leg = state.ticket.legs.find((each) => each.optionType === optionType && each.strikeBps === strikeBps)
  return {
    series,
    optionType,
    strikeBps,
    valueNow: spot === null || phase !== 'open' ? null : valueAt(series, spot),
    mark: phase === 'open' ? (state.marks.get(series.seriesId) ?? null) : null,
    maxPayoff: computeMaxPayoff(series),
    quantity: leg?.quantity ?? 0,
    long: held?.long ?? 0n,
    short: held?.short ?? 0n,
    phase,
  }
}

export const listedPackages = (state: TradeState): readonly ListedSeries[] =>
  seriesOfMarket(state).filter((series) => isPackage(series) && series.expiry === state.ticket.expiry)

function optionOfTicket({ legs }: Pick<Ticket, 'legs'>): Typed<Option> | null {
  const [only, ...others] = legs
  if (only === undefined) return null
  if (others.length === 0) {
    const { optionType, strikeBps, quantity } = only
    if (quantity === 1) return { value: { optionType, strikeBps } }
    return { problem: 'A package has 2 to 4 options: add another one.' }
  }
  try {
    return { value: normalPackage(legs) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

export type TicketView = ReturnType<typeof ticketView>

export function ticketView(state: TradeState) {
  const { ticket } = state
  const market = chosenMarket(state)
  const typed = optionOfTicket(ticket)
  const option = typed !== null && 'value' in typed ? typed.value : null
  const amount = tradeOfTicket(ticket)
  const terms =
    option === null || market === null || ticket.expiry === null
      ? null
      : { conditionId: market.conditionId, yesTokenId: market.yesTokenId, expiry: ticket.expiry, ...optionOf(option) }
  const seriesId = terms === null ? null : computeSeriesId(terms)
  const series = state.series?.find((each) => each.seriesId === seriesId) ?? null
  const spot = stayingSpot(state, terms)
  const view = {
    option,
    terms,
    seriesId,
    /** As the relay lists it; null if the package is new, or without an option. */
    series,
    /** Whether a transaction must come first, which registers the package for all who trade it. */
    isNewPackage: terms !== null && series === null && isPackage(terms),
    /** Null while the amount is unreadable. */
    trade: 'value' in amount ? amount.value : null,
    maxPayoff: option === null ? null : computeMaxPayoff(option),
    valueNow: option === null || spot === null ? null : valueAt(option, spot),
    isAsking: state.tasks.ask?.kind === 'running',
  }
  return { ...view, problem: ticketProblem(state, { typed, amount, ...view }) }
}

type TicketParts = {
  typed: Typed<Option> | null
  amount: Typed<Trade>
  terms: SeriesTerms | null
  series: ListedSeries | null
  isNewPackage: boolean
}

/** The obstacle to asking, as a sentence, and its place; null if there is none. */
function ticketProblem(
  state: TradeState,
  { typed, amount, terms, series, isNewPackage }: TicketParts,
): { at: 'market' | 'legs' | 'side' | 'amount' | 'relay' | 'wallet' | 'privacy'; text: string } | null {
  const { link, ticket, environment } = state
  if (link.kind !== 'live') return { at: 'relay', text: 'The relay does not answer now.' }
  if (ticket.marketKey === null || ticket.expiry === null) return { at: 'market', text: 'Choose a market.' }
  if (typed === null) return { at: 'legs', text: 'Choose an option.' }
  if ('problem' in typed) return { at: 'legs', text: typed.problem }
  const phase = terms === null ? 'open' : seriesPhase(state, series ?? { ...terms, resolutionBps: null })
  if (phase !== 'open' && phase !== 'window') return { at: 'market', text: 'These options have expired.' }
  if (terms !== null && series === null && !isPackage(terms)) return { at: 'legs', text: 'This option is not listed.' }
  if (ticket.side === 'both' && environment?.twoSided !== true)
    return { at: 'side', text: 'This relay asks makers for one side. Choose to buy or to sell.' }
  if ('problem' in amount) return { at: 'amount', text: amount.problem }
  const hasWallet = state.wallet.standing.kind === 'connected'
  if (ticket.firmOnly && !hasWallet) return { at: 'wallet', text: 'Firm quotes need a connected wallet.' }
  const notKept = privacyProblem(state)
  if (notKept !== null) return { at: 'privacy', text: notKept }
  if (ticket.firmOnly && state.privacy.isBlind)
    return {
      at: 'privacy',
      text: 'A maker signs a firm quote for a wallet that it sees. Choose one of the two under More choices.',
    }
  const registers = isNewPackage && environment?.mode === 'onchain'
  if (registers && !hasWallet) return { at: 'wallet', text: 'A new package needs a connected wallet to register it.' }
  return null
}

function tradeOfTicket({ side, budgetText, sizeText }: Ticket): Typed<Trade> {
  if (side === 'buy') {
    const budget = readDollars(budgetText)
    return 'value' in budget ? { value: { side, budget: budget.value } } : budget
  }
  const size = readCount(sizeText)
  return 'value' in size ? { value: { side, size: size.value } } : size
}
