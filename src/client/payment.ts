import { testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { Payment, PaymentMethod } from '@rfqctl/protocol/domain/gasless-fill'
import { normaliseSignature } from '@rfqctl/protocol/domain/signature'
import { type Address, type Hex, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { bytesToBigInt, numberToHex, parseAbi } from 'viem'
import { PaymentError } from './errors.ts'
import { nullIfRefused, type Permit, readDomain, signPermit } from './permit.ts'
import type { Spender, Wallet } from './wallet.ts'

/** Address of Permit2 on every chain. */
const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** Payment method that is signed for one fill. */
export type SignedMethod = Exclude<PaymentMethod, 'allowance'>

/**
 * Payment due: the contract that an allowance would be given to, the amount in micro-dollars, and the deadline, Unix seconds of chain
 * time.
 */
export type Due = { spender: Spender; amount: Usd6; deadline: number }

const AUTHORIZATION_TYPES = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const TRANSFER_TYPES = {
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

/** Only a token with EIP-3009 has it. */
const AUTHORIZATION_ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

/**
 * Signs a payment of exactly the amount due, which only the contracts of the wallet's setup can draw. Rejects with `PaymentError` where
 * the stablecoin or the wallet cannot pay that way, before anything is signed.
 */
export async function signPayment(wallet: Wallet, method: SignedMethod, due: Due): Promise<Payment> {
  if (method === 'permit') return signPermitPayment(wallet, due)
  return method === 'authorization' ? signAuthorization(wallet, due) : signPermit2(wallet, due)
}

async function signPermitPayment(wallet: Wallet, due: Due): Promise<Payment> {
  const permit = await signPermit(wallet, due)
  if (permit === null)
    throw unavailable('The stablecoin takes no permits (EIP-2612).', 'Pay by an approval, or by Permit2.')
  await assertTaken(wallet, due, permit)
  return permitPayment(permit)
}

/** A permit as a payment. */
export function permitPayment({ value, deadline, v, r, s }: Permit): Payment {
  const signature: Hex = `${r}${s.slice(2)}${v.toString(16)}`
  return { method: 'permit', value: usd6(value), nonce: 0n, deadline: Number(deadline), signature }
}

/** Most stablecoins accept permits of keys only; with any other, the fill would fail for lack of an allowance. */
async function assertTaken(wallet: Wallet, { spender }: Due, { value, deadline, v, r, s }: Permit): Promise<void> {
  const { coreAddress, settlementAddress } = wallet.setup
  const args = [wallet.address, spender === 'core' ? coreAddress : settlementAddress, value, deadline, v, r, s] as const
  const trial = { address: await wallet.stablecoin(), abi: testUsdAbi, functionName: 'permit', args } as const
  if ((await wallet.publicClient.simulateContract(trial).catch(nullIfRefused)) !== null) return
  throw unavailable('The stablecoin takes no permit (EIP-2612) of this wallet.', 'Pay by an approval, or by Permit2.')
}

async function signAuthorization(wallet: Wallet, { amount, deadline }: Due): Promise<Payment> {
  const { address: from, publicClient, setup } = wallet
  const token = await wallet.stablecoin()
  const nonce = randomNonce()
  const args = [from, numberToHex(nonce, { size: 32 })] as const
  const state = { address: token, abi: AUTHORIZATION_ABI, functionName: 'authorizationState', args } as const
  const [isUsed, domain] = await Promise.all([
    publicClient.readContract(state).catch(nullIfRefused),
    readDomain(wallet, token),
  ])
  if (isUsed === null || domain === null) {
    throw unavailable(
      'The stablecoin takes no authorizations (EIP-3009).',
      'Pay by a permit, by Permit2 or by an approval.',
    )
  }
  const message = {
    from,
    to: setup.settlementAddress,
    value: amount as bigint,
    validAfter: 0n,
    validBefore: BigInt(deadline),
    nonce: args[1],
  }
  const typedData = { domain, types: AUTHORIZATION_TYPES, primaryType: 'ReceiveWithAuthorization', message } as const
  const signature = normaliseSignature(await wallet.sign(typedData))
  if (signature === null) {
    throw unavailable('An authorization (EIP-3009) needs the signature of a key.', 'Pay by Permit2 or by an approval.')
  }
  return { method: 'authorization', value: amount, nonce, deadline, signature }
}

async function signPermit2(wallet: Wallet, { amount, deadline }: Due): Promise<Payment> {
  const { address: owner, publicClient, setup } = wallet
  const token = await wallet.stablecoin()
  const allowance = { address: token, abi: testUsdAbi, functionName: 'allowance', args: [owner, PERMIT2] } as const
  const [approved, code] = await Promise.all([
    publicClient.readContract(allowance),
    publicClient.getCode({ address: PERMIT2 }),
  ])
  if (code === undefined) throw unavailable('This chain has no Permit2.', 'Pay by a permit or by an approval.')
  if (approved < amount) {
    const hint = `Approve the stablecoin ${token} to Permit2 at ${PERMIT2} once, or pay in another way.`
    throw unavailable('The wallet has not approved enough stablecoin to Permit2.', hint)
  }
  const nonce = randomNonce()
  const message = {
    permitted: { token, amount: amount as bigint },
    spender: setup.settlementAddress,
    nonce,
    deadline: BigInt(deadline),
  }
  const domain = { name: 'Permit2', chainId: setup.chainId, verifyingContract: PERMIT2 }
  const typedData = { domain, types: TRANSFER_TYPES, primaryType: 'PermitTransferFrom', message } as const
  return { method: 'permit2', value: usd6(amount), nonce, deadline, signature: await wallet.sign(typedData) }
}

/** Neither EIP-3009 nor Permit2 requires nonces in order, and two random ones are never the same. */
const randomNonce = (): bigint => bytesToBigInt(crypto.getRandomValues(new Uint8Array(32)))

const unavailable = (message: string, hint: string): PaymentError =>
  new PaymentError(message, { code: 'payment_unavailable', hint })
