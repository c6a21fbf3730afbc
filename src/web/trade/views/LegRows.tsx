import type { Leg } from '@rfqctl/client/index'
import { capital, strike } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import type { TradeAct } from '../act.ts'

const MOST = 4

export const LegRows = ({ legs, act }: { legs: readonly Leg[]; act: TradeAct }): ReactNode => (
  <ul className="legs" aria-label="Options in the package">
    {legs.map((leg) => {
      const name = `${capital(leg.optionType)} ${strike(leg.strikeBps)}`
      return (
        <li key={name}>
          <span>{name}</span>
          <span className="stepper">
            <Stepper
              text="−"
              label={`One ${name} less`}
              onPress={() => act.setLeg({ ...leg, quantity: after(leg.quantity, -1) })}
              isDisabled={leg.quantity <= -MOST}
            />
            <span className={leg.quantity > 0 ? 'gain strong' : 'loss strong'}>
              {leg.quantity > 0 ? `+${leg.quantity}` : `−${-leg.quantity}`}
            </span>
            <Stepper
              text="+"
              label={`One ${name} more`}
              onPress={() => act.setLeg({ ...leg, quantity: after(leg.quantity, 1) })}
              isDisabled={leg.quantity >= MOST}
            />
            <Stepper text="×" label={`Take ${name} out`} onPress={() => act.setLeg({ ...leg, quantity: 0 })} />
          </span>
        </li>
      )
    })}
  </ul>
)

/** From +1 the next step down is −1: 0 would remove the option, which has a button of its own. */
const after = (quantity: number, step: 1 | -1): number => (quantity + step === 0 ? step : quantity + step)

type StepperProps = { text: string; label: string; onPress: () => void; isDisabled?: boolean }

const Stepper = ({ text, label, onPress, isDisabled = false }: StepperProps): ReactNode => (
  <button type="button" className="stepper-button" aria-label={label} onClick={onPress} disabled={isDisabled}>
    {text}
  </button>
)
