import { erc7579Batch, makeDelegatedWallet, makeKeyWallet, simpleBatch } from './key-wallet.ts'
import type { WalletId } from './matrix.ts'
import { makeSafe } from './safe.ts'
import { makeHybrid, makeSimpleAccount } from './smart-account.ts'
import type { TestWallet } from './wallet.ts'
import type { WalletWorld } from './world.ts'

/** A wallet of each row of the page, of a name that no other has. */
export function makeWallet(world: WalletWorld, id: WalletId, name: string): Promise<TestWallet> {
  const { dev, safe: contracts, delegates, implementations } = world
  const make: Record<WalletId, () => Promise<TestWallet>> = {
    eoa: () => makeKeyWallet(dev, name),
    simple7702: () => makeDelegatedWallet(dev, { name, implementation: delegates.simple, batch: simpleBatch }),
    metaMask7702: () => makeDelegatedWallet(dev, { name, implementation: delegates.metaMask, batch: erc7579Batch }),
    safeOfOne: () => makeSafe(dev, { name, contracts, owners: 1, threshold: 1 }),
    safe: () => makeSafe(dev, { name, contracts, owners: 3, threshold: 2 }),
    hybrid: () =>
      makeHybrid(dev, { name, implementation: implementations.hybrid, entryPoint: implementations.entryPoint }),
    simple: () => makeSimpleAccount(dev, { name, implementation: implementations.simple }),
  }
  return make[id]()
}
