import { exactUsd, legsText, optionName, timeText } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Countdown } from '../../parts/Countdown.tsx'
import { Badge, Notice } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import { positionRows } from '../position-view.ts'
import type { TradeState } from '../state.ts'
import type { TradePhase, TradeView } from '../trade-view.ts'
import { relayNow } from '../view-model.ts'
import { FoundPriceSection } from './FoundPriceSection.tsx'
import { MakersSection } from './MakersSection.tsx'
import { PositionBody } from './PositionBody.tsx'
import { FailureNotice, PanelHead, ShortHex, Steps, Stranger } from './parts.tsx'
import { QuotesBody } from './QuotesBody.tsx'
import { DealFacts, SignedBody } from './SignedBody.tsx'
import { filledText, paidText, sideText, TRADE_TEXTS } from './words.ts'

export type TradeProps = { state: TradeState; act: TradeAct; trade: TradeView; chooseWallet: () => void }

const STEPS = ['Ask', 'Quotes', 'Signature', 'Payment']

export function TradePanel(props: TradeProps): ReactNode {
  const { act, trade } = props
  const { text, tone, step } = TRADE_TEXTS[trade.phase]
  const legs = legsText(trade.option)
  return (
    <section className="panel" aria-label="Trade">
      <PanelHead
        title={`${sideText(trade.side)} ${optionName(trade.option)}`}
        onBack={() => act.showTicket('panel')}
        back="Back to the ticket"
        aside={<Badge tone={tone}>{text}</Badge>}
      />
      <div className="panel-body stack">
        <div className="about small muted">
          <Stranger text={trade.question} lines={2} />
          <p>
            {legs === null ? '' : `${legs}. `}Expires {timeText(trade.expiry)}.
          </p>
        </div>
        {trade.phase !== 'filled' && <Steps steps={STEPS} at={step} label="How far the trade is" />}
        <Body {...props} />
      </div>
    </section>
  )
}

function Body(props: TradeProps): ReactNode {
  const { trade, act } = props
  const { phase, failure, requestId, record } = trade
  return (
    <>
      <p className="aloud" aria-live="polite">
        {TRADE_TEXTS[phase].text}
      </p>
      {failure !== null && (
        // While a signature is awaited, its failure explains the next step, and goes with it.
        <FailureNotice
          failure={failure}
          {...(record.stage.kind !== 'committing' && { onDismiss: () => act.dismiss({ trade: requestId }) })}
        />
      )}
      <BodyOf {...props} />
      <FoundPriceSection {...props} />
      <MakersSection {...props} />
    </>
  )
}

function BodyOf(props: TradeProps): ReactNode {
  switch (props.trade.phase) {
    case 'no-quotes':
    case 'no-quotes-slow':
    case 'racing':
      return <QuotesBody {...props} />
    case 'signing':
    case 'fallback':
      return <SigningBody {...props} />
    case 'committed':
    case 'paying':
    case 'pending':
      return <SignedBody {...props} />
    case 'filled':
      return <FilledBody {...props} />
    default:
      return <EndedBody {...props} />
  }
}

/** Usual time of a maker to sign, milliseconds: for the length of a bar. */
const SIGNING_MS = 10_000

function SigningBody({ state, act, trade }: TradeProps): ReactNode {
  const { phase, countdown, quote, fellBackFrom, record, failure, requestId } = trade
  const asked = record.stage.kind === 'committing' ? record.stage.askedMakerId : (quote?.makerId ?? '')
  return (
    <>
      {phase === 'fallback' ? (
        <Notice
          tone="warning"
          title={
            <>
              <Name text={fellBackFrom ?? ''} /> did not sign. <Name text={asked} /> is asked now.
            </>
          }
          hint="The limits of your commit hold for every maker."
        />
      ) : (
        <Notice
          tone="info"
          title={
            <>
              <Name text={asked} /> is asked to sign your order.
            </>
          }
          hint="If it does not, the next best maker is asked within your limits."
        />
      )}
      <DealFacts trade={trade} />
      {failure === null && countdown !== null && (
        <Countdown label="Time to sign" leftMs={countdown.remainingMs} totalMs={SIGNING_MS} />
      )}
      {failure === null ? (
        <Button kind="primary" size="large" isBusy>
          Waiting for the signature…
        </Button>
      ) : (
        <Button
          kind="primary"
          size="large"
          onPress={() => act.commit(requestId)}
          isDisabled={state.link.kind !== 'live'}
        >
          Ask for the signature again
        </Button>
      )}
    </>
  )
}

