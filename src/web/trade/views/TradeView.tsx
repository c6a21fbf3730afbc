import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Tabs } from '../../parts/Choice.tsx'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import { positionRows } from '../position-view.ts'
import type { Place, TradeState } from '../state.ts'
import { activeTrade } from '../trade-view.ts'
import { linkView } from '../view-model.ts'
import { HistoryList } from './HistoryList.tsx'
import { LadderView } from './LadderView.tsx'
import { MarketChart } from './MarketChart.tsx'
import { MarketFacts } from './MarketFacts.tsx'
import { MarketList } from './MarketList.tsx'
import { PageNotices } from './PageNotices.tsx'
import { PositionPanel } from './PositionBody.tsx'
import { PositionList } from './PositionList.tsx'
import { TicketPanel } from './TicketPanel.tsx'
import { TradeBar } from './TradeBar.tsx'
import { TradeList } from './TradeList.tsx'
import { TradePanel } from './TradePanel.tsx'
import { WalletDialog } from './WalletDialog.tsx'
import '../trade.css'

/** Choices of the reader alone, which no address has. */
export type Looks = { isWalletOpen: boolean }

type TradeViewProps = { state: TradeState; act: TradeAct; looks?: Partial<Looks> }

export function TradeView({ state, act, looks: given = {} }: TradeViewProps): ReactNode {
  const [looks, setLooks] = useState<Looks>({ isWalletOpen: false, ...given })
  const look = (change: Partial<Looks>) => setLooks((before) => ({ ...before, ...change }))
  const onChosen = () => act.showTicket('panel')
  const isFresh = state.activeTradeId === null && state.focus === null && state.ticket.legs.length === 0
  const isDimmed = linkView(state).isDimmed
  return (
    <div className="trade-page" data-place={state.place} data-fresh={isFresh || undefined}>
      <TradeBar state={state} onWallet={() => look({ isWalletOpen: true })} />
      <PageNotices state={state} act={act} />
      <main id="main" className={isDimmed ? 'trade-main stale' : 'trade-main'}>
        <h1 className="aloud">Trade options on prediction markets</h1>
        <div className="trade-markets">
          <MarketList state={state} act={act} />
        </div>
        <div className="trade-chart">
          <MarketChart state={state} />
        </div>
        <div className="trade-ladder">
          <LadderView state={state} act={act} onChosen={onChosen} />
        </div>
        <div className="trade-mine">
          <Mine state={state} act={act} />
        </div>
        <div className="trade-facts">
          <MarketFacts state={state} />
        </div>
        <div className="trade-panel">
          <Panel {...{ act, look }} state={looks.isWalletOpen ? withoutRefusal(state) : state} />
        </div>
      </main>
      <BottomBar {...{ state, act, look }} />
      <WalletDialog state={state} act={act} isOpen={looks.isWalletOpen} onClose={() => look({ isWalletOpen: false })} />
    </div>
  )
}

type LooksProps = { state: TradeState; act: TradeAct; look: (change: Partial<Looks>) => void }

const MINE_ID = 'mine'

const LISTS = { positions: PositionList, trades: TradeList, history: HistoryList } as const

function Mine({ state, act }: Pick<LooksProps, 'state' | 'act'>): ReactNode {
  const { list, trades } = state
  const positions = state.positions?.rows.length ?? 0
  const Listed = LISTS[list]
  return (
    <section className="panel" aria-label="Yours">
      <div className="mine-tabs">
        <Tabs
          label="Yours"
          panelId={MINE_ID}
          selected={list}
          onSelect={act.showList}
          tabs={[
            { id: 'positions', text: 'Positions', ...(positions > 0 && { count: positions }) },
            { id: 'trades', text: 'Requests', ...(trades.length > 0 && { count: trades.length }) },
            { id: 'history', text: 'History' },
          ]}
        />
      </div>
      <div id={MINE_ID} role="tabpanel" aria-labelledby={`${MINE_ID}-${list}`}>
        <Listed state={state} act={act} />
      </div>
      <NoticesOf state={state} act={act} />
    </section>
  )
}

/** Asked for where they are of use: beside what a wallet waits for. */
function NoticesOf({ state: { notices, wallet }, act }: Pick<LooksProps, 'state' | 'act'>): ReactNode {
  if (notices === 'absent' || wallet.standing.kind !== 'connected') return null
  if (notices === 'refused') {
    return (
      <Notice
        tone="warning"
        title="This browser refuses notifications of this page."
        hint="Allow them in its settings for this site. The title of the tab has the news in any case."
      />
    )
  }
  return (
    <div className="mine-foot row spread small muted">
      <span>
        {notices === 'on'
          ? 'The browser notifies you of fills, expiries and payouts.'
          : 'Know of fills, expiries and payouts while you look elsewhere.'}
      </span>
      <Button kind="quiet" size="small" onPress={() => act.chooseNotices(notices === 'off')}>
        {notices === 'on' ? 'Stop' : 'Notify me'}
      </Button>
    </div>
  )
}

function Panel({ state, act, look }: LooksProps): ReactNode {
  const chooseWallet = () => look({ isWalletOpen: true })
  const trade = activeTrade(state)
  if (trade !== null) return <TradePanel {...{ state, act, trade, chooseWallet }} />
  const row = positionRows(state)?.find(({ seriesId }) => seriesId === state.focus)
  if (row !== undefined) {
    return (
      <PositionPanel
        {...{ state, act, row }}
        onBack={() => act.showTicket('mine')}
        onDone={() => act.showTicket('markets')}
      />
    )
  }
  return (
    <TicketPanel
      {...{ state, act, chooseWallet }}
      onBack={() => act.showPlace('markets')}
      onChosen={() => act.showPlace('panel')}
    />
  )
}

/** The open dialog of the wallet shows the refusal itself. */
const withoutRefusal = (state: TradeState): TradeState => ({ ...state, wallet: { ...state.wallet, failure: null } })

const PLACES: readonly { place: Place; text: string; icon: IconName }[] = [
  { place: 'markets', text: 'Markets', icon: 'markets' },
  { place: 'panel', text: 'Trade', icon: 'swap' },
  { place: 'mine', text: 'Positions', icon: 'positions' },
]

function BottomBar({ state, act, look }: LooksProps): ReactNode {
  const positions = state.positions?.rows.length ?? 0
  return (
    <nav className="bottom-bar" aria-label="Places">
      {PLACES.map(({ place, text, icon }) => (
        <button
          key={place}
          type="button"
          aria-current={state.place === place ? 'page' : undefined}
          onClick={() => act.showPlace(place)}
        >
          <Icon name={icon} />
          {place === 'mine' && positions > 0 ? `${text} ${positions}` : text}
        </button>
      ))}
      <button type="button" onClick={() => look({ isWalletOpen: true })}>
        <Icon name="wallet" />
        Wallet
      </button>
    </nav>
  )
}
