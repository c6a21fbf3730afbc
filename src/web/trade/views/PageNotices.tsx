import { countdown, timeText, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { PageAddress } from '../address.ts'
import type { TradeState } from '../state.ts'
import { linkView } from '../view-model.ts'
import { TaskFailure } from './parts.tsx'

/** A finished action is news for this long, milliseconds. */
const NEWS_MS = 8_000

export function PageNotices({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const { warp, faucet } = state.tasks
  const isNews = (at: number) => state.now - at < NEWS_MS
  return (
    <div className="page-notices stack-tight">
      <LinkNotice state={state} act={act} />
      <WrongChain state={state} />
      {state.arrival.kind === 'unknown' && <Notice tone="warning" {...UNKNOWN_TEXTS[state.arrival.address.kind]} />}
      <TaskFailure {...{ state, act }} task="switch" />
      {state.isForgetful && (
        <Notice
          tone="warning"
          title="This browser keeps nothing for this page."
          hint="After a reload, open requests are lost. Allow it to keep data, or leave the page open until you have paid."
        />
      )}
      {warp?.kind === 'running' && <Notice tone="info" title="The sandbox moves its chain to the expiry…" />}
      {warp?.kind === 'done' && isNews(warp.at) && warp.outcome.kind === 'warped' && (
        <Notice
          tone="good"
          title={`The sandbox's chain is at ${timeText(warp.outcome.chainTime)} now.`}
          onDismiss={() => act.dismiss({ task: 'warp' })}
        />
      )}
      {faucet?.kind === 'done' && isNews(faucet.at) && faucet.outcome.kind === 'funded' && (
        <Notice
          tone="good"
          title={`${usd(faucet.outcome.amount)} of test dollars are in your wallet.`}
          onDismiss={() => act.dismiss({ task: 'faucet' })}
        />
      )}
    </div>
  )
}

const NO_SERIES = {
  title: 'This relay does not list the option of this address.',
  hint: 'Choose another one below.',
}

const UNKNOWN_TEXTS: Readonly<Record<PageAddress['kind'], { title: string; hint: string }>> = {
  home: NO_SERIES,
  market: { title: 'This relay does not list the market of this address.', hint: 'Choose another one below.' },
  series: NO_SERIES,
  position: NO_SERIES,
  history: NO_SERIES,
  trade: {
    title: 'This browser does not have the trade of this address.',
    hint: 'A trade is kept in the browser that made it. What a wallet holds is in its positions.',
  },
}

function LinkNotice({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const link = linkView(state)
  if (link.kind === 'live') return null
  if (link.failure === null) return null
  const retry = link.retryInMs === null ? 'Trying again now.' : `Trying again in ${countdown(link.retryInMs)}.`
  const title =
    link.kind === 'lost'
      ? 'The relay does not answer. What you see is as it was last.'
      : 'The relay does not answer yet.'
  return (
    <Notice
      tone={link.kind === 'lost' ? 'warning' : 'bad'}
      title={title}
      hint={
        <>
          {link.failure.message.slice(0, 300)} <span aria-live="off">{retry}</span>
        </>
      }
    >
      <Button size="small" kind={link.kind === 'connecting' ? 'primary' : 'secondary'} onPress={act.reconnect}>
        Try now
      </Button>
    </Notice>
  )
}

function WrongChain({ state: { wallet, environment } }: { state: TradeState }): ReactNode {
  const { standing } = wallet
  if (environment === null || environment.mode === 'simulated' || standing.kind !== 'connected') return null
  if (standing.chainId === null || standing.chainId === environment.chainId) return null
  return (
    <Notice
      tone="warning"
      title={`Your wallet is on chain ${standing.chainId}, and this relay settles on chain ${environment.chainId}.`}
      hint="Switch it before you pay."
    />
  )
}
