import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { WalletOffer } from '../../../src/web/trade/ports.ts'
import { openSandboxAccount } from '../../../src/web/trade/sandbox-account.ts'
import { createWallets, type WalletPorts } from '../../../src/web/trade/wallets.ts'
import { createFakeWallet } from '../../client/fake-wallet.ts'
import { ENVIRONMENT } from '../trade-samples.ts'

const account = privateKeyToAccount(generatePrivateKey())

/** A page on which wallets may announce themselves. */
function page(over: Partial<WalletPorts> = {}) {
  const window = new EventTarget()
  const offers: WalletOffer[] = []
  const wallets = createWallets({
    window,
    injected: undefined,
    openSandboxAccount: async () => account,
    sandboxRpcUrl: 'http://relay/sandbox/rpc',
    ...over,
  })
  const announce = (info: object, provider: unknown) =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  return { window, wallets, offers, announce, hear: (offer: WalletOffer) => void offers.push(offer) }
}

const INFO = { rdns: 'io.example', uuid: '1', name: 'Example', icon: 'data:image/svg+xml,<svg/>' }

describe('wallets of a page', () => {
  it('are those that announce themselves when asked (EIP-6963)', () => {
    const { window, wallets, offers, announce, hear } = page()
    const { provider } = createFakeWallet({ account, chainId: 1 })
    window.addEventListener('eip6963:requestProvider', () => announce(INFO, provider))
    wallets.discover(hear)
    expect(offers).toEqual([{ id: 'io.example', name: 'Example', icon: INFO.icon, kind: 'injected' }])
  })

  it('show no picture from elsewhere, and no name without end', () => {
    const { wallets, offers, announce, hear } = page()
    wallets.discover(hear)
    const { provider } = createFakeWallet({ account, chainId: 1 })
    announce({ ...INFO, name: 'x'.repeat(1_000), icon: 'https://elsewhere/spy.png' }, provider)
    announce({ ...INFO, rdns: 'sandbox' }, provider)
    announce(INFO, null)
    announce({ ...INFO, name: 1 }, provider)
    expect(offers).toEqual([{ id: 'io.example', name: 'x'.repeat(100), icon: null, kind: 'injected' }])
  })

  it('are the older one that is just there, where none announces itself', () => {
    const { provider } = createFakeWallet({ account, chainId: 1 })
    const { wallets, offers, hear } = page({ injected: provider })
    wallets.discover(hear)
    expect(offers.map(({ id }) => id)).toEqual(['injected'])
  })

  it('are opened silently only where their owner let the page see an account before', async () => {
    const wallet = createFakeWallet({ account, chainId: 5 })
    const { wallets, announce, hear } = page()
    wallets.discover(hear)
    announce(INFO, wallet.provider)
    expect(await wallets.open('io.example', { silent: true })).toBeNull()
    expect(wallet.asked).not.toContain('eth_requestAccounts')
    expect(await wallets.open('io.example', { silent: false })).toMatchObject({ address: account.address, chainId: 5 })
    expect(await wallets.open('io.example', { silent: true })).toMatchObject({ address: account.address })
  })

  it('say in our words that their owner refused', async () => {
    const wallet = createFakeWallet({ account, chainId: 5 })
    wallet.answers = 'rejects'
    const { wallets, announce, hear } = page()
    wallets.discover(hear)
    announce(INFO, wallet.provider)
    await expect(wallets.open('io.example', { silent: false })).rejects.toMatchObject({ code: 'wallet_rejected' })
  })

  it('learn the chain of a sandbox where they do not know it', async () => {
    const asked: unknown[] = []
    const provider = {
      request: async ({ method, params }: { method: string; params?: unknown }) => {
        if (method === 'eth_requestAccounts') return [account.address]
        if (method === 'eth_chainId') return '0x1'
        asked.push([method, params])
        if (method === 'wallet_switchEthereumChain') throw Object.assign(new Error('unknown'), { code: 4_902 })
        return null
      },
    }
    const { wallets, announce, hear } = page()
    wallets.discover(hear)
    announce(INFO, provider)
    const wallet = await wallets.open('io.example', { silent: false })
    await wallet?.switchChain(ENVIRONMENT)
    expect(asked).toMatchObject([
      ['wallet_switchEthereumChain', [{ chainId: '0x7a69' }]],
      ['wallet_addEthereumChain', [{ chainId: '0x7a69', rpcUrls: ['http://relay/sandbox/rpc'] }]],
    ])
    asked.length = 0
    await expect(wallet?.switchChain({ ...ENVIRONMENT, sandbox: false })).rejects.toMatchObject({ code: 4_902 })
    expect(asked).toHaveLength(1)
  })

  it('tell of another account and of another chain', async () => {
    const listeners = new Map<string, (value: never) => void>()
    const provider = {
      request: async ({ method }: { method: string }) => (method === 'eth_chainId' ? '0x1' : [account.address]),
      on: (event: string, hear: (value: never) => void) => listeners.set(event, hear),
      removeListener: (event: string) => listeners.delete(event),
    }
    const { wallets, announce, hear } = page()
    wallets.discover(hear)
    announce(INFO, provider)
    const wallet = await wallets.open('io.example', { silent: false })
    const changes: unknown[] = []
    const stop = wallet?.onChange((change) => void changes.push(change))
    listeners.get('chainChanged')?.('0x7a69' as never)
    listeners.get('accountsChanged')?.([] as never)
    expect(changes).toEqual([
      { address: account.address, chainId: 31_337 },
      { address: null, chainId: 31_337 },
    ])
    stop?.()
    expect(listeners.size).toBe(0)
  })

  it('are, in a sandbox, an account whose key a browser makes once', () => {
    const stored = new Map<string, string>()
    const storage = {
      keys: () => [],
      read: (key: string) => stored.get(key) ?? null,
      write: (key: string, text: string) => void stored.set(key, text),
      remove: () => {},
      onChange: () => () => {},
    }
    const first = openSandboxAccount(storage)
    expect(openSandboxAccount(storage).address).toBe(first.address)
    stored.set('rfqctl:sandbox-key', 'not a key')
    expect(openSandboxAccount(storage).address).not.toBe(first.address)
  })
})
