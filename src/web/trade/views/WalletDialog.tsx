import { coin, duration, usd } from '@rfqctl/lib/format'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Empty, Notice } from '../../parts/Notice.tsx'
import { Facts } from '../../parts/Stat.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState, WalletStanding } from '../state.ts'
import { FailureNotice, ShortHex, Stranger, TaskFailure } from './parts.tsx'

type WalletProps = { state: TradeState; act: TradeAct; isOpen: boolean; onClose: () => void }

export function WalletDialog({ isOpen, onClose, ...props }: WalletProps): ReactNode {
  const { standing } = props.state.wallet
  const isConnected = standing.kind === 'connected'
  const wasConnected = useRef(isConnected)
  useEffect(() => {
    // The dialog has done its work, and the page behind it says what comes next, such as another chain.
    if (isConnected && !wasConnected.current) onClose()
    wasConnected.current = isConnected
  }, [isConnected, onClose])
  return (
    <Dialog title={isConnected ? 'Wallet' : 'Connect a wallet'} isOpen={isOpen} onClose={onClose}>
      <WalletBody {...props} />
    </Dialog>
  )
}

export function WalletBody({ state, act }: Pick<WalletProps, 'state' | 'act'>): ReactNode {
  const { wallet } = state
  const { standing, failure } = wallet
  return (
    <>
      {failure !== null && <FailureNotice failure={failure} onDismiss={() => act.dismiss('wallet')} />}
      {standing.kind === 'connected' ? <Connected {...{ state, act, standing }} /> : <Offers {...{ state, act }} />}
      <Relay state={state} />
    </>
  )
}

function Offers({ state, act }: Pick<WalletProps, 'state' | 'act'>): ReactNode {
  const { offers, standing } = state.wallet
  if (offers.length === 0) {
    return (
      <Empty
        title="No wallet found"
        hint="Install a wallet in this browser, such as one that announces itself by EIP-6963, and it appears here."
      />
    )
  }
  return (
    <ul className="stack-tight">
      {offers.map(({ id, name, kind, icon }) => {
        const isConnecting = standing.kind === 'connecting' && standing.offerId === id
        return (
          <li key={id}>
            <button
              type="button"
              className="offer"
              disabled={standing.kind === 'connecting'}
              onClick={() => act.connect(id)}
            >
              {icon === null ? (
                <span className="offer-icon">
                  <Icon name="wallet" />
                </span>
              ) : (
                <img className="offer-icon" src={icon} alt="" />
              )}
              <span className="offer-name">
                <Stranger text={name} />
                <span className="small faint">
                  {isConnecting
                    ? 'Confirm in your wallet…'
                    : kind === 'sandbox'
                      ? 'A key made by this page, for test dollars only'
                      : 'In this browser'}
                </span>
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

type ConnectedProps = Pick<WalletProps, 'state' | 'act'> & { standing: Extract<WalletStanding, { kind: 'connected' }> }

function Connected({ state, act, standing }: ConnectedProps): ReactNode {
  const { wallet, environment, tasks } = state
  const { faucet } = tasks
  return (
    <>
      <Facts
        facts={[
          ['Wallet', <Stranger key="name" text={standing.name} />],
          [
            'Address',
            <code key="address" className="address">
              {standing.address}
            </code>,
          ],
          wallet.funds === null ? null : ['Dollars', usd(wallet.funds.stablecoin)],
          wallet.funds === null ? null : ['Coin for gas', coin(wallet.funds.coin)],
        ]}
      />
      {standing.walletKind === 'sandbox' && (
        <Notice
          title="This page has made the key of this account."
          hint="It is kept in this browser and worth nothing outside of the sandbox."
        />
      )}
      <TaskFailure {...{ state, act }} task="faucet" />
      <div className="row">
        {environment?.faucet != null && (
          <Button onPress={act.requestFunds} isBusy={faucet?.kind === 'running'}>
            {`Get ${usd(environment.faucet.amount).replace('.00', '')} of test dollars`}
          </Button>
        )}
        <Button kind="quiet" onPress={act.disconnect}>
          Disconnect
        </Button>
      </div>
      {environment?.faucet != null && environment.faucet.cooldownMs > 0 && (
        <p className="small faint">{`Once every ${duration(environment.faucet.cooldownMs)}.`}</p>
      )}
    </>
  )
}

/** People trust this page's origin for these addresses, so it shows them. */
function Relay({ state }: { state: TradeState }): ReactNode {
  const { environment } = state
  if (environment === null) return null
  const { mode, chainId, settlementAddress, coreAddress, stablecoinAddress, relayerUrl } = environment
  return (
    <details className="more">
      <summary>The relay and its contracts</summary>
      <Facts
        facts={[
          ['Trades settle', mode === 'onchain' ? `on chain ${chainId}` : 'nowhere: it simulates'],
          ['Settlement contract', <ShortHex key="settlement" hex={settlementAddress} state={state} />],
          ['Core contract', <ShortHex key="core" hex={coreAddress} state={state} />],
          ['Stablecoin', <ShortHex key="stablecoin" hex={stablecoinAddress} state={state} />],
          relayerUrl === null ? null : ['Relayer', <Stranger key="relayer" text={relayerUrl} />],
        ]}
      />
    </details>
  )
}
