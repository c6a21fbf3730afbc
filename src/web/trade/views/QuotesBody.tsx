import type { Side } from '@rfqctl/client/index'
import { count, exactUsd, priceText, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Countdown } from '../../parts/Countdown.tsx'
import { RaceChart } from '../../parts/charts/RaceChart.tsx'
import { Field } from '../../parts/Field.tsx'
import { Badge, Notice } from '../../parts/Notice.tsx'
import { Facts } from '../../parts/Stat.tsx'
import { type CommitPreview, type CommitProblem, commitPreview } from '../commit-view.ts'
import type { Race } from '../trade-record.ts'
import type { TradeView } from '../trade-view.ts'
import { relayNow } from '../view-model.ts'
import { NextButton } from './NextButton.tsx'
import { PayChoice } from './PayChoice.tsx'
import { PayoffSection } from './PayoffSection.tsx'
import { FailureNotice, NextStep } from './parts.tsx'
import { inAll, partnerFacts } from './SignedBody.tsx'
import type { TradeProps } from './TradePanel.tsx'
import { sideText } from './words.ts'

export function QuotesBody(props: TradeProps): ReactNode {
  const { state, act, trade } = props
  const { record, race, countdown, requestId } = trade
  const preview = commitPreview(state, record)
  const cancel = state.tasks[`cancel:${requestId}`]
  const { expiresAt } = record.request
  return (
    <>
      <BestPrice trade={trade} preview={preview} />
      <RaceChart
        quotes={race?.points ?? []}
        bids={trade.side === null ? (race?.bids ?? []) : []}
        openedAt={record.openedAt}
        now={Math.min(relayNow(state), expiresAt)}
        label={raceLabel(trade)}
      />
      <RaceNotices {...props} />
      {countdown !== null && (
        <Countdown
          label="The request is open for"
          leftMs={countdown.remainingMs}
          totalMs={expiresAt - record.openedAt}
        />
      )}
      {trade.side === null && <SideSection {...props} />}
      {preview !== null && <CommitSection {...props} preview={preview} />}
      {cancel?.kind === 'failed' && <FailureNotice failure={cancel.failure} />}
      <Button kind="quiet" onPress={() => act.cancel(requestId)} isBusy={cancel?.kind === 'running'}>
        {cancel?.kind === 'running' ? 'Cancelling…' : 'Cancel the request'}
      </Button>
      <PayoffSection state={state} size="small" />
    </>
  )
}

/** Read aloud whenever it improves. */
function BestPrice({ trade, preview }: { trade: TradeView; preview: CommitPreview | null }): ReactNode {
  const { race, record } = trade
  const shown = preview?.shown ?? null
  if (trade.side === null && trade.phase === 'racing') {
    return (
      <div className="best both" aria-live="polite">
        <SidePrice side="sell" race={race} />
        <SidePrice side="buy" race={race} />
        <p className="muted small">{`The best of ${quotes(race)}, per option.`}</p>
      </div>
    )
  }
  if (shown === null || preview === null) {
    return (
      <div className="best" aria-live="polite">
        <p className="best-price faint">–</p>
        <p className="muted small">{`Asked ${makers(record.request.makersConnected)}. Quotes appear here as they come.`}</p>
      </div>
    )
  }
  return (
    <div className="best" aria-live="polite">
      <p className="best-price">
        {priceText(shown.price)}
        {shown.isFirm && <Badge tone="good">firm</Badge>}
      </p>
      <p className="muted small">
        {`each, the best of ${quotes(race)}. ${count(shown.fillContracts)} options from `}
        <bdi className="nowrap">{shown.makerId.slice(0, 40)}</bdi>
      </p>
    </div>
  )
}

const SIDES = {
  sell: { verb: 'Sell', best: 'Best bid', none: 'No bid now' },
  buy: { verb: 'Buy', best: 'Best ask', none: 'No ask now' },
} as const

/** A taker sells to the best bid, and buys at the best ask. */
const bestOn = (race: Race | null, side: Side) => (side === 'sell' ? race?.bestBid : race?.best) ?? null

function SidePrice({ side, race }: { side: Side; race: Race | null }): ReactNode {
  const quote = bestOn(race, side)
  return (
    <div>
      <p className="muted small">{SIDES[side].best}</p>
      <p className="best-price">{quote === null ? '–' : priceText(quote.price)}</p>
      {quote !== null && (
        <p className="muted small">
          {`${count(quote.fillContracts)} options, `}
          <bdi className="nowrap">{quote.makerId.slice(0, 40)}</bdi>
        </p>
      )}
    </div>
  )
}

/** A request for both sides has two next steps: neither is the page's choice. */
function SideSection({ act, trade }: TradeProps): ReactNode {
  const { race, requestId, phase } = trade
  if (phase !== 'racing') {
    return (
      <NextStep isBusy onPress={() => {}}>
        Waiting for the first quote
      </NextStep>
    )
  }
  return (
    <>
      <fieldset className="next-button both">
        <legend className="aloud">Your side</legend>
        {(['sell', 'buy'] as const).map((side) => {
          const quote = bestOn(race, side)
          const { verb, none } = SIDES[side]
          return (
            <Button key={side} size="large" onPress={() => act.chooseSide(requestId, side)} isDisabled={quote === null}>
              {quote === null ? none : `${verb} at ${priceText(quote.price)}`}
            </Button>
          )
        })}
      </fieldset>
      <p className="faint small centred">
        Makers see neither your side nor this choice: only the one that is asked to sign learns it.
      </p>
    </>
  )
}

