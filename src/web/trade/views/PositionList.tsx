import type { Usd6 } from '@rfqctl/client/index'
import { count, duration, exactUsd, optionName, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Badge, Empty, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Gain, Stat, Stats } from '../../parts/Stat.tsx'
import type { TradeAct } from '../act.ts'
import { type PositionRow, positionRows, positionTotals } from '../position-view.ts'
import type { TaskKey, TradeState } from '../state.ts'
import { FailureNotice, Figure, Stranger } from './parts.tsx'
import { costText, payoutOf } from './position-words.ts'
import { PHASE_TEXTS, paidText } from './words.ts'

export function PositionList({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const rows = positionRows(state)
  return (
    <div className="stack-tight">
      <Claimed state={state} act={act} />
      {state.positions?.failure != null && <FailureNotice failure={state.positions.failure} />}
      {rows === null ? <Unread state={state} /> : rows.length === 0 ? <NoPosition /> : null}
      {rows !== null && rows.length > 0 && (
        <>
          <Totals state={state} />
          <ul className="positions">
            {rows.map((row) => (
              <li key={row.seriesId} aria-current={row.seriesId === state.focus || undefined}>
                <Position row={row} onFocus={() => act.showPosition(row.seriesId)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Unread({ state }: { state: TradeState }): ReactNode {
  const { standing } = state.wallet
  if (standing.kind !== 'connected')
    return <Empty title="No wallet connected" hint="Your positions appear here once you connect one." />
  if (state.environment?.mode === 'simulated') {
    return (
      <Empty
        title="No positions here"
        hint="This relay simulates: trades end with the signature, and settle on no chain."
      />
    )
  }
  return (
    <div className="panel-body">
      <Skeleton lines={3} label="Reading your positions" />
    </div>
  )
}

const NoPosition = (): ReactNode => (
  <Empty
    title="No position"
    hint="What you buy or write appears here, with its worth and its payout. History has what is over."
  />
)

function Totals({ state }: { state: TradeState }): ReactNode {
  const totals = positionTotals(state)
  if (totals === null) return null
  const { worth, paysIfUnchanged, profit, claimable } = totals
  return (
    <div className="totals">
      <Stats>
        {worth !== null && <Stat label="Worth at the mark">{usd(worth)}</Stat>}
        {paysIfUnchanged !== null && <Stat label="Pay if YES stays">{usd(paysIfUnchanged)}</Stat>}
        {profit !== null && (
          <Stat label="Profit">
            <Gain amount={profit} />
          </Stat>
        )}
        {claimable > 0n && <Stat label="To claim">{exactUsd(claimable)}</Stat>}
      </Stats>
    </div>
  )
}

function Position({ row, onFocus }: { row: PositionRow; onFocus: () => void }): ReactNode {
  const { series, question, worth, pays, paysIfUnchanged, cost, profit, phase, remainingMs } = row
  const { text, tone } = PHASE_TEXTS[phase]
  return (
    <div className="position">
      <div className="position-name">
        <button type="button" className="cell-button strong" onClick={onFocus}>
          {optionName(series)}
        </button>
        <span className="muted small">
          <Stranger text={question} />
        </span>
      </div>
      <dl className="position-figures">
        <Figure label="Options">{holdingText(row)}</Figure>
        <Figure label="Cost">{typeof cost === 'bigint' ? usd(cost) : <span title={costText(cost)}>–</span>}</Figure>
        {worth !== null && <Figure label="At the mark">{usd(worth)}</Figure>}
        <Figure label={pays === null ? 'If YES stays' : 'Pays'}>{amountOrDash(pays ?? paysIfUnchanged)}</Figure>
        {profit !== null && (
          <Figure label={pays === null ? 'Profit now' : 'Profit'}>
            <Gain amount={profit} />
          </Figure>
        )}
      </dl>
      <div className="position-next">
        <Badge tone={tone}>{phase === 'open' && remainingMs !== null ? `${duration(remainingMs)} left` : text}</Badge>
        <Button size="small" onPress={onFocus} label={`${nextText(row)}: ${optionName(series)}`}>
          {nextText(row)}
        </Button>
      </div>
    </div>
  )
}

const amountOrDash = (amount: Usd6 | null): string => (amount === null ? '–' : usd(amount))

function holdingText({ long, short }: PositionRow): string {
  const parts = [long > 0n ? count(long) : null, short > 0n ? `−${count(short)}` : null]
  return parts.filter((part) => part !== null).join(' / ')
}

function nextText(row: PositionRow): string {
  if (row.task?.kind === 'running') return 'Under way…'
  if (row.task?.kind === 'done' && row.next === 'claim') return 'Paid'
  switch (row.next) {
    case 'claim':
      return `Claim ${usd(payoutOf(row))}`
    case 'settle':
      return 'Settle'
    case 'close':
      return row.closingId === null ? 'Open' : 'Closing…'
    default:
      return 'Look'
  }
}

/** Says here what was paid out, because its position is gone. */
function Claimed({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const paid = (Object.entries(state.tasks) as [TaskKey, TradeState['tasks'][TaskKey]][]).flatMap(([key, task]) =>
    task?.kind === 'done' && (task.outcome.kind === 'claimed' || task.outcome.kind === 'closed')
      ? [{ key, outcome: task.outcome }]
      : [],
  )
  return paid.map(({ key, outcome }) => (
    <Notice
      key={key}
      tone="info"
      title={
        outcome.kind === 'claimed'
          ? paidText(outcome.paid)
          : `${count(outcome.amount)} options ended: ${paidText(outcome.paid)}`
      }
      onDismiss={() => act.dismiss({ task: key })}
    />
  ))
}
