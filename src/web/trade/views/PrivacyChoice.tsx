import type { ReactNode } from 'react'
import { Check } from '../../parts/Field.tsx'
import type { TradeAct } from '../act.ts'
import { isKept } from '../privacy.ts'
import type { TradeState } from '../state.ts'
import { MakerRows } from './MakerRows.tsx'

/** The privacy of requests. A choice that an older relay cannot keep stays visible, so that it can be taken back. */
export function PrivacyChoice({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const { exceptMakers, isBlind } = state.privacy
  return (
    <>
      {(isBlind || isKept(state, 'blind')) && (
        <>
          <Check
            label="Keep my wallet from makers until one signs"
            isChecked={isBlind}
            onChange={(isChecked) => act.choosePrivacy({ isBlind: isChecked })}
          />
          <p className="small muted">
            Without this, a request that closes a position shows your wallet to all makers; with it, only the one that
            is asked to sign learns it.
          </p>
        </>
      )}
      {exceptMakers.length > 0 && (
        <>
          <p className="small muted">These makers do not hear of your requests:</p>
          <MakerRows {...{ state, act }} makers={exceptMakers} label="Makers that you never ask" />
        </>
      )}
    </>
  )
}