const makers = (connected: number): string => (connected === 1 ? '1 maker' : `${connected} makers`)

const quotes = (race: Race | null): string => {
  const quoteCount = race?.quoteCount ?? 0
  return quoteCount === 1 ? '1 quote' : `${quoteCount} quotes`
}

function raceLabel({ race, side }: TradeView): string {
  if (side === null && race?.best != null && race.bestBid !== null)
    return `Quotes by time: the best bid is ${priceText(race.bestBid.price)} and the best ask ${priceText(race.best.price)} now`
  const [first, last] = [race?.points[0], race?.points.at(-1)]
  if (first === undefined || last === undefined) return 'Quotes by time: none yet'
  const way = side === 'buy' ? 'asked' : 'bid'
  return `Quotes by time: the first maker ${way} ${priceText(first.price)}, the best is ${priceText(last.price)} now`
}

function RaceNotices({ trade }: TradeProps): ReactNode {
  const { phase, race } = trade
  const stream = race?.stream
  return (
    <>
      {phase === 'no-quotes-slow' && (
        <Notice
          tone="warning"
          title="No maker has quoted yet."
          hint="Makers may not trade this option now. Wait, or cancel and choose another strike or amount."
        />
      )}
      {stream?.kind === 'lost' && (
        <Notice
          tone="warning"
          title="The stream of quotes is interrupted."
          hint="It is opened again by itself; the best price may be old."
        />
      )}
      {race !== null && race.bestForSize !== null && (
        <Notice
          title={`The best price is for ${count(race.best?.fillContracts ?? 0n)} options only.`}
          hint="You take the best one that fills at least half of what you asked for."
        />
      )}
    </>
  )
}

/** Shown already by the page, the button of the next step or its words. */
const SAID_ELSEWHERE: readonly CommitProblem['kind'][] = ['relay', 'no-quote', 'no-wallet', 'wrong-chain']

function CommitSection(props: TradeProps & { preview: CommitPreview }): ReactNode {
  const { state, act, trade, preview, chooseWallet } = props
  const { problem, shown, amount, premium, partner } = preview
  const isProving = state.tasks[`prove:${trade.requestId}`]?.kind === 'running'
  const verb = sideText(trade.side)
  const text =
    shown === null ? 'Waiting for the first quote' : `${verb} ${count(amount)} for ${usd(partner?.total ?? premium)}`
  return (
    <div className="stack-tight next-step">
      {problem !== null && !SAID_ELSEWHERE.includes(problem.kind) && <Notice tone="warning" title={problem.text} />}
      {isProving && (
        <Notice
          tone="info"
          title="Sign to show that the wallet is yours; this moves no money."
          hint="Your wallet asks for this once, before the maker is asked to sign your order."
        />
      )}
      <NextButton {...{ state, act, chooseWallet }} due={preview.due} needsWallet>
        {{
          text: isProving ? 'Sign in your wallet…' : text,
          run: () => act.commit(trade.requestId),
          isDisabled: problem !== null,
          isBusy: shown === null || isProving,
        }}
      </NextButton>
      {shown !== null && <Limits {...props} />}
      {trade.record.side !== undefined && (
        <Button kind="quiet" onPress={() => act.chooseSide(trade.requestId, null)} isDisabled={isProving}>
          Back to both prices
        </Button>
      )}
    </div>
  )
}

function Limits({ state, act, trade, preview }: TradeProps & { preview: CommitPreview }): ReactNode {
  const { limitText, minText } = state.ticket
  const { limitPrice, minContracts, bound, premium, partner } = preview
  const isBuy = trade.side === 'buy'
  return (
    <>
      <Facts
        facts={[
          [partner === null ? inAll(trade.side) : 'Premium', exactUsd(premium)],
          ...partnerFacts(partner, trade.side),
          [isBuy ? 'You pay at most' : 'You get at least', exactUsd(bound)],
          limitPrice === null ? null : [isBuy ? 'No worse than' : 'No less than', `${priceText(limitPrice)} each`],
          minContracts === null ? null : ['No fewer than', `${count(minContracts)} options`],
        ]}
      />
      <details className="more">
        <summary>Limits and payment</summary>
        <div className="stack-tight">
          <Field
            label={isBuy ? 'Highest price of an option' : 'Lowest price of an option'}
            prefix="$"
            inputMode="decimal"
            value={limitText ?? ''}
            placeholder="the price shown"
            onChange={(text) => act.edit({ limitText: text === '' ? null : text })}
          />
          <Field
            label="Fewest options"
            inputMode="numeric"
            value={minText ?? ''}
            placeholder="half of those shown"
            onChange={(text) => act.edit({ minText: text === '' ? null : text })}
          />
          <PayChoice state={state} act={act} />
        </div>
      </details>
    </>
  )
}
