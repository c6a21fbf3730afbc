import type { TradeEvent, WalletTrade } from '@rfqctl/client/index'
import { count, dateText, dayText, optionName, plural, usd } from '@rfqctl/lib/format'
import { realisedProfit, totalProfit } from '@rfqctl/protocol/domain/trade-history'
import { type ReactNode, useEffect } from 'react'
import { Badge, Empty, Notice, Skeleton, type Tone } from '../../parts/Notice.tsx'
import { Facts, Gain, Stat, Stats } from '../../parts/Stat.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { chainWallet } from '../view-model.ts'
import { FailureNotice, Figure, FileLink, ShortHex, Stranger } from './parts.tsx'

/** Trades that are drawn, and events of each: the file has all of them. */
const MOST_TRADES = 100
const MOST_EVENTS = 20

/** Trades of the wallet by the events of the chain, which any browser has. */
export function HistoryList({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const wallet = chainWallet(state)
  const { watchHistory } = act
  useEffect(() => {
    watchHistory(wallet !== null)
    return () => watchHistory(false)
  }, [wallet, watchHistory])
  const { history } = state
  if (wallet === null) return <NoHistory state={state} />
  if (history === null) {
    return (
      <div className="panel-body">
        <Skeleton lines={4} label="Reading your trades from the chain" />
      </div>
    )
  }
  const { trades, isComplete, failure } = history
  return (
    <div className="stack-tight">
      {failure !== null && (
        <FailureNotice failure={{ ...failure, hint: 'Your trades are read again in some seconds.' }} />
      )}
      {!isComplete && failure === null && (
        <Notice
          tone="warning"
          title="Older trades may be missing."
          hint="The node of your wallet has no events that old. Profits that depend on them are not shown."
        />
      )}
      {trades.length === 0 && isComplete && (
        <Empty title="No trade yet" hint="What this wallet has bought, written and claimed appears here." />
      )}
      {trades.length > 0 && <Trades state={state} wallet={wallet} history={history} />}
    </div>
  )
}

function NoHistory({ state: { wallet, environment } }: { state: TradeState }): ReactNode {
  if (environment?.mode === 'simulated')
    return <Empty title="No history here" hint="This relay simulates: no trade reaches a chain." />
  if (wallet.standing.kind === 'connected' && environment !== null)
    return <Empty title="Your wallet is on another chain" hint={`Its trades are on chain ${environment.chainId}.`} />
  return <Empty title="No wallet connected" hint="Its trades appear here, in any browser, once you connect one." />
}

type TradesProps = { state: TradeState; wallet: string; history: NonNullable<TradeState['history']> }

function Trades({ state, wallet, history: { trades, csv } }: TradesProps): ReactNode {
  return (
    <>
      <div className="totals row spread">
        <Stats>
          <Stat label={`Realised on ${plural(trades.length, 'trade')}`}>
            <Gain amount={totalProfit(trades)} />
          </Stat>
        </Stats>
        <FileLink text={csv} type="text/csv" name={`rfqctl-${wallet}.csv`}>
          Save as CSV
        </FileLink>
      </div>
      <ul className="positions">
        {trades.slice(0, MOST_TRADES).map((trade) => (
          <li key={`${trade.seriesId} ${trade.openedAt}`}>
            <Trade state={state} trade={trade} />
          </li>
        ))}
      </ul>
      {trades.length > MOST_TRADES && (
        <p className="ladder-note small muted">{`The newest ${MOST_TRADES} are shown; the file has all of them.`}</p>
      )}
      {trades.some(({ hasTransfers }) => hasTransfers) && (
        <p className="ladder-note small muted">
          * Options from or to another wallet count as free: the chain does not have what was paid for them.
        </p>
      )}
    </>
  )
}

const STATES: Readonly<Record<WalletTrade['state'], { text: string; tone: Tone }>> = {
  open: { text: 'Open', tone: 'neutral' },
  expired: { text: 'Expired', tone: 'warning' },
  claimable: { text: 'To claim', tone: 'good' },
  worthless: { text: 'Paid nothing', tone: 'neutral' },
  claimed: { text: 'Claimed', tone: 'good' },
  closed: { text: 'Closed', tone: 'neutral' },
  transferred: { text: 'Sent away', tone: 'neutral' },
}

function Trade({ state, trade }: { state: TradeState; trade: WalletTrade }): ReactNode {
  const { option, market, side, amount, paid, received, fees, openedAt, closedAt, events } = trade
  const { text, tone } = STATES[trade.state]
  const profit = realisedProfit(trade)
  return (
    <div className="position">
      <div className="position-name">
        <span className="strong">{optionName(option)}</span>
        {market !== null && (
          <span className="muted small">
            <Stranger text={market} />
          </span>
        )}
      </div>
      <dl className="position-figures">
        <Figure label={side === 'long' ? 'Bought' : 'Written'}>{count(amount)}</Figure>
        <Figure label="Paid">{usd(paid)}</Figure>
        <Figure label="Received">{usd(received)}</Figure>
        <Figure label="Profit">
          {profit === null ? '–' : <Gain amount={profit} />}
          {profit !== null && trade.hasTransfers && '*'}
        </Figure>
      </dl>
      <div className="position-next">
        <Badge tone={tone}>{text}</Badge>
        <span className="small muted">{dayText(closedAt ?? openedAt)}</span>
      </div>
      <details className="more trade-events">
        <summary>{plural(new Set(events.map(({ transactionHash }) => transactionHash)).size, 'transaction')}</summary>
        <Facts
          facts={[
            ['Opened', dateText(openedAt)],
            closedAt === null ? null : ['Closed', dateText(closedAt)],
            ['Expiry', dateText(trade.expiry)],
            ['Fees', usd(fees)],
            trade.paidOut > 0n ? ['Paid out after settlement', usd(trade.paidOut)] : null,
            trade.claimable > 0n ? ['To claim', usd(trade.claimable)] : null,
          ]}
        />
        <ol className="stack-tight small">
          {events.slice(-MOST_EVENTS).map((event) => (
            <li key={`${event.transactionHash} ${event.kind} ${event.long} ${event.short}`}>
              {`${dateText(event.time)}: ${eventText(event)}. `}
              <ShortHex hex={event.transactionHash} state={state} />
            </li>
          ))}
        </ol>
      </details>
    </div>
  )
}

const EVENTS: Readonly<Record<TradeEvent['kind'], string>> = {
  bought: 'bought',
  sold: 'sold',
  wrote: 'wrote',
  closed: 'ended against each other',
  payout: 'claimed the payout of',
  collateral: 'claimed the collateral of',
  received: 'received from another wallet',
  sent: 'sent to another wallet',
}

function eventText({ kind, amount, paid, received, fee }: TradeEvent): string {
  const money = [
    paid > 0n ? `paid ${usd(paid)}` : null,
    received > 0n ? `got ${usd(received)}` : null,
    fee !== 0n ? `fees ${usd(fee)}` : null,
  ]
  return [`${EVENTS[kind]} ${count(amount)}`, ...money.filter((part) => part !== null)].join(', ')
}
