import type { Usd6 } from '@rfqctl/client/index'
import { usd } from '@rfqctl/lib/format'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'

type WalletStep = { text: string; run: () => void; isBusy: boolean }
type Chooser = { act: TradeAct; chooseWallet: () => void }

/**
 * The wallet's next need to pay `due`; null if it needs nothing, or the page can do nothing about it. `chooseWallet`
 * opens the choice of several.
 */
export function walletStep(state: TradeState, { act, due, chooseWallet }: Chooser & { due: Usd6 }): WalletStep | null {
  const { wallet, environment, tasks } = state
  const { standing, funds } = wallet
  if (standing.kind !== 'connected') return connectStep(state, { act, chooseWallet })
  if (environment === null || environment.mode === 'simulated') return null
  if (standing.chainId !== null && standing.chainId !== environment.chainId) {
    const isBusy = tasks.switch?.kind === 'running'
    const text = isBusy ? 'Confirm in your wallet…' : `Switch to chain ${environment.chainId}`
    return { text, run: act.switchChain, isBusy }
  }
  if (environment.faucet === null || funds === null || (funds.stablecoin >= due && funds.stablecoin > 0n)) return null
  const isBusy = tasks.faucet?.kind === 'running'
  const text = isBusy
    ? 'Test dollars are on their way…'
    : `Get ${usd(environment.faucet.amount).replace('.00', '')} of test dollars`
  return { text, run: act.requestFunds, isBusy }
}

/** In a sandbox its own account comes first, as it costs nothing. */
function connectStep({ wallet }: TradeState, { act, chooseWallet }: Chooser): WalletStep | null {
  const { offers, standing } = wallet
  if (standing.kind === 'connecting') return { text: 'Confirm in your wallet…', run: () => {}, isBusy: true }
  const sandbox = offers.find(({ kind }) => kind === 'sandbox')
  if (sandbox !== undefined) {
    return { text: 'Start with a test account', run: () => act.connect(sandbox.id), isBusy: false }
  }
  const [only, ...others] = offers
  if (only === undefined) return null
  if (others.length > 0) return { text: 'Connect a wallet', run: chooseWallet, isBusy: false }
  return { text: 'Connect your wallet', run: () => act.connect(only.id), isBusy: false }
}
