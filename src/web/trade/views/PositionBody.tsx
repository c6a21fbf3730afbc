import type { Usd6 } from '@rfqctl/client/index'
import {
  count,
  duration,
  exactUsd,
  gain,
  legsText,
  markText,
  optionName,
  resolution,
  timeText,
  usd,
} from '@rfqctl/lib/format'
import { legsOf } from '@rfqctl/protocol/domain/option'
import { type ReactNode, useEffect } from 'react'
import { Button } from '../../parts/Button.tsx'
import { PayoffChart } from '../../parts/charts/PayoffChart.tsx'
import { WindowChart } from '../../parts/charts/WindowChart.tsx'
import { Badge, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Facts, Gain } from '../../parts/Stat.tsx'
import type { TradeAct } from '../act.ts'
import { type PositionRow, windowView } from '../position-view.ts'
import type { TradeState } from '../state.ts'
import { FailureNotice, NextStep, PanelHead, runningText, Steps, Stranger, TaskFailure } from './parts.tsx'
import { costText, NEXT_TEXTS, nextAct, payoutTone, positionPoints } from './position-words.ts'
import { PHASE_TEXTS, paidText } from './words.ts'

export type PositionProps = { state: TradeState; act: TradeAct; row: PositionRow; onDone: () => void }

export function PositionPanel({ onBack, ...props }: PositionProps & { onBack: () => void }): ReactNode {
  const { series, question, phase } = props.row
  const { text, tone } = PHASE_TEXTS[phase]
  const legs = legsText(series)
  return (
    <section className="panel" aria-label="Position">
      <PanelHead
        title={optionName(series)}
        onBack={onBack}
        back="Back to the ticket"
        aside={<Badge tone={tone}>{text}</Badge>}
      />
      <div className="panel-body stack">
        <div className="about small muted">
          <Stranger text={question} lines={2} />
          {legs !== null && <p>{legs}</p>}
        </div>
        <PositionBody {...props} />
      </div>
    </section>
  )
}

const STEPS = ['Hold', 'Expiry', 'Price', 'Payout']
const STEP_AT = { open: 0, window: 0, expired: 2, disputable: 2, settled: 3 } as const

export function PositionBody(props: PositionProps): ReactNode {
  const { row } = props
  return (
    <>
      <Steps steps={STEPS} at={STEP_AT[row.phase]} label="How far the position is" />
      <PositionFacts row={row} />
      {row.phase === 'open' ? <PositionPayoff row={row} /> : <SettlementWindow {...props} />}
      <PositionNotice row={row} />
      <PositionNext {...props} />
    </>
  )
}

function PositionFacts({ row }: { row: PositionRow }): ReactNode {
  const { long, short, mark, worth, pays, paysIfUnchanged, spot, profit, series, remainingMs } = row
  const holding = [long > 0n ? `${count(long)} held` : null, short > 0n ? `${count(short)} written` : null]
  return (
    <Facts
      facts={[
        ['Options', holding.filter((part) => part !== null).join(', ')],
        worth === null || mark === null ? null : [`Worth now, at the mark of ${markText(mark)}`, usd(worth)],
        paysIfUnchanged === null || spot === null
          ? null
          : [`Pays if YES stays at ${exactUsd(spot)}`, usd(paysIfUnchanged)],
        pays === null ? null : ['Pays', usd(pays)],
        ['Cost', costText(row.cost)],
        pays === null || profit === null ? null : ['Profit', <Gain key="profit" amount={profit} />],
        row.phase === 'open' || row.phase === 'window'
          ? ['Expires', `${timeText(series.expiry)}${remainingMs === null ? '' : `, in ${duration(remainingMs)}`}`]
          : null,
        series.resolutionBps === null ? null : ['YES resolved at', resolution(series.resolutionBps)],
      ]}
    />
  )
}

