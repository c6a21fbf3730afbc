import { count, exactUsd, legsText, markText, optionName, priceText, timeText } from '@rfqctl/lib/format'
import { ONE_USD, usd6 } from '@rfqctl/protocol/domain/units'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Choice } from '../../parts/Choice.tsx'
import { Check, Field } from '../../parts/Field.tsx'
import { Empty, Notice } from '../../parts/Notice.tsx'
import { Facts } from '../../parts/Stat.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { ladder, nextExpiry, type TicketView, ticketView } from '../view-model.ts'
import { LegRows } from './LegRows.tsx'
import { NextButton } from './NextButton.tsx'
import { PayoffSection } from './PayoffSection.tsx'
import { PrivacyChoice } from './PrivacyChoice.tsx'
import { PanelHead, runningText, TaskFailure } from './parts.tsx'

type TicketProps = {
  state: TradeState
  act: TradeAct
  chooseWallet: () => void
  onBack: () => void
  onChosen: () => void
}

export function TicketPanel(props: TicketProps): ReactNode {
  const { state, act, onBack } = props
  const ticket = ticketView(state)
  if (state.ticket.legs.length === 0) return <NothingChosen {...props} />
  const { option } = ticket
  return (
    <section className="panel" aria-label="Ticket">
      <PanelHead
        title={option === null ? 'Package' : optionName(option)}
        onBack={onBack}
        back="Back to the options"
        isBackNarrow
        aside={
          <Button kind="quiet" size="small" onPress={act.clearLegs}>
            Clear
          </Button>
        }
      />
      <div className="panel-body stack">
        {state.ticket.legs.length > 1 || option === null ? <LegRows legs={state.ticket.legs} act={act} /> : null}
        <TicketFields {...{ state, act, ticket }} />
        <PayoffSection state={state} />
        <TicketFacts {...{ state, ticket }} />
        <AskSection {...props} ticket={ticket} />
      </div>
    </section>
  )
}

function NothingChosen({ state, act, chooseWallet, onChosen }: TicketProps): ReactNode {
  const suggested = suggestion(state)
  return (
    <section className="panel" aria-label="Ticket">
      <PanelHead title="Trade" />
      <Empty
        title="Which way will it go?"
        hint="A call pays when YES ends above its strike, a put when it ends below. Who buys one can lose no more than its price."
      />
      <div className="panel-body stack">
        <TaskFailure {...{ state, act }} task="ask" />
        <NextButton {...{ state, act, chooseWallet }} due={ONE_USD}>
          {suggested !== null && {
            text: `Try the call at ${suggested.name}`,
            run: () => {
              act.chooseOption({ optionType: 'call', strikeBps: suggested.strikeBps })
              onChosen()
            },
          }}
        </NextButton>
      </div>
    </section>
  )
}

function suggestion(state: TradeState) {
  const open = ladder(state).flatMap(({ call, isAtSpot }) =>
    call === null || (call.phase !== 'open' && call.phase !== 'window') ? [] : [{ call, isAtSpot }],
  )
  const chosen = open.find(({ isAtSpot }) => isAtSpot) ?? open[0]
  if (chosen === undefined) return null
  const { strikeBps } = chosen.call
  return { strikeBps, name: optionName({ optionType: 'call', strikeBps }).replace('Call ', '') }
}

type PartProps = { state: TradeState; act: TradeAct; ticket: TicketView }

const BUDGETS = ['50', '250', '1000'] as const

