import { runTask, type SessionContext } from './context.ts'
import { failureOf } from './failure.ts'
import type { ConnectedWallet, WalletOffer } from './ports.ts'
import type { WalletStanding } from './state.ts'
import type { TradeStorage } from './trade-storage.ts'

export type WalletLink = ReturnType<typeof createWalletLink>

/** The page makes this account for people without a wallet. */
export const SANDBOX_OFFER: WalletOffer = { id: 'sandbox', name: 'Sandbox account', icon: null, kind: 'sandbox' }

export function createWalletLink(context: SessionContext, keep: TradeStorage) {
  const { ports, dispatch, get } = context
  let current: ConnectedWallet | null = null
  let unsubscribe = () => {}
  // The last choice counts: an owner may answer one wallet after having chosen another.
  let turn = 0

  function stand(standing: WalletStanding): void {
    dispatch({ kind: 'wallet-stands', standing })
  }

  function drop(): void {
    unsubscribe()
    unsubscribe = () => {}
    current = null
    stand({ kind: 'none' })
  }

  /**
   * One listener serves a wallet while it is in use: a wallet may call listeners that are added during its calls,
   * without end.
   */
  function use(offer: WalletOffer, wallet: ConnectedWallet): void {
    unsubscribe()
    hold(offer, wallet)
    unsubscribe = wallet.onChange(({ address, chainId }) => {
      if (address === null) return drop()
      hold(offer, { ...wallet, address, chainId })
    })
  }

  function hold({ id: offerId, name, kind: walletKind }: WalletOffer, wallet: ConnectedWallet): void {
    current = wallet
    const { address, chainId } = wallet
    stand({ kind: 'connected', offerId, name, walletKind, address, chainId })
  }

  async function open(offer: WalletOffer, silent: boolean): Promise<void> {
    turn += 1
    const own = turn
    if (!silent) stand({ kind: 'connecting', offerId: offer.id })
    dispatch({ kind: 'wallet-failed', failure: null })
    try {
      const wallet = await ports.wallets.open(offer.id, { silent })
      if (own !== turn || context.signal.aborted) return
      if (wallet === null) return silent ? undefined : drop()
      keep.saveWallet(offer.id)
      use(offer, wallet)
    } catch (error) {
      if (own !== turn || context.signal.aborted) return
      drop()
      dispatch({ kind: 'wallet-failed', failure: failureOf(error) })
    }
  }

  return {
    current: () => current,
    connect: async (offerId: string) => {
      const offer = get().wallet.offers.find(({ id }) => id === offerId)
      if (offer !== undefined) await open(offer, false)
    },
    disconnect: () => {
      turn += 1
      keep.saveWallet(null)
      drop()
    },
    switchChain: () =>
      runTask(context, 'switch', async ({ step }) => {
        const { environment } = get()
        if (current === null || environment === null) throw new Error('Connect a wallet first.')
        step('wallet')
        await current.switchChain(environment)
        return { kind: 'switched' }
      }),
    offer: (offer: WalletOffer) => {
      dispatch({ kind: 'wallet-offered', offer })
      // The owner may be choosing another one just now.
      if (get().wallet.standing.kind === 'none' && keep.wallet() === offer.id) void open(offer, true)
    },
    close: () => unsubscribe(),
  }
}
