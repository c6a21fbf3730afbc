import type { ReactNode } from 'react'
import type { OperateAct } from '../../../src/web/operate/act.ts'
import { Operate } from '../../../src/web/operate/Operate.tsx'
import { SignIn, TokenForm } from '../../../src/web/operate/SignIn.tsx'
import '../../../src/web/operate/operate.css'
import type { TradeAct } from '../../../src/web/trade/act.ts'
import { TradeView } from '../../../src/web/trade/views/TradeView.tsx'
import { OPERATE_STATES } from '../../web/operate-states.ts'
import { TRADE_STATES } from '../../web/trade-states.ts'
import { PICTURES, type Picture } from './pictures.ts'

type Sample = { name: string; draw: () => ReactNode }

const nothing = () => {}

/** Every act of a view does nothing: a picture stands still. */
const IDLE = new Proxy({} as TradeAct & OperateAct, { get: () => nothing })

/** States that are drawn with the dialog of the wallet open. */
const WITH_DIALOG: ReadonlySet<string> = new Set(['no wallet offered', 'wallet connecting', 'empty wallet'])

function draw({ page, state }: Picture): ReactNode {
  if (page === 'operate') {
    const drawn = OPERATE_STATES[state]
    if (drawn === undefined) return <SignIn onToken={nothing} />
    return <Operate state={drawn} act={IDLE} retry={<TokenForm onToken={nothing} />} />
  }
  const drawn = TRADE_STATES[state]
  return drawn === undefined ? null : (
    <TradeView state={drawn} act={IDLE} looks={{ isWalletOpen: WITH_DIALOG.has(state) }} />
  )
}

export const SAMPLES: readonly Sample[] = PICTURES.map((picture) => ({ name: picture.name, draw: () => draw(picture) }))