function TicketFields({ state, act, ticket }: PartProps): ReactNode {
  const { side, budgetText, sizeText, firmOnly, inventory } = state.ticket
  const error = ticket.problem?.at === 'amount' ? ticket.problem.text : null
  return (
    <>
      <Choice
        label="Side"
        value={side}
        onChange={(chosen) => act.edit({ side: chosen })}
        choices={[
          { value: 'buy', text: 'Buy' },
          { value: 'sell', text: 'Sell' },
          ...(state.environment?.twoSided === true ? [{ value: 'both', text: 'Both' } as const] : []),
        ]}
      />
      {side === 'buy' ? (
        <Field
          label="Spend at most"
          prefix="$"
          inputMode="decimal"
          value={budgetText}
          onChange={(text) => act.edit({ budgetText: text })}
          error={error}
          aside={<Budgets act={act} />}
        />
      ) : (
        <Field
          label={side === 'both' ? 'Buy or sell' : 'Sell'}
          suffix="options"
          inputMode="numeric"
          value={sizeText}
          onChange={(text) => act.edit({ sizeText: text })}
          error={error}
        />
      )}
      {side === 'both' && (
        <p className="small muted">
          Makers quote a price to buy at and one to sell at. You choose once you see both, and they do not know your
          side.
        </p>
      )}
      <details className="more">
        <summary>More choices</summary>
        <div className="stack-tight">
          <Check
            label="Only firm quotes, whose makers have signed already"
            isChecked={firmOnly}
            onChange={(isChecked) => act.edit({ firmOnly: isChecked })}
          />
          <Check
            label="Options that the seller holds may be handed over"
            isChecked={inventory}
            onChange={(isChecked) => act.edit({ inventory: isChecked })}
          />
          <PrivacyChoice state={state} act={act} />
        </div>
      </details>
    </>
  )
}

const Budgets = ({ act }: { act: TradeAct }): ReactNode => (
  <span className="quick">
    {BUDGETS.map((budget) => (
      <button key={budget} type="button" className="quick-button" onClick={() => act.edit({ budgetText: budget })}>
        ${count(BigInt(budget))}
      </button>
    ))}
  </span>
)

function TicketFacts({ state, ticket }: Omit<PartProps, 'act'>): ReactNode {
  const { maxPayoff, valueNow, option, terms, trade } = ticket
  if (option === null) return null
  const legs = legsText(option)
  const mark = valueNow === null ? null : (state.marks.get(ticket.seriesId ?? '') ?? null)
  return (
    <Facts
      facts={[
        legs === null ? null : ['Legs', legs],
        terms === null ? null : ['Expires', timeText(terms.expiry)],
        mark === null ? null : ['Mark of one', markText(mark)],
        valueNow === null ? null : ['One pays if YES stays', priceText(valueNow)],
        maxPayoff === null ? null : ['One pays at most', priceText(maxPayoff)],
        trade?.side === 'sell' && maxPayoff !== null && state.ticket.side === 'sell'
          ? ['You lock at most', exactUsd(usd6(maxPayoff * trade.size))]
          : null,
      ]}
    />
  )
}

function AskSection({ state, act, ticket, chooseWallet }: TicketProps & { ticket: TicketView }): ReactNode {
  const { problem, isNewPackage, trade } = ticket
  const due = trade?.side === 'buy' ? trade.budget : ONE_USD
  const running = runningText(state.tasks.ask, { relay: 'Asking makers…' })
  const next = nextExpiry(state)
  return (
    <div className="stack-tight next-step">
      <TaskFailure {...{ state, act }} task="ask" />
      {problem !== null && problem.at !== 'amount' && problem.at !== 'relay' && (
        <Notice tone="warning" title={problem.text} />
      )}
      {isNewPackage && problem === null && (
        <Notice
          title="No one has traded this package yet."
          hint="Asking registers it first: one transaction, which costs gas only."
        />
      )}
      <NextButton {...{ state, act, chooseWallet, due }}>
        {next !== null
          ? { text: `Trade those until ${timeText(next)}`, run: () => act.chooseExpiry(next) }
          : {
              text: running ?? 'Ask for quotes',
              run: act.ask,
              isBusy: running !== null,
              isDisabled: problem !== null,
            }}
      </NextButton>
      <p className="faint small centred">Asking is free, and binds you to nothing.</p>
    </div>
  )
}
