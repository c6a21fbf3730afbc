import { WalletError } from '@rfqctl/client/errors'
import type { Address } from '@rfqctl/client/index'
import type { EIP1193Provider, PrivateKeyAccount } from 'viem'
import { getAddress } from 'viem/utils'
import type { ConnectedWallet, Environment, Wallets } from './ports.ts'

export type WalletPorts = {
  /** Wallets announce themselves on it (EIP-6963). */
  window: Pick<EventTarget, 'addEventListener' | 'removeEventListener' | 'dispatchEvent'>
  /** The older wallet injected into the page; undefined without one. */
  injected: EIP1193Provider | undefined
  /** Loads the account's code on demand, so that people with a wallet of their own need not download it. */
  openSandboxAccount: () => Promise<PrivateKeyAccount>
  /** Wallets reach the sandbox's chain here. */
  sandboxRpcUrl: string
}

/** Characters; a longer picture is not shown. */
const MAX_ICON = 100_000

export function createWallets(ports: WalletPorts): Wallets {
  const found = new Map<string, EIP1193Provider>()
  return {
    discover: (hear) => {
      const onAnnounce = (event: Event) => {
        const announced = readAnnouncement((event as CustomEvent).detail)
        if (announced === null || announced.offer.id === 'sandbox') return
        found.set(announced.offer.id, announced.provider)
        hear(announced.offer)
      }
      ports.window.addEventListener('eip6963:announceProvider', onAnnounce)
      ports.window.dispatchEvent(new Event('eip6963:requestProvider'))
      // Announcements come during the request: a wallet that made none is an older one.
      if (ports.injected !== undefined && found.size === 0) {
        found.set('injected', ports.injected)
        hear({ id: 'injected', name: 'Browser wallet', icon: null, kind: 'injected' })
      }
      return () => ports.window.removeEventListener('eip6963:announceProvider', onAnnounce)
    },
    open: async (id, { silent }) => {
      if (id === 'sandbox') return openSandbox(ports)
      const provider = found.get(id)
      return provider === undefined ? null : openInjected(provider, { silent, ports })
    },
  }
}

/** A stranger's texts; a picture from another address is dropped. */
function readAnnouncement(detail: unknown) {
  const { info, provider } = (detail ?? {}) as {
    info?: { uuid?: unknown; rdns?: unknown; name?: unknown; icon?: unknown }
    provider?: EIP1193Provider
  }
  if (typeof provider?.request !== 'function' || typeof info?.name !== 'string') return null
  const id = [info.rdns, info.uuid].find((each): each is string => typeof each === 'string' && each !== '')
  if (id === undefined || id.length > 200) return null
  const { icon } = info
  const isPicture = typeof icon === 'string' && icon.startsWith('data:image/') && icon.length <= MAX_ICON
  const offer = { id, name: info.name.slice(0, 100), icon: isPicture ? icon : null, kind: 'injected' as const }
  return { offer, provider }
}

async function openSandbox({ openSandboxAccount }: WalletPorts): Promise<ConnectedWallet> {
  const account = await openSandboxAccount()
  return {
    address: account.address,
    chainId: null,
    signer: account,
    switchChain: async () => {},
    onChange: () => () => {},
  }
}

async function openInjected(
  provider: EIP1193Provider,
  { silent, ports }: { silent: boolean; ports: WalletPorts },
): Promise<ConnectedWallet | null> {
  const accounts = await toldByOwner(provider.request({ method: silent ? 'eth_accounts' : 'eth_requestAccounts' }))
  const [address] = accounts
  if (address === undefined) {
    if (silent) return null
    throw new WalletError('The wallet gives no access to any account.', {
      code: 'wallet_no_account',
      hint: 'Unlock the wallet, connect an account to this page, and try again.',
    })
  }
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  return {
    address: getAddress(address),
    chainId,
    signer: provider,
    switchChain: (environment) => switchChain(provider, environment, ports),
    onChange: (hear) => listen(provider, { address: getAddress(address), chainId }, hear),
  }
}

/** EIP-1193: the owner said no; EIP-3326: the wallet does not know the chain. */
const REJECTED = 4_001
const UNKNOWN_CHAIN = 4_902

async function toldByOwner<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== REJECTED) throw cause
    throw new WalletError('The owner of the wallet rejected the request.', {
      code: 'wallet_rejected',
      hint: 'Try again, and approve the request in the wallet.',
      cause,
    })
  }
}

async function switchChain(
  provider: EIP1193Provider,
  { chainId, sandbox }: Environment,
  { sandboxRpcUrl }: WalletPorts,
): Promise<void> {
  const hex = `0x${chainId.toString(16)}` as const
  try {
    await toldByOwner(provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] }))
  } catch (error) {
    if (!sandbox || (error as { code?: unknown }).code !== UNKNOWN_CHAIN) throw error
    const chain = {
      chainId: hex,
      chainName: 'rfqctl sandbox',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: [sandboxRpcUrl],
    }
    await toldByOwner(provider.request({ method: 'wallet_addEthereumChain', params: [chain] }))
  }
}

function listen(
  provider: EIP1193Provider,
  first: { address: Address; chainId: number },
  hear: (change: { address: Address | null; chainId: number | null }) => void,
): () => void {
  let now: { address: Address | null; chainId: number } = first
  const tell = (change: Partial<typeof now>) => {
    now = { ...now, ...change }
    hear(now)
  }
  const onAccounts = ([address]: readonly Address[]) =>
    tell({ address: address === undefined ? null : getAddress(address) })
  const onChain = (chainId: string) => tell({ chainId: Number(chainId) })
  const onDisconnect = () => tell({ address: null })
  provider.on?.('accountsChanged', onAccounts)
  provider.on?.('chainChanged', onChain)
  provider.on?.('disconnect', onDisconnect)
  return () => {
    provider.removeListener?.('accountsChanged', onAccounts)
    provider.removeListener?.('chainChanged', onChain)
    provider.removeListener?.('disconnect', onDisconnect)
  }
}
