import { count, optionName, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Badge, Empty } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { type TradeView, tradeList } from '../trade-view.ts'
import { BidAsk, Stranger } from './parts.tsx'
import { sideText, TRADE_TEXTS } from './words.ts'

export function TradeList({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const trades = tradeList(state)
  if (trades.length === 0)
    return (
      <Empty title="No request yet" hint="Every request for quotes appears here, and is found again after a reload." />
    )
  return (
    <ul className="trades">
      {trades.map((trade) => (
        <li key={trade.requestId} aria-current={trade.requestId === state.activeTradeId || undefined}>
          <TradeLine trade={trade} onPress={() => act.showTrade(trade.requestId)} />
        </li>
      ))}
    </ul>
  )
}

function TradeLine({ trade, onPress }: { trade: TradeView; onPress: () => void }): ReactNode {
  const { text, tone } = TRADE_TEXTS[trade.phase]
  const { amount, premium, race } = trade
  return (
    <button type="button" className="trade-line" onClick={onPress}>
      <span className="trade-name">
        <span className="strong">{`${sideText(trade.side)} ${optionName(trade.option)}`}</span>
        <span className="muted small">
          <Stranger text={trade.question} />
        </span>
      </span>
      <span className="trade-deal small">
        {amount !== null && premium !== null && <span>{`${count(amount)} for ${usd(premium)}`}</span>}
        {trade.side === null && race?.best != null && race.bestBid !== null && (
          <BidAsk bid={race.bestBid.price} ask={race.best.price} />
        )}
        <Badge tone={tone}>{text}</Badge>
      </span>
    </button>
  )
}
