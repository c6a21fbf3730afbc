import type { ReactNode } from 'react'
import { Field, Select } from '../../parts/Field.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import type { PayBy } from '../trade-record.ts'
import { PAY_TEXTS } from './words.ts'

export function PayChoice({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const { ticket, environment } = state
  const ways = (Object.keys(PAY_TEXTS) as PayBy[]).filter((way) => way !== 'relayer' || environment?.relayerUrl != null)
  if (environment?.mode === 'simulated') return null
  return (
    <>
      <Select
        label="Pay by"
        value={ticket.payBy}
        onChange={(payBy) => act.edit({ payBy })}
        options={ways.map((way) => ({ value: way, text: PAY_TEXTS[way] }))}
      />
      {ticket.payBy === 'relayer' && (
        <Field
          label="Fee of the relayer, at most"
          prefix="$"
          inputMode="decimal"
          value={ticket.maxFeeText}
          onChange={(text) => act.edit({ maxFeeText: text })}
        />
      )}
    </>
  )
}
