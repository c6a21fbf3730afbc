import { shortAddress, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Badge } from '../../parts/Notice.tsx'
import { TopBar } from '../../parts/TopBar.tsx'
import type { TradeState } from '../state.ts'

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

function LinkBadge({ state: { link } }: { state: TradeState }): ReactNode {
  const [tone, text] =
    link.kind === 'live'
      ? (['good', 'Live'] as const)
      : link.kind === 'lost'
        ? (['bad', 'Lost'] as const)
        : (['neutral', 'Connecting'] as const)
  return (
    <span role="status">
      <Badge tone={tone}>
        <span className="dot" aria-hidden="true" />
        {text}
      </Badge>
    </span>
  )
}
