import type { Usd6 } from '@rfqctl/client/index'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { FailureNotice, NextStep, TaskFailure } from './parts.tsx'
import { walletStep } from './wallet-step.ts'

export type Step = { text: string; run: () => void; isBusy?: boolean; isDisabled?: boolean }

type NextButtonProps = {
  state: TradeState
  act: TradeAct
  chooseWallet: () => void
  due: Usd6
  children: Step | false
  /** Whether the step needs what the wallet lacks: asking for quotes does not, paying does. */
  needsWallet?: boolean
}

/**
 * The one next step of a screen. While the wallet lacks something, getting that is the step, and the one after it waits
 * beside it, if it is possible already.
 */
export function NextButton(props: NextButtonProps): ReactNode {
  const { state, act, chooseWallet, due, children: step, needsWallet = false } = props
  const before = walletStep(state, { act, due, chooseWallet })
  const { wallet, link, environment } = state
  const isAway = link.kind !== 'live'
  const isFirst = before === null || (step !== false && step.isBusy === true)
  const StepButton = isFirst ? NextStep : LaterStep
  return (
    <>
      {wallet.failure !== null && <FailureNotice failure={wallet.failure} onDismiss={() => act.dismiss('wallet')} />}
      <TaskFailure {...{ state, act }} task="faucet" />
      {before === null && wallet.standing.kind === 'none' && environment !== null && (
        <Notice title="This browser has no wallet." hint="Install one to trade; you can ask for quotes without." />
      )}
      {!isFirst && (
        <NextStep onPress={before.run} isBusy={before.isBusy} isDisabled={isAway}>
          {before.text}
        </NextStep>
      )}
      {step !== false && (isFirst || !needsWallet) && (
        <StepButton onPress={step.run} isBusy={step.isBusy ?? false} isDisabled={isAway || (step.isDisabled ?? false)}>
          {step.text}
        </StepButton>
      )}
    </>
  )
}

const LaterStep = (button: ComponentProps<typeof NextStep>): ReactNode => <Button size="large" {...button} />
