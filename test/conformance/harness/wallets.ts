import { concat, hexlify, randomBytes, type Wallet } from 'ethers'
import type { TestChain } from './chain.ts'
import type { Maker } from './maker.ts'
import type { Service } from './service.ts'

/** A relay on a chain. */
type OnChain = Service & { chain: TestChain }

/** A wallet that is not the key's that signs for it. */
export type OtherWallet = {
  address: string
  /** Takes the key's right to sign for it away. */
  revoke: () => Promise<void>
}

/**
 * The code of a wallet of one owner (ERC-1271), as its opcodes: it recovers the first 65 bytes of a signature with the precompile,
 * and says yes to its owner's; the owner's address stands between the two parts.
 */
const BEFORE_OWNER = '0x60043560005260a43560f81c60205260643560405260843560605260206000608060006001' + '5afa5060005173'
const AFTER_OWNER = '0x14631626ba7e60e01b0260005260206000f3'

/** A contract whose owner is the maker's key. */
export async function contractOf(service: OnChain, { wallet }: Pick<Maker, 'wallet'>): Promise<OtherWallet> {
  const codeOf = (owner: string) => concat([BEFORE_OWNER, owner, AFTER_OWNER])
  const { address, setCode } = await contractWith(service, codeOf(wallet.address))
  return { address, revoke: () => setCode(codeOf(hexlify(randomBytes(20)))) }
}

/** A contract of any code that has a thousand dollars and has approved all of them. */
async function contractWith({ chain, ready, call }: OnChain, code: string) {
  const address = hexlify(randomBytes(20))
  const setCode = (code: string): Promise<void> => chain.provider.send('anvil_setCode', [address, code])
  const { status, text } = await call('POST', '/faucet', { body: { wallet: address } })
  if (status !== 200) throw new Error(`the faucet did not pay: ${text}`)
  for (const spender of [ready.coreAddress, ready.settlementAddress]) await approveAs(chain, address, spender)
  await setCode(code)
  return { address, setCode }
}

/** A wallet that keeps its key away, and has authorised the maker's on chain. */
export async function coldWalletOf(service: OnChain, maker: Maker): Promise<OtherWallet> {
  const { chain } = service
  const cold = service.wallet()
  await service.fund(cold)
  await authorise(chain, cold, maker.wallet.address, (await chain.now()) + 86_400)
  return {
    address: cold.address,
    revoke: async () => {
      const settlement = chain.settlement.connect(cold.connect(chain.provider)) as typeof chain.settlement
      await (await settlement.getFunction('revokeSigner')(maker.wallet.address)).wait()
    },
  }
}

/** Lets a key sign for a wallet until a second of chain time. */
export async function authorise(chain: TestChain, cold: Wallet, signer: string, until: number): Promise<void> {
  const settlement = chain.settlement.connect(cold.connect(chain.provider)) as typeof chain.settlement
  await (await settlement.getFunction('authorizeSigner')(signer, until)).wait()
}

/** A local chain lets anybody act as a contract. */
async function approveAs({ provider, token }: TestChain, from: string, spender: string): Promise<void> {
  await provider.send('anvil_impersonateAccount', [from])
  await provider.send('anvil_setBalance', [from, '0xde0b6b3a7640000'])
  const data = token.interface.encodeFunctionData('approve', [spender, 2n ** 255n])
  const hash = await provider.send('eth_sendTransaction', [
    { from, to: await token.getAddress(), data, gas: '0x30d40' },
  ])
  if ((await provider.waitForTransaction(hash))?.status !== 1) throw new Error('the approval was reverted')
}
