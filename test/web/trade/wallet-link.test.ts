import type { EIP1193Provider } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { createWallets } from '../../../src/web/trade/wallets.ts'
import { settle } from '../../support/fake-clock.ts'
import { ENVIRONMENT } from '../trade-samples.ts'
import { ACCOUNT, createFakeWorld } from './fake-world.ts'

const SECOND = '0x2222222222222222222222222222222222222222'

let session: TradeSession | undefined
afterEach(() => session?.close())

/** A page that uses a wallet on chain 1, and the events of that wallet. */
async function usingWallet() {
  const world = createFakeWorld()
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const provider = {
    request: async ({ method }: { method: string }) => (method === 'eth_chainId' ? '0x1' : [ACCOUNT]),
    on: (event: string, hear: (value: unknown) => void) =>
      listeners.set(event, (listeners.get(event) ?? new Set()).add(hear)),
    removeListener: (event: string, hear: (value: unknown) => void) => listeners.get(event)?.delete(hear),
  } as unknown as EIP1193Provider
  const openSandboxAccount = async () => Promise.reject(new Error('it is not asked for'))
  const window = new EventTarget()
  world.ports = {
    ...world.ports,
    wallets: createWallets({ window, injected: provider, openSandboxAccount, sandboxRpcUrl: '' }),
  }
  session = world.open()
  const { store, act } = session
  await settle()
  act.connect('injected')
  await settle()
  /** Tells as some wallets do: whoever is added meanwhile is told, too. Returns how many were told. */
  const tell = (event: string, value: unknown) => {
    let told = 0
    for (const hear of listeners.get(event) ?? []) {
      told += 1
      if (told > 10) throw new Error('telling has no end')
      hear(value)
    }
    return told
  }
  return { tell, standing: () => store.get().wallet.standing, listeners }
}

it('receives each change of its wallet once, however the wallet reports it', async () => {
  const { tell, standing } = await usingWallet()
  expect(standing()).toMatchObject({ address: ACCOUNT, chainId: 1 })
  expect(tell('chainChanged', `0x${ENVIRONMENT.chainId.toString(16)}`)).toBe(1)
  expect(tell('accountsChanged', [SECOND])).toBe(1)
  // The chain is the one that it went to, not the one that it was on when it was connected.
  expect(standing()).toMatchObject({ kind: 'connected', address: SECOND, chainId: ENVIRONMENT.chainId })
})

it('receives nothing more of a wallet that gives no access', async () => {
  const { tell, standing, listeners } = await usingWallet()
  tell('accountsChanged', [])
  expect(standing()).toEqual({ kind: 'none' })
  expect([...listeners.values()].every(({ size }) => size === 0)).toBe(true)
})
