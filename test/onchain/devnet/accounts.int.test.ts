import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { createDevAccounts } from '../../../src/onchain/devnet/accounts.ts'

const { deployer, resolutionSigner, faucet, makers, takers } = createDevAccounts()
const all = [deployer, resolutionSigner, faucet, ...makers, ...takers]

it('the sandbox has one wallet for each role, none for two', () => {
  expect(makers).toHaveLength(5)
  expect(takers).toHaveLength(2)
  expect(new Set(all.map(({ address }) => address)).size).toBe(10)
})

it('the wallets are those that Anvil unlocks', () => {
  expect(deployer).toEqual({
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  })
  expect(takers[1]?.address).toBe('0xa0Ee7A142d267C1f36714E4a8F75612F20a79720')
  for (const { address, privateKey } of all) expect(privateKeyToAccount(privateKey).address).toBe(address)
})
