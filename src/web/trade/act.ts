import type { Leg, SeriesId, Side, VanillaOption } from '@rfqctl/client/index'
import { ask, cancel, closePosition, findPrice } from './ask.ts'
import type { Committer } from './commit.ts'
import type { SessionContext } from './context.ts'
import type { Filler } from './fill.ts'
import type { Follower } from './follow.ts'
import type { Notifier } from './notify.ts'
import type { Privacy } from './privacy.ts'
import { claim, requestFunds, settle, warpTo } from './settle.ts'
import type { List, Place, TaskKey, Ticket } from './state.ts'
import type { PayBy } from './trade-record.ts'
import type { WalletLink } from './wallet-link.ts'

export type Preset = 'call-spread' | 'put-spread' | 'strangle' | 'straddle'

type Parts = { link: WalletLink; committer: Committer; filler: Filler; follower: Follower; notifier: Notifier }

/** The views' actions. They return nothing and never throw: results are in the state. */
export type TradeAct = ReturnType<typeof createTradeAct>

export function createTradeAct(context: SessionContext, { link, committer, filler, follower, notifier }: Parts) {
  const { dispatch } = context
  return {
    chooseMarket: (marketKey: string) => dispatch({ kind: 'market-chosen', marketKey }),
    chooseExpiry: (expiry: number) => dispatch({ kind: 'expiry-chosen', expiry }),
    chooseOption: (option: VanillaOption, side?: Side) => dispatch({ kind: 'option-chosen', option, side }),
    /** Sets the quantity of an option in the package; 0 removes it. */
    setLeg: (leg: Leg) => dispatch({ kind: 'leg-set', leg }),
    choosePreset: (preset: Preset) => dispatch({ kind: 'preset-chosen', preset }),
    chooseSeries: (seriesId: SeriesId, side?: Side) => dispatch({ kind: 'series-chosen', seriesId, side }),
    clearLegs: () => dispatch({ kind: 'legs-cleared' }),
    edit: (change: Partial<Omit<Ticket, 'marketKey' | 'expiry' | 'legs'>>) =>
      dispatch({ kind: 'ticket-edited', change }),
    choosePrivacy: (change: Partial<Privacy>) => dispatch({ kind: 'privacy-chosen', change }),
    ask: () => void ask(context),
    showTrade: (requestId: string) => dispatch({ kind: 'trade-shown', requestId }),
    showPosition: (seriesId: SeriesId) => dispatch({ kind: 'position-shown', seriesId }),
    showTicket: (place: Place) => dispatch({ kind: 'ticket-shown', place }),
    showPlace: (place: Place) => dispatch({ kind: 'place-shown', place }),
    showList: (list: List) => dispatch({ kind: 'list-shown', list }),
    /** The side of a request for both; null: neither yet. */
    chooseSide: (requestId: string, side: Side | null) => dispatch({ kind: 'side-chosen', requestId, side }),
    commit: (requestId: string) => void committer.commit(requestId),
    fill: (requestId: string, payBy?: PayBy) => void filler.fill(requestId, payBy),
    cancel: (requestId: string) => void cancel(context, requestId),
    findPrice: (requestId: string) => void findPrice(context, requestId),
    forget: (requestId: string) => dispatch({ kind: 'trade-forgotten', requestId }),
    connect: (offerId: string) => void link.connect(offerId),
    disconnect: link.disconnect,
    switchChain: () => void link.switchChain(),
    requestFunds: () => void requestFunds(context),
    warpTo: (time?: number) => void warpTo(context, time),
    /** Options both held and written end at once; quotes are requested for the rest, by a trade of the purpose `close`. */
    close: (seriesId: SeriesId) => void closePosition(context, seriesId),
    settle: (seriesId: SeriesId) => void settle(context, seriesId),
    claim: (seriesId: SeriesId) => void claim(context, seriesId),
    watchWindow: follower.watchWindow,
    watchHistory: follower.watchHistory,
    reconnect: follower.reconnect,
    /** The browser asks its owner for the permission, if it is wanted and was not asked for before. */
    chooseNotices: (isWanted: boolean) => void notifier.choose(isWanted),
    dismiss: (what: 'wallet' | { task: string } | { trade: string }) => {
      if (what === 'wallet') dispatch({ kind: 'wallet-failed', failure: null })
      else if ('task' in what) dispatch({ kind: 'task-changed', key: what.task as TaskKey, task: null })
      else dispatch({ kind: 'trade-failed', requestId: what.trade, failure: null })
    },
  }
}
