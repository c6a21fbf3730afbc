import { type Hex, hashTypedData, maxUint256, parseAbi, parseSignature } from 'viem'
import type { DevClient } from '../../../src/onchain/devnet/client.ts'
import { testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import type { Payment, PaymentMethod } from '../../../src/protocol/domain/gasless-fill.ts'
import { ALLOWANCE_PAYMENT } from '../../../src/protocol/domain/gasless-fill.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import { call, type TestWallet } from './wallet.ts'
import type { Market } from './world.ts'

/** Where Permit2 is on every chain. */
export const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** Longer than any test takes; chain time is in seconds. */
export const LATER = 4_102_444_800

export const PERMIT = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
const RECEIVE_WITH_AUTHORIZATION = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const PERMIT2_TRANSFER = {
  PermitTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const

/** What is due, from whom, and to whom an allowance for it is given. */
export type Due = { market: Market; wallet: TestWallet; spender: Address; due: bigint }

/** Lets a spender move what is due, by a transaction of the wallet. */
export const approve = ({ market, wallet, spender, due }: Due): Promise<Hex> =>
  wallet.send([call(market.deployment.stablecoinAddress, testUsdAbi, 'approve', [spender, due])])

let nonce = 0n

/** Pays what is due to the settlement in one of the ways that there are: the wallet does and signs what that takes. */
export async function payBy(dev: DevClient, method: PaymentMethod, due: Due): Promise<Payment> {
  nonce += 1n
  const value = usd6(due.due)
  if (method === 'allowance') {
    await approve(due)
    return ALLOWANCE_PAYMENT
  }
  const signed = { method, value, nonce, deadline: LATER }
  if (method === 'permit') return { ...signed, signature: await signPermit(dev, due) }
  if (method === 'authorization') return { ...signed, signature: await signAuthorization(due, nonce) }
  // Permit2 moves what it was approved for once, of whatever contract asks with a signature.
  await approve({ ...due, spender: PERMIT2 })
  const { stablecoinAddress: token, settlementAddress: spender } = due.market.deployment
  const digest = permit2Digest(due.market, { token, amount: due.due, spender, nonce })
  return { ...signed, signature: await due.wallet.signHash(digest) }
}

/** The wallet's EIP-2612 permit of what is due. */
export async function signPermit(dev: DevClient, { market, wallet, spender, due }: Due): Promise<Hex> {
  const { domain, deployment } = market
  const address = deployment.stablecoinAddress
  const count = await dev.readContract({ address, abi: testUsdAbi, functionName: 'nonces', args: [wallet.address] })
  const message = { owner: wallet.address, spender, value: due, nonce: count, deadline: BigInt(LATER) }
  return wallet.signHash(hashTypedData({ domain, types: PERMIT, primaryType: 'Permit', message }))
}

function signAuthorization({ market, wallet, due }: Due, number: bigint): Promise<Hex> {
  const message = {
    from: wallet.address,
    to: market.deployment.settlementAddress,
    value: due,
    validAfter: 0n,
    validBefore: BigInt(LATER),
    nonce: `0x${number.toString(16).padStart(64, '0')}`,
  } as const
  const types = RECEIVE_WITH_AUTHORIZATION
  return wallet.signHash(
    hashTypedData({ domain: market.domain, types, primaryType: 'ReceiveWithAuthorization', message }),
  )
}

/** What is signed for Permit2 to move an amount of a token once, when the spender asks. */
export function permit2Digest(
  { domain }: Market,
  { token, amount, spender, nonce: number }: { token: Address; amount: bigint; spender: Address; nonce: bigint },
): Hex {
  const message = { permitted: { token, amount }, spender, nonce: number, deadline: BigInt(LATER) }
  const at = { name: 'Permit2', chainId: domain.chainId, verifyingContract: PERMIT2 }
  return hashTypedData({ domain: at, types: PERMIT2_TRANSFER, primaryType: 'PermitTransferFrom', message })
}

const SIGNED_PERMIT_ABI = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
const BYTES_PERMIT_ABI = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
])
const PERMIT2_ABI = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])

/** The call by which anyone takes a signed permit to the coin; Circle's takes signatures of any length. */
export function permitCall({ market, wallet, spender, due }: Due, signature: Hex) {
  const to = market.deployment.stablecoinAddress
  const terms = [wallet.address, spender, due, BigInt(LATER)] as const
  if (market.coin === 'USDC') return call(to, BYTES_PERMIT_ABI, 'permit', [...terms, signature])
  const { r, s, yParity } = splitKeySignature(signature)
  return call(to, SIGNED_PERMIT_ABI, 'permit', [...terms, 27 + yParity, r, s])
}

/** A signature that is not a key's has no such parts: the first 65 bytes are taken for one. */
const splitKeySignature = (signature: Hex) => parseSignature(signature.slice(0, 132) as Hex)

/** Lets a spender move what is due through Permit2, by transactions of the wallet. */
export const approveThroughPermit2 = ({ market, wallet, spender, due }: Due): Promise<Hex> => {
  const { stablecoinAddress } = market.deployment
  return wallet.send([
    call(stablecoinAddress, testUsdAbi, 'approve', [PERMIT2, maxUint256]),
    call(PERMIT2, PERMIT2_ABI, 'approve', [stablecoinAddress, spender, due, LATER]),
  ])
}
