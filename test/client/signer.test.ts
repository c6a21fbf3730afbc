import { createWalletClient, custom, recoverTypedDataAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { once } from '../../src/client/once.ts'
import { addressOf, connectSigner, type Signer, signerOf } from '../../src/client/signer.ts'
import { orderTypedData } from '../../src/protocol/domain/order.ts'
import { createFakeWallet } from './fake-wallet.ts'
import { BUY, CHAIN, DOMAIN, MAKER, offerOf, orderOf } from './trade-fixture.ts'

const TYPED_DATA = orderTypedData(orderOf(offerOf(BUY)), DOMAIN)

const wallet = () => createFakeWallet({ account: MAKER, chainId: CHAIN.chainId })

/** Who has signed the order, by whatever kind of wallet. */
async function signedBy(signer: Signer, setup = CHAIN) {
  const signature = await (await connectSigner(signer, setup)).signTypedData(TYPED_DATA)
  return recoverTypedDataAddress({ ...TYPED_DATA, signature })
}

describe('a signer', () => {
  test('may be a key, which needs no chain to sign', async () => {
    expect(addressOf(MAKER)).toBe(MAKER.address)
    expect(await signedBy(MAKER)).toBe(MAKER.address)
  })

  test('may be the wallet that a page is given, whose owner is asked for an account first', async () => {
    const { provider, asked } = wallet()
    expect(addressOf(provider)).toBeNull()
    const signer = await connectSigner(provider, CHAIN)
    expect(signer.address).toBe(MAKER.address)
    expect(asked).toEqual(['eth_accounts', 'eth_requestAccounts', 'eth_chainId'])
    expect(await signedBy(provider)).toBe(MAKER.address)
  })

  test('is not asked for an account that it shows already', async () => {
    const shown = wallet()
    shown.isConnected = true
    await connectSigner(shown.provider, CHAIN)
    expect(shown.asked).not.toContain('eth_requestAccounts')
  })

  test('may be a wallet client of viem: with an account of its wallet, with a key, or without one', async () => {
    const { provider, asked } = wallet()
    const transport = custom(provider)
    const withAddress = createWalletClient({ account: MAKER.address, transport })
    const withKey = createWalletClient({ account: MAKER, transport })
    expect(addressOf(withAddress)).toBe(MAKER.address)
    expect(await signedBy(withAddress)).toBe(MAKER.address)
    expect(await signedBy(withKey)).toBe(MAKER.address)
    expect(asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1)
    const without = createWalletClient({ transport })
    expect(addressOf(without)).toBeNull()
    expect(await signedBy(without)).toBe(MAKER.address)
  })

  test('may be an address that the transport of the chain signs for', async () => {
    const { provider } = wallet()
    expect(await signedBy(MAKER.address, { ...CHAIN, ...{ transport: custom(provider) } })).toBe(MAKER.address)
    await expect(signerOf(MAKER.address, CHAIN).signTypedData(TYPED_DATA)).rejects.toMatchObject({
      code: 'client_setup',
    })
  })

  test('asks an owner who rejects once, and gives a code of ours', async () => {
    const own = wallet()
    own.isConnected = true
    const signer = await connectSigner(own.provider, CHAIN)
    own.answers = 'rejects'
    own.asked.length = 0
    const rejection = { name: 'WalletError', code: 'wallet_rejected', retryable: false, hint: expect.any(String) }
    await expect(signer.signTypedData(TYPED_DATA)).rejects.toMatchObject(rejection)
    expect(own.asked).toEqual(['eth_chainId', 'eth_signTypedData_v4'])
    await expect(signer.sendTransaction({ to: MAKER.address })).rejects.toMatchObject(rejection)
    expect(own.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
    own.isConnected = false
    await expect(connectSigner(own.provider, CHAIN)).rejects.toMatchObject(rejection)
  })

  test('without a right to the account says which, and other faults stay what they are', async () => {
    const own = wallet()
    const signer = await connectSigner(own.provider, CHAIN)
    own.answers = 'has no right'
    await expect(signer.signTypedData(TYPED_DATA)).rejects.toMatchObject({
      code: 'wallet_no_account',
      message: expect.stringContaining(MAKER.address),
    })
    own.answers = 'breaks'
    await expect(signer.signTypedData(TYPED_DATA)).rejects.toThrow('the wallet broke')
  })

  test('that shows no account at all cannot be connected', async () => {
    const provider = { ...wallet().provider, request: async () => [] } as unknown as Signer
    await expect(connectSigner(provider, CHAIN)).rejects.toMatchObject({ code: 'wallet_no_account' })
  })

  test('on another chain is not connected, and signs and sends nothing once it is switched', async () => {
    const own = wallet()
    const signer = await connectSigner(own.provider, CHAIN)
    own.chainId = 1
    own.asked.length = 0
    const wrongChain = {
      code: 'wallet_wrong_chain',
      message: 'The wallet is on chain 1, not on chain 80002.',
      hint: 'Switch the wallet to chain 80002 and call again.',
    }
    await expect(connectSigner(own.provider, CHAIN)).rejects.toMatchObject(wrongChain)
    await expect(signer.signTypedData(TYPED_DATA)).rejects.toMatchObject(wrongChain)
    await expect(signer.sendTransaction({ to: MAKER.address })).rejects.toMatchObject(wrongChain)
    await expect(signer.writeContract({})).rejects.toMatchObject(wrongChain)
    expect(own.asked).not.toContain('eth_signTypedData_v4')
    expect(own.asked).not.toContain('eth_sendTransaction')
  })
})

test('concurrent callers share one value that is made once, and made again after a failure', async () => {
  let makes = 0
  const make = once(async () => {
    makes += 1
    if (makes === 1) throw new Error('not yet')
    return makes
  })
  expect(await Promise.allSettled([make(), make()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(await Promise.all([make(), make()])).toEqual([2, 2])
  expect(await make()).toBe(2)
})
