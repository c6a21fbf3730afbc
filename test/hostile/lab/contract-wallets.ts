import { randomBytes } from 'node:crypto'
import { concat, type Hex } from 'viem'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import type { TestChain } from '../../kit/chain.ts'
import type { Maker } from '../../kit/maker.ts'
import { payFromFaucet, type Service } from '../../kit/service.ts'

type OnChain = Service & { chain: TestChain }

/** A wallet that is not the key's that signs for it. */
export type OtherWallet = {
  address: string
  /** Takes the key's right to sign for it away. */
  revoke: () => Promise<void>
}

export const randomHex = (bytes: number): Hex => `0x${randomBytes(bytes).toString('hex')}`

/**
 * The code of a wallet of one owner (ERC-1271), as its opcodes: it recovers the first 65 bytes of a signature with the precompile,
 * and says yes to its owner's; the owner's address stands between the two parts.
 */
const BEFORE_OWNER = '0x60043560005260a43560f81c60205260643560405260843560605260206000608060006001' + '5afa5060005173'
const AFTER_OWNER = '0x14631626ba7e60e01b0260005260206000f3'

/** A contract whose owner is the maker's key. */
export async function contractOf(service: OnChain, { wallet }: Pick<Maker, 'wallet'>): Promise<OtherWallet> {
  const codeOf = (owner: Hex) => concat([BEFORE_OWNER as Hex, owner, AFTER_OWNER])
  const { address, setCode } = await contractWith(service, codeOf(wallet.address))
  return { address, revoke: () => setCode(codeOf(randomHex(20))) }
}

/** A contract of any code that has a thousand dollars and has approved all of them. */
export async function contractWith({ chain, ready }: OnChain, code: Hex) {
  const address: Address = randomHex(20)
  const setCode = (bytecode: Hex) => chain.client.setCode({ address, bytecode })
  await payFromFaucet(ready, address)
  await chain.approveAll(address)
  await setCode(code)
  return { address, setCode }
}

/** A wallet that keeps its key away, and has authorised the maker's on chain. */
export async function coldWalletOf(service: OnChain, maker: Maker): Promise<OtherWallet> {
  const { chain, ready } = service
  const cold = service.wallet()
  await service.fund(cold)
  const send = (functionName: string, ...args: unknown[]) =>
    chain.send(cold, { address: ready.settlementAddress, abi: serviceRfqSettlementAbi, functionName, args })
  await send('authorizeSigner', maker.wallet.address, BigInt((await chain.now()) + 86_400))
  return { address: cold.address, revoke: () => send('revokeSigner', maker.wallet.address) }
}