/** Without a known cost the picture shows what the position pays, and claims no gain. */
function PositionPayoff({ row }: { row: PositionRow }): ReactNode {
  const { cost, spot: yesPrice, paysIfUnchanged, profit: atMark } = row
  const isProfit = typeof cost === 'bigint'
  const points = positionPoints(row)
  const amounts = points.map(({ profit }) => profit)
  const [most, least] = [amounts.reduce(larger), amounts.reduce(smaller)]
  const spot =
    yesPrice === null || paysIfUnchanged === null
      ? null
      : { price: Number(yesPrice) / 10_000, profit: paysIfUnchanged - (isProfit ? cost : 0n) }
  const range = `at most ${isProfit ? gain(most) : usd(most)}, at least ${usd(least)}`
  const now = atMark === null ? '' : `, ${gain(atMark)} if closed now, at the mark`
  return (
    <PayoffChart
      size="small"
      points={points}
      spot={spot}
      atMark={atMark}
      isProfit={isProfit}
      label={`What the position ${isProfit ? 'makes' : 'pays'} by the price that YES resolves at: ${range}${now}`}
    />
  )
}

const larger = (a: Usd6, b: Usd6): Usd6 => (a > b ? a : b)
const smaller = (a: Usd6, b: Usd6): Usd6 => (a < b ? a : b)

function SettlementWindow({ state, act, row }: PositionProps): ReactNode {
  const { seriesId } = row
  const { watchWindow } = act
  useEffect(() => {
    watchWindow(seriesId)
    return () => watchWindow(null)
  }, [seriesId, watchWindow])
  const view = windowView(state, seriesId)
  const failure = state.windows[seriesId]?.failure ?? null
  if (failure !== null && view === null) return <FailureNotice failure={failure} />
  if (view === null) return <Skeleton lines={4} label="Reading the prices that settle it" />
  if (view.points.length === 0) {
    return (
      <Notice
        title="No price of its last half hour is known yet."
        hint="The average of these prices settles the options."
      />
    )
  }
  const average = view.twap === null ? '' : `, ${view.twap.toFixed(4)} on average`
  return (
    <div className="stack-tight">
      <h3 className="small muted">The last half hour before expiry</h3>
      <WindowChart
        {...view}
        strikes={legsOf(row.series).map(({ strikeBps }) => strikeBps / 10_000)}
        label={`Prices of YES that settle the options${average}`}
      />
      {view.twap !== null && (
        <Facts
          facts={[
            [row.phase === 'window' ? 'Average so far' : 'Average', `$${view.twap.toFixed(4)}`],
            view.resolvedAt === null ? null : ['Resolved at', `$${view.resolvedAt.toFixed(2)}`],
          ]}
        />
      )}
    </div>
  )
}

/** Whether nothing more comes of a position; the chain shows a payout a moment later. */
const isOver = ({ next, task }: PositionRow): boolean =>
  next === 'worthless' || (next === 'claim' && task?.kind === 'done')

function PositionNotice({ row }: { row: PositionRow }): ReactNode {
  if (row.next === 'claim' && row.task?.kind === 'done' && row.task.outcome.kind === 'claimed') {
    const hint = row.profit === null ? null : `${gain(row.profit)} against what it cost.`
    return <Notice tone={payoutTone(row.profit)} title={paidText(row.task.outcome.paid)} hint={hint} />
  }
  const text = NEXT_TEXTS[row.next](row)
  return text === null ? null : <Notice tone={text.tone} title={text.title} hint={text.hint} />
}

function PositionNext({ state, act, row, onDone }: PositionProps): ReactNode {
  const { task, next } = row
  const step = nextAct(row, { act, canWarp: state.environment?.sandbox === true })
  const running = runningText(task, { relay: next === 'settle' ? 'Getting the signed price…' : 'Asking the relay…' })
  const warping = state.tasks.warp?.kind === 'running' ? 'Moving the time…' : null
  const isAway = state.link.kind !== 'live'
  if (isOver(row)) {
    return (
      <div className="next-step">
        <NextStep onPress={onDone}>Trade again</NextStep>
      </div>
    )
  }
  return (
    <div className="stack-tight next-step">
      {next !== 'wait' && next !== 'worthless' && <TaskFailure {...{ state, act }} task={`${next}:${row.seriesId}`} />}
      <TaskFailure {...{ state, act }} task="warp" />
      {step.primary !== null && (
        <NextStep onPress={step.primary.run} isBusy={running !== null || warping !== null} isDisabled={isAway}>
          {running ?? warping ?? step.primary.text}
        </NextStep>
      )}
      {step.other !== null && (
        <Button size="large" onPress={step.other.run} isDisabled={isAway || running !== null}>
          {step.other.text}
        </Button>
      )}
    </div>
  )
}
