import type { Leg, Side, VanillaOption } from '@rfqctl/client/index'
import { legsOf, MAX_LEGS } from '@rfqctl/protocol/domain/option'
import type { Handlers } from '../store.ts'
import type { Preset } from './act.ts'
import type { Ticket, TradeState } from './state.ts'
import { firstExpiry, type LadderRow, ladder, marketKeyOf, nextExpiry } from './view-model.ts'

/** Bounds of an option's quantity in a package, and of a typed text. */
const MAX_QUANTITY = 4
const MAX_TEXT = 40

export const ticketHandlers = {
  'market-chosen': (state, { marketKey }: { marketKey: string }) => withMarket(state, marketKey),
  'expiry-chosen': (state, { expiry }: { expiry: number }) => keepLegs(withTicket(state, { expiry })),
  'option-chosen': (state, { option, side }: { option: VanillaOption; side?: Side | undefined }) =>
    withTicket(state, { legs: [{ ...option, quantity: 1 }], ...sideOf(side) }),
  'leg-set': (state, { leg }: { leg: Leg }) => withTicket(state, { legs: setLeg(state.ticket.legs, leg) }),
  'preset-chosen': (state, { preset }: { preset: Preset }) =>
    withTicket(state, { legs: presetLegs(ladder(state), preset) ?? state.ticket.legs }),
  'series-chosen': (state, { seriesId, side }: { seriesId: string; side?: Side | undefined }) =>
    withTicket(withSeries(state, seriesId), sideOf(side)),
  'legs-cleared': (state) => withTicket(state, { legs: [] }),
  'ticket-edited': (state, { change }: { change: Partial<Ticket> }) => withTicket(state, bounded(change)),
} satisfies Handlers<TradeState>

const withTicket = (state: TradeState, change: Partial<Ticket>): TradeState => ({
  ...state,
  ticket: { ...state.ticket, ...change },
})

/** A market with an option to begin with; its address is that of the market. */
export const withMarket = (state: TradeState, marketKey: string): TradeState =>
  withDefaults({
    ...withTicket(state, { marketKey, expiry: null, legs: [] }),
    arrival: { kind: 'opened', address: { kind: 'market', marketKey } },
  })

/** The ticket, and with it market and ladder, of a series; unchanged if it is not listed. */
export function withSeries(state: TradeState, seriesId: string): TradeState {
  const series = state.series?.find((each) => each.seriesId === seriesId)
  if (series === undefined) return state
  const legs = legsOf(series).map(({ optionType, strikeBps, quantity }) => ({ optionType, strikeBps, quantity }))
  return withTicket(state, { marketKey: marketKeyOf(series), expiry: series.expiry, legs })
}

const sideOf = (side: Side | undefined): Partial<Ticket> => (side === undefined ? {} : { side })

/**
 * Without a choice: the first market, an expiry with time left, and the call at the current price, so that there is something to
 * see and to buy.
 */
export function withDefaults(state: TradeState): TradeState {
  const { ticket, markets } = state
  const [first] = markets ?? []
  if (first === undefined) return state
  if (ticket.marketKey === null) return withDefaults(withTicket(state, { marketKey: marketKeyOf(first) }))
  if (ticket.expiry !== null) return state
  const expiry = firstExpiry(state)
  if (expiry === null) return state
  const chosen = withTicket(state, { expiry })
  return ticket.legs.length > 0 ? keepLegs(chosen) : withTicket(chosen, { legs: defaultLegs(ladder(chosen)) })
}

function defaultLegs(rows: readonly LadderRow[]): Leg[] {
  const row = rows.find(({ isAtSpot }) => isAtSpot)
  return row?.call == null ? [] : [legOf(row, 'call', 1)]
}

const legOf = ({ strikeBps }: LadderRow, optionType: 'call' | 'put', quantity: number): Leg => ({
  optionType,
  strikeBps,
  quantity,
})

/** A ticket that begins again with a past expiry gets the market's next one. */
export function withOpenExpiry(state: TradeState): TradeState {
  const expiry = nextExpiry(state)
  return expiry === null ? state : keepLegs(withTicket(state, { expiry }))
}

/** Legs that the other expiry has, too, stay chosen. */
function keepLegs(state: TradeState): TradeState {
  const rows = ladder(state)
  const isThere = ({ optionType, strikeBps }: Leg) =>
    rows.some((row) => row.strikeBps === strikeBps && row[optionType] !== null)
  const { legs } = state.ticket
  if (legs.every(isThere)) return state
  return withTicket(state, { legs: defaultLegs(rows) })
}

function setLeg(legs: readonly Leg[], leg: Leg): readonly Leg[] {
  const isSame = (each: Leg) => each.optionType === leg.optionType && each.strikeBps === leg.strikeBps
  const quantity = Math.max(-MAX_QUANTITY, Math.min(MAX_QUANTITY, Math.trunc(leg.quantity)))
  if (!Number.isFinite(quantity)) return legs
  if (quantity === 0) return legs.filter((each) => !isSame(each))
  if (legs.some(isSame)) return legs.map((each) => (isSame(each) ? { ...leg, quantity } : each))
  return legs.length >= MAX_LEGS ? legs : [...legs, { ...leg, quantity }]
}

function presetLegs(rows: readonly LadderRow[], preset: Preset): readonly Leg[] | null {
  const at = rows.findIndex(({ isAtSpot }) => isAtSpot)
  const near = rows[at]
  const [above, below] = [rows[at + 1], rows[at - 1]]
  if (near === undefined) return null
  if (preset === 'straddle') return [legOf(near, 'call', 1), legOf(near, 'put', 1)]
  if (preset === 'strangle') return above && below ? [legOf(below, 'put', 1), legOf(above, 'call', 1)] : null
  if (preset === 'call-spread') return spread(near, above, 'call') ?? spread(below, near, 'call')
  return spread(near, below, 'put') ?? spread(above, near, 'put')
}

const spread = (bought: LadderRow | undefined, sold: LadderRow | undefined, optionType: 'call' | 'put') =>
  bought && sold ? [legOf(bought, optionType, 1), legOf(sold, optionType, -1)] : null

/** Bounds typed text: the paste of a book must not become state. */
function bounded(change: Partial<Ticket>): Partial<Ticket> {
  const entries = Object.entries(change).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.slice(0, MAX_TEXT) : value,
  ])
  return Object.fromEntries(entries)
}
