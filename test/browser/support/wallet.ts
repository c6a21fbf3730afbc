import type { BrowserContext } from 'playwright-core'
import type { Hex } from '../../../src/client/index.ts'
import { createFakeWallet, type FakeWallet } from '../../client/fake-wallet.ts'

/** The wallet of a page: what its owner answers is set in the test, and its page hears of accounts and chains as they change. */
export type PageWallet = FakeWallet & {
  /** Gives it to all pages of a context, before they load. */
  inject: (context: BrowserContext) => Promise<void>
  /** Its owner takes the page's access away. */
  lock: () => Promise<void>
  /** Its owner goes to another chain. */
  goTo: (chainId: number) => Promise<void>
}

/** What the binding answers: an error as EIP-1193 has it would lose its code on the way. */
type Answered = { value: unknown } | { code: number | undefined; message: string }

type Asked = { method: string; params?: readonly unknown[] }

export const WALLET_NAME = 'Test Wallet'

/** A wallet in Node that pages find by EIP-6963 and as `window.ethereum`. */
export function createPageWallet(input: Parameters<typeof createFakeWallet>[0]): PageWallet {
  const wallet = createFakeWallet(input) as PageWallet
  const contexts: BrowserContext[] = []
  const request = wallet.provider.request as unknown as (asked: Asked) => Promise<unknown>

  async function tell(event: string, value: unknown): Promise<void> {
    const pages = contexts.flatMap((context) => context.pages())
    await Promise.all(
      pages.map((page) =>
        page.evaluate(
          ([name, told]) => dispatchEvent(new CustomEvent('test-wallet', { detail: [name, told] })),
          [event, value],
        ),
      ),
    )
  }

  async function answer(asked: Asked): Promise<unknown> {
    if (asked.method !== 'wallet_switchEthereumChain') return request(asked)
    wallet.asked.push(asked.method)
    if (wallet.answers !== 'approves') throw Object.assign(new Error('User denied the request.'), { code: 4_001 })
    const [{ chainId }] = asked.params as readonly [{ chainId: Hex }]
    // The page hears of it once it has its answer: it waits for that and for nothing else.
    void wallet.goTo(Number(chainId))
    return null
  }

  wallet.inject = async (context) => {
    contexts.push(context)
    await context.exposeBinding(
      'askTestWallet',
      (_, asked: Asked): Promise<Answered> =>
        answer(asked).then(
          (value) => ({ value: value ?? null }),
          (fault: Error & { code?: number }) => ({ code: fault.code, message: fault.message }),
        ),
    )
    await context.addInitScript(announce, WALLET_NAME)
  }
  wallet.lock = async () => {
    wallet.isConnected = false
    await tell('accountsChanged', [])
  }
  wallet.goTo = async (chainId) => {
    wallet.chainId = chainId
    await tell('chainChanged', `0x${chainId.toString(16)}`)
  }
  return wallet
}

/** Runs in the page. @see EIP-1193 and EIP-6963 */
function announce(name: string): void {
  type Listener = (value: unknown) => void
  const world = globalThis as unknown as {
    askTestWallet: (asked: Asked) => Promise<{ value: unknown } & { code?: number; message?: string }>
    ethereum: unknown
  }
  const listeners = new Map<string, Set<Listener>>()
  const provider = {
    request: async ({ method, params }: Asked) => {
      const answered = await world.askTestWallet({ method, params: params ?? [] })
      if (answered.message === undefined) return answered.value
      throw Object.assign(new Error(answered.message), { code: answered.code })
    },
    on: (event: string, listener: Listener) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
      return provider
    },
    removeListener: (event: string, listener: Listener) => {
      listeners.get(event)?.delete(listener)
      return provider
    },
  }
  addEventListener('test-wallet', (event) => {
    const [kind, value] = (event as CustomEvent<[string, unknown]>).detail
    for (const listener of listeners.get(kind) ?? []) listener(value)
  })
  const info = {
    uuid: '350670db-19fa-4704-a166-e52e178b59d2',
    name,
    icon: 'data:image/svg+xml,<svg/>',
    rdns: 'org.example.wallet',
  }
  const detail = Object.freeze({ info, provider })
  const tellOf = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', tellOf)
  tellOf()
  world.ethereum = provider
}
