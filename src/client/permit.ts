import { testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import type { TypedDataDomain } from '@rfqctl/protocol/domain/order'
import { normaliseSignature } from '@rfqctl/protocol/domain/signature'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import { domainSeparator, hexToNumber, parseAbi, slice } from 'viem'
import { contractRefusal } from './contract-refusal.ts'
import type { Spender, Wallet } from './wallet.ts'

/** A signed EIP-2612 approval, as `fillWithPermit` takes it. */
export type Permit = { value: bigint; deadline: bigint; v: number; r: Hex; s: Hex }

const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Older tokens do not expose their domain (EIP-5267), but have this function. */
const VERSION_ABI = parseAbi(['function version() view returns (string)'])

/**
 * Signs an approval of exactly `amount` until `deadline`, Unix seconds; null when the stablecoin accepts no permits, when its domain
 * cannot be determined, or when the wallet's signature is not from a single key: then a transaction must approve it.
 */
export async function signPermit(
  wallet: Wallet,
  { spender, amount, deadline }: { spender: Spender; amount: Usd6; deadline: number },
): Promise<Permit | null> {
  const token = await wallet.stablecoin()
  const domain = await readDomain(wallet, token)
  if (domain === null) return null
  const { coreAddress, settlementAddress } = wallet.setup
  const nonce = await wallet.publicClient.readContract({
    address: token,
    abi: testUsdAbi,
    functionName: 'nonces',
    args: [wallet.address],
  })
  const message = {
    owner: wallet.address,
    spender: spender === 'core' ? coreAddress : settlementAddress,
    value: amount as bigint,
    nonce,
    deadline: BigInt(deadline),
  }
  const signed = await wallet.sign({ domain, types: PERMIT_TYPES, primaryType: 'Permit', message })
  // Several owners of one wallet sign more than the 65 bytes that the contract forwards.
  const signature = normaliseSignature(signed)
  if (signature === null) return null
  // By place: `parseSignature` of viem brings a whole curve into a page.
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), hexToNumber(slice(signature, 64))]
  return { value: amount, deadline: BigInt(deadline), v, r, s }
}

/** Domain of a token's permits, checked against the token's own hash of it. */
export async function readDomain({ publicClient, setup }: Wallet, address: Address): Promise<TypedDataDomain | null> {
  const token = { address, abi: testUsdAbi } as const
  const [separator, name, stated, version] = await Promise.all([
    publicClient.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' }).catch(nullIfRefused),
    publicClient.readContract({ ...token, functionName: 'name' }),
    publicClient.readContract({ ...token, functionName: 'eip712Domain' }).catch(nullIfRefused),
    publicClient.readContract({ address, abi: VERSION_ABI, functionName: 'version' }).catch(nullIfRefused),
  ])
  const domain = {
    name: stated?.[1] ?? name,
    version: stated?.[2] ?? version ?? '1',
    chainId: setup.chainId,
    verifyingContract: address,
  }
  return separator === domainSeparator({ domain }) ? domain : null
}

/** A token without such a function refuses the call, or answers nothing. */
export function nullIfRefused(fault: unknown): null {
  if (contractRefusal(fault) !== null || hasNoData(fault)) return null
  throw fault
}

function hasNoData(fault: unknown): boolean {
  for (let error = fault; error instanceof Error; error = error.cause) {
    if (error.name === 'ContractFunctionZeroDataError') return true
  }
  return false
}
