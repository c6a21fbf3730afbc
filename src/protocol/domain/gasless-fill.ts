import type { Order } from './order.ts'
import type { PartnerFee } from './partner-fee.ts'
import { digestOfWords, type TypedDataDomain, typeHashOf } from './typed-data.ts'
import type { Address, Hex, Usd6 } from './units.ts'

/** The ways in which a taker's side of a trade can be paid, in the order of the contract's enum. */
export const PAYMENT_METHODS = ['allowance', 'permit', 'authorization', 'permit2'] as const

/**
 * Payment of a taker: an ERC-20 allowance, or a signature over an EIP-2612 permit, an EIP-3009 authorization or a Permit2
 * transfer.
 */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** Payment of a fill; for an `allowance` all but the method is empty. */
export type Payment = {
  method: PaymentMethod
  /** Amount that was signed for, micro-dollars. */
  value: Usd6
  /** Lets the signature count once; the token keeps that of a permit. */
  nonce: bigint
  /** The last second in which it counts, Unix seconds of chain time. */
  deadline: number
  signature: Hex
}

/** Consent of a taker that others fill its order, for a fee. */
export type FillAuthorization = {
  /** The EIP-712 digest of the order. */
  orderHash: Hex
  maxFee: Usd6
  /** No matter who submits. */
  feeRecipient: Address
  /** The last second to fill it, Unix seconds of chain time. */
  deadline: number
  /** Paid beside the relayer's fee; null without a partner. */
  partnerFee: PartnerFee | null
}

/** All that anyone needs to fill an order for its taker. */
export type GaslessFill = {
  order: Order
  makerSignature: Hex
  /** Payment of the taker. */
  payment: Payment
  /** Terms that the taker agreed to. */
  authorization: FillAuthorization
  /** Over `authorization`. */
  takerSignature: Hex
}

/** The payment by an existing allowance. */
export const ALLOWANCE_PAYMENT: Payment = {
  method: 'allowance',
  value: 0n as Usd6,
  nonce: 0n,
  deadline: 0,
  signature: '0x',
}

/** The EIP-712 type list of a fill authorization. */
const FILL_AUTHORIZATION_TYPES = {
  FillAuthorization: [
    { name: 'orderHash', type: 'bytes32' },
    { name: 'maxFee', type: 'uint256' },
    { name: 'feeRecipient', type: 'address' },
    { name: 'deadline', type: 'uint256' },
    { name: 'partner', type: 'address' },
    { name: 'partnerBps', type: 'uint16' },
  ],
} as const

/** Zero address and zero where there is no partner. */
export const contractPartnerFee = (fee: PartnerFee | null) =>
  ({
    partner: fee?.recipient ?? '0x0000000000000000000000000000000000000000',
    partnerBps: fee?.bps ?? 0,
  }) as const

const TYPE_HASH = typeHashOf('FillAuthorization', FILL_AUTHORIZATION_TYPES.FillAuthorization)

/** A payment in the types of the contract. */
export const contractPayment = ({ method, deadline, ...payment }: Payment) => ({
  ...payment,
  method: PAYMENT_METHODS.indexOf(method),
  deadline: BigInt(deadline),
})

/** A fill authorization in the types of the contract. */
export const contractFillAuthorization = ({ deadline, partnerFee, ...authorization }: FillAuthorization) => ({
  ...authorization,
  deadline: BigInt(deadline),
  ...contractPartnerFee(partnerFee),
})

/** A fill authorization as EIP-712 typed data of the settlement's domain, ready for any signer. */
export const fillAuthorizationTypedData = (authorization: FillAuthorization, domain: TypedDataDomain) =>
  ({
    domain,
    types: FILL_AUTHORIZATION_TYPES,
    primaryType: 'FillAuthorization',
    message: contractFillAuthorization(authorization),
  }) as const

/** The EIP-712 digest of a fill authorization. */
export function fillAuthorizationDigest(authorization: FillAuthorization, domain: TypedDataDomain): Hex {
  const { orderHash, maxFee, feeRecipient, deadline, partner, partnerBps } = contractFillAuthorization(authorization)
  return digestOfWords(domain, TYPE_HASH, [orderHash, maxFee, feeRecipient, deadline, partner, BigInt(partnerBps)])
}

/** The fee of a relayer, its addresses and its limits. */
export type RelayerTerms = {
  /** The chain that it fills on. */
  chainId: number
  /** The settlement contract that it fills on. */
  settlementAddress: Address
  /** The wallet that sends the fills and pays for gas. */
  wallet: Address
  /** Recipient of the fee that a fill authorization must name. */
  feeRecipient: Address
  /** Its fee for a fill, micro-dollars. */
  fee: Usd6
  /** Whether it takes fills now. */
  isAccepting: boolean
  /** Reason that it takes none now, as a sentence; null where it does. */
  reason: string | null
  /** Gas that one fill may take. */
  maxGas: bigint
  /** The most that it pays for a unit of gas, wei. */
  maxGasPrice: bigint
  /** The most that it spends on gas within 24 hours, wei. */
  maxCoinPerDay: bigint
  /** Fills that it takes within an hour. */
  maxFillsPerHour: number
  /** Fills that it takes from one client address within an hour. */
  maxFillsPerClient: number
  /** Fills that may wait for their turn. */
  maxQueue: number
}
