import { serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { contractOrder, type Order, orderDigest, type TypedDataDomain } from '@rfqctl/protocol/domain/order'
import { isOfUndeployed } from '@rfqctl/protocol/domain/signature'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { recoverAddress } from 'viem/utils'
import type { Wallet } from './wallet.ts'

/** The account behind a signature, and how it shows that. */
export type OrderSigner = {
  /** The maker, by its key or by its code (ERC-1271), or the key that it authorised. */
  signer: Address
  /** The last second in which the signature counts, Unix seconds of chain time; null for the maker's own. */
  until: number | null
}

/** Value of `signedUntil` for the maker's own signature. */
const ALWAYS = 2n ** 256n - 1n

/** Fault of an invalid signature, as a sentence in lower case. */
export const unsignedFault = (signature: Hex): string =>
  isOfUndeployed(signature)
    ? 'the signature is of a wallet that is not deployed (ERC-6492): its maker must deploy the wallet, then sign again'
    : 'the signature is not that of its maker'

/** Key that signed an order; null without a key's signature, or when the order cannot be signed. */
export async function recoverSigner(
  order: Order,
  { domain, signature }: { domain: TypedDataDomain; signature: Hex },
): Promise<Address | null> {
  try {
    return await recoverAddress({ hash: orderDigest(order, domain), signature })
  } catch {
    return null
  }
}

/**
 * Signer of an order, as the chain sees it; null where the signature is no one's. A maker's own key is recognised without the chain; the
 * settlement is asked only for a contract wallet and for a key that a maker has authorised.
 */
export async function readOrderSigner(
  { publicClient, setup }: Pick<Wallet, 'publicClient' | 'setup'>,
  { order, ...signed }: { order: Order; domain: TypedDataDomain; signature: Hex },
): Promise<OrderSigner | null> {
  const { maker } = order
  const recovered = await recoverSigner(order, signed)
  if (recovered?.toLowerCase() === maker.toLowerCase()) return { signer: maker, until: null }
  const until = await publicClient.readContract({
    address: setup.settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'signedUntil',
    args: [contractOrder(order), signed.signature],
  })
  if (until === ALWAYS) return { signer: maker, until: null }
  return until === 0n || recovered === null ? null : { signer: recovered, until: Number(until) }
}
