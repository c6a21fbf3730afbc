import { shortAddress, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Badge } from '../../parts/Notice.tsx'
import { TopBar } from '../../parts/TopBar.tsx'
import type { TradeState } from '../state.ts'
import { activeTrade } from '../trade-view.ts'

export function TradeBar({ state, onWallet }: { state: TradeState; onWallet: () => void }): ReactNode {
  const { standing, funds } = state.wallet
  return (
    <TopBar
      here="trade"
      aside={
        <>
          <Place state={state} />
          <LinkBadge state={state} />
          {funds !== null && <span className="funds strong">{usd(funds.stablecoin)}</span>}
          <span className="wallet-wide">
            <Button
              size="small"
              onPress={onWallet}
              label={standing.kind === 'connected' ? `Wallet ${shortAddress(standing.address)}` : 'Connect a wallet'}
            >
              {standing.kind === 'connected' ? shortAddress(standing.address) : 'Connect'}
            </Button>
          </span>
        </>
      }
    />
  )
}

function Place({ state: { environment } }: { state: TradeState }): ReactNode {
  if (environment === null) return null
  if (environment.mode === 'simulated') return <Badge tone="warning">Simulated</Badge>
  return environment.sandbox ? <Badge tone="info">Sandbox</Badge> : <Badge>{`Chain ${environment.chainId}`}</Badge>
}

const LINKS = {
  live: ['good', 'Live'],
  interrupted: ['warning', 'Stale'],
  lost: ['bad', 'Lost'],
  connecting: ['neutral', 'Connecting'],
} as const

function LinkBadge({ state }: { state: TradeState }): ReactNode {
  const trade = activeTrade(state)
  // The stream of quotes breaks at once, and the relay is asked only every few seconds.
  const isInterrupted = trade?.record.stage.kind === 'quoting' && trade.race?.stream.kind === 'lost'
  const [tone, text] = LINKS[state.link.kind === 'live' && isInterrupted ? 'interrupted' : state.link.kind]
  return (
    <span role="status">
      <Badge tone={tone}>
        <span className="dot" aria-hidden="true" />
        {text}
      </Badge>
    </span>
  )
}
