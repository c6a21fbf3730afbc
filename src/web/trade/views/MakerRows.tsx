import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import type { TradeAct } from '../act.ts'
import { isFull } from '../privacy.ts'
import type { TradeState } from '../state.ts'
import { Stranger } from './parts.tsx'

type MakerRowsProps = { state: TradeState; act: TradeAct; makers: readonly string[]; label: string }

/** Makers by name, each with a button that leaves it out of later requests, or takes it in again. */
export const MakerRows = ({ state: { privacy }, act, makers, label }: MakerRowsProps): ReactNode => (
  <ul className="makers small" aria-label={label}>
    {makers.map((makerId) => {
      const { exceptMakers } = privacy
      const isLeftOut = exceptMakers.includes(makerId)
      const text = isLeftOut ? 'Ask it again' : 'Never ask this maker'
      const others = exceptMakers.filter((each) => each !== makerId)
      return (
        <li key={makerId}>
          <Stranger text={makerId} />
          <Button
            kind="quiet"
            size="small"
            label={`${text}: ${safeText(makerId)}`}
            isDisabled={!isLeftOut && isFull(privacy)}
            onPress={() => act.choosePrivacy({ exceptMakers: isLeftOut ? others : [...others, makerId] })}
          >
            {text}
          </Button>
        </li>
      )
    })}
  </ul>
)
