import type { SeriesId } from '@rfqctl/client/index'
import type { Place, TradeState } from './state.ts'
import { marketKeyOf, ticketView } from './view-model.ts'

/** Only the browser that made a trade knows it. */
export type PageAddress =
  | { kind: 'home' }
  | { kind: 'market'; marketKey: string }
  | { kind: 'series'; seriesId: SeriesId }
  | { kind: 'position'; seriesId: SeriesId }
  | { kind: 'trade'; requestId: string }
  /** The trades of the connected wallet. */
  | { kind: 'history' }

/** An entry of the browser's history. */
export type HistoryEntry = { path: string; place: Place }

/** The relay serves the page at these paths and no others. */
export function readPath(path: string): PageAddress {
  const [, kind, id = '', token = ''] = path.split('/')
  if (kind === 'm')
    return { kind: 'market', marketKey: marketKeyOf({ conditionId: id as `0x${string}`, yesTokenId: token }) }
  if (kind === 's') return { kind: 'series', seriesId: id }
  if (kind === 'p') return { kind: 'position', seriesId: id }
  if (kind === 't') return { kind: 'trade', requestId: id }
  return { kind: kind === 'history' ? 'history' : 'home' }
}

function pathOf(address: PageAddress): string {
  switch (address.kind) {
    case 'home':
      return '/'
    case 'market':
      return `/m/${address.marketKey.replace(' ', '/')}`
    case 'series':
      return `/s/${address.seriesId}`
    case 'position':
      return `/p/${address.seriesId}`
    case 'trade':
      return `/t/${address.requestId}`
    case 'history':
      return '/history'
  }
}

/** A package that is not listed yet has no address, and goes by its market. */
function addressOf(state: TradeState): PageAddress {
  const { arrival, activeTradeId, focus, ticket } = state
  if (arrival.kind !== 'chosen') return arrival.address
  if (activeTradeId !== null) return { kind: 'trade', requestId: activeTradeId }
  if (focus !== null) return { kind: 'position', seriesId: focus }
  if (ticket.marketKey === null) return { kind: 'home' }
  const { series } = ticketView(state)
  return series === null
    ? { kind: 'market', marketKey: ticket.marketKey }
    : { kind: 'series', seriesId: series.seriesId }
}

/** The entry of a state, and the step that it belongs to: going back leads from step to step. */
export function entryOf(state: TradeState): HistoryEntry & { step: string } {
  const address = addressOf(state)
  const path = pathOf(address)
  const isTicket = address.kind === 'market' || address.kind === 'series' || address.kind === 'home'
  return { path, place: state.place, step: `${state.place} ${isTicket ? state.ticket.marketKey : path}` }
}