const Name = ({ text }: { text: string }): ReactNode => <bdi className="strong">{text.slice(0, 40)}</bdi>

/** The position is read within this time after the signature, milliseconds. */
const SETTLING_IN_MS = 10_000

function FilledBody({ state, act, trade }: TradeProps): ReactNode {
  const row = positionRows(state)?.find(({ seriesId }) => seriesId === trade.record.request.seriesId)
  const { stage } = trade.record
  const claimed = state.tasks[`claim:${trade.record.request.seriesId}`]
  const isFresh =
    claimed === undefined &&
    stage.kind === 'filled' &&
    relayNow(state) - stage.commitment.execution.executedAt < SETTLING_IN_MS
  return (
    <>
      <FilledNotice state={state} trade={trade} />
      {row === undefined && claimed?.kind === 'done' && claimed.outcome.kind === 'claimed' && (
        <Notice tone="info" title={paidText(claimed.outcome.paid)} />
      )}
      {row === undefined ? (
        <Button kind="primary" size="large" onPress={() => act.showTicket('panel')} isBusy={isFresh}>
          {isFresh ? 'Reading your position…' : 'Trade again'}
        </Button>
      ) : (
        <PositionBody {...{ state, act, row }} onDone={() => act.showTicket('panel')} />
      )}
    </>
  )
}

function FilledNotice({ state, trade }: Pick<TradeProps, 'state' | 'trade'>): ReactNode {
  const { record, partner } = trade
  if (record.stage.kind !== 'filled') return null
  const { fee, hash, blockNumber } = record.stage
  return (
    <Notice
      tone="good"
      title={filledText(trade)}
      hint={
        <>
          {blockNumber === null ? 'On the chain' : `In block ${blockNumber}`}, transaction{' '}
          <ShortHex hex={hash} state={state} />
          {fee === null ? '.' : `. A relayer was paid ${exactUsd(fee)}.`}
          {partner === null ? null : ` The page was paid ${exactUsd(partner.share)}.`}
        </>
      }
    />
  )
}

type Ending = { tone: 'good' | 'warning' | 'neutral'; title: string; hint: string; next: string }

const ENDINGS: Readonly<Partial<Record<TradePhase, Ending>>> = {
  simulated: {
    tone: 'good',
    title: 'The maker has signed.',
    hint: 'This relay simulates: it settles on no chain, and the trade ends here.',
    next: 'Trade again',
  },
  expired: {
    tone: 'warning',
    title: 'The request expired before you took a quote.',
    hint: 'It bound you to nothing. Ask again for new quotes.',
    next: 'Ask again',
  },
  cancelled: {
    tone: 'neutral',
    title: 'You cancelled the request.',
    hint: 'It bound you to nothing.',
    next: 'Back to the ticket',
  },
  'order-expired': {
    tone: 'warning',
    title: 'The signed order expired before it was paid.',
    hint: 'Nothing was paid, and nothing was bought. Ask again for new quotes.',
    next: 'Ask again',
  },
  'order-cancelled': {
    tone: 'warning',
    title: 'The maker cancelled the signed order before it was paid.',
    hint: 'Nothing was paid. Ask again for new quotes.',
    next: 'Ask again',
  },
  gone: {
    tone: 'neutral',
    title: 'The relay no longer knows this request.',
    hint: 'It was kept for as long as the relay keeps requests, or the relay was started again.',
    next: 'Ask again',
  },
}

function EndedBody({ act, trade }: TradeProps): ReactNode {
  const ending = ENDINGS[trade.phase]
  if (ending === undefined) return null
  return (
    <>
      <Notice tone={ending.tone} title={ending.title} hint={ending.hint} />
      {trade.phase === 'simulated' && <DealFacts trade={trade} />}
      <Button kind="primary" size="large" onPress={() => act.showTicket('panel')}>
        {ending.next}
      </Button>
      <Button kind="quiet" size="small" onPress={() => act.forget(trade.requestId)}>
        Take it from the list
      </Button>
    </>
  )
}
