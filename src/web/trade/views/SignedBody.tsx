import type { Side } from '@rfqctl/client/index'
import { count, exactUsd, priceText, usd } from '@rfqctl/lib/format'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type { ReactNode } from 'react'
import { Countdown } from '../../parts/Countdown.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { type Fact, Facts } from '../../parts/Stat.tsx'
import { walletProblem } from '../commit-view.ts'
import type { PartnerSums, TradeView } from '../trade-view.ts'
import { NextButton } from './NextButton.tsx'
import { PayChoice } from './PayChoice.tsx'
import { PayoffSection } from './PayoffSection.tsx'
import { ShortHex } from './parts.tsx'
import type { TradeProps } from './TradePanel.tsx'

/** Usual time in which an order can be filled, milliseconds: for the length of a bar. */
const ORDER_MS = 120_000

export function SignedBody(props: TradeProps): ReactNode {
  const { state, act, trade } = props
  const { phase, countdown, quote, fellBackFrom } = trade
  return (
    <>
      {phase === 'committed' && (
        <Notice
          tone="good"
          title={
            <>
              <bdi className="strong">{(quote?.makerId ?? 'The maker').slice(0, 40)}</bdi> has signed your order.
            </>
          }
          hint={
            fellBackFrom === null ? (
              'Pay it before it expires, or let it go: it costs nothing.'
            ) : (
              <>
                It took the place of <bdi>{fellBackFrom.slice(0, 40)}</bdi>, which did not sign, within your limits.
              </>
            )
          }
        />
      )}
      {phase === 'paying' && (
        <Notice
          tone="info"
          title="Your wallet asks you to confirm the payment."
          hint="Check that it shows the same figures."
        />
      )}
      <DealFacts trade={trade} />
      {countdown !== null && (
        <Countdown label="The order is valid for" leftMs={countdown.remainingMs} totalMs={ORDER_MS} />
      )}
      <PaySection {...props} />
      {phase === 'committed' && (
        <details className="more">
          <summary>Other ways to pay</summary>
          <div className="stack-tight">
            <PayChoice state={state} act={act} />
          </div>
        </details>
      )}
      <PayoffSection state={state} size="small" />
    </>
  )
}

export function DealFacts({ trade }: { trade: TradeView }): ReactNode {
  const { side, amount, price, premium, partner, due } = trade
  return (
    <Facts
      facts={[
        amount === null ? null : ['Options', count(amount)],
        price === null ? null : ['Price of each', priceText(price)],
        premium === null ? null : [partner !== null ? 'Premium' : inAll(side), exactUsd(premium)],
        ...partnerFacts(partner, side),
        side === 'sell' && due !== null && due > 0n ? ['You lock until settlement', exactUsd(due)] : null,
      ]}
    />
  )
}

export const inAll = (side: Side | null): string => (side === 'sell' ? 'You get' : 'You pay')

/** The partner's share and the sum with it. */
export const partnerFacts = (partner: PartnerSums | null, side: Side | null): Fact[] =>
  partner === null
    ? []
    : [
        [`Fee of this page, ${partner.fee.bps / 100}% of it`, exactUsd(partner.share)],
        [`${inAll(side)} in all`, exactUsd(partner.total)],
      ]

function PaySection({ state, act, trade, chooseWallet }: TradeProps): ReactNode {
  const { phase, record, requestId, due, premium, partner, side } = trade
  const { stage } = record
  if (phase !== 'committed') {
    const hash = stage.kind === 'filling' ? stage.hashes.at(-1) : undefined
    const text = phase === 'pending' ? 'Waiting for the chain…' : 'Confirm in your wallet…'
    return (
      <div className="stack-tight next-step">
        <NextButton {...{ state, act, chooseWallet }} due={usd6(0n)}>
          {{ text, run: () => {}, isBusy: true }}
        </NextButton>
        {hash !== undefined && (
          <p className="small muted centred" role="status">
            Transaction <ShortHex hex={hash} state={state} /> is on its way.
          </p>
        )}
      </div>
    )
  }
  const problem = walletProblem(state, { due: due ?? usd6(0n), payBy: state.ticket.payBy })
  const sum = partner?.total ?? premium
  const amountText = sum === null ? '' : `: ${side === 'buy' ? 'pay' : 'get'} ${usd(sum)}`
  return (
    <div className="stack-tight next-step">
      {problem !== null && <Notice tone="warning" title={problem.text} />}
      <NextButton {...{ state, act, chooseWallet }} due={due ?? usd6(0n)} needsWallet>
        {{
          text: `Sign and fill${amountText}`,
          run: () => act.fill(requestId, state.ticket.payBy),
          isDisabled: problem !== null,
        }}
      </NextButton>
    </div>
  )
}
