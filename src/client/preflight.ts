import { serviceRfqSettlementAbi } from '../contracts/abi.ts'
import { ORDER_REFUSALS, ORDER_STATUSES, type OrderStatus } from '../contracts/order-status.ts'
import { type ContractValue, contractUnit } from '../contracts/values.ts'
import { contractOrder, type Order } from '../domain/order.ts'
import type { Hex } from '../domain/units.ts'
import { ContractRefusedError } from './errors.ts'
import type { Wallet } from './wallet.ts'

/** What of an order tells a person why it cannot be filled. */
const TELLING: Readonly<Record<OrderStatus, readonly (keyof Order)[]>> = {
  Fillable: [],
  Expired: ['validUntil'],
  AmountZero: [],
  SelfTrade: ['taker'],
  NonceUsed: ['maker', 'nonce'],
  SeriesUnknown: ['seriesId'],
  SeriesSettled: ['seriesId'],
  SeriesExpired: ['seriesId'],
  SeriesHalted: ['seriesId'],
  AmountTooLarge: ['optionAmount'],
  PremiumAboveCollateral: ['premiumAmount'],
  MakerBalanceLow: ['maker'],
  MakerAllowanceLow: ['maker'],
  SignatureInvalid: ['maker'],
  TakerBalanceLow: ['taker'],
  TakerAllowanceLow: ['taker'],
}

/**
 * Asks the settlement contract, in one call, whether its taker could fill an order now. Rejects with
 * `ContractRefusedError` for every reason but the taker's own approval, which it can still make: before it pays for one.
 */
export async function checkFill(
  { publicClient, setup }: Pick<Wallet, 'publicClient' | 'setup'>,
  { order, makerSignature }: { order: Order; makerSignature: Hex },
): Promise<{ needsApproval: boolean }> {
  const [number, makerShortfall, takerShortfall] = await publicClient.readContract({
    address: setup.settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'checkOrder',
    args: [contractOrder(order), makerSignature],
  })
  const status = ORDER_STATUSES[number] ?? 'Fillable'
  const refusal = ORDER_REFUSALS[status]
  if (refusal === null || status === 'TakerAllowanceLow') return { needsApproval: refusal !== null }
  const values: ContractValue[] = TELLING[status].map((name) => ({
    name,
    unit: contractUnit('settlement', name),
    value: order[name],
  }))
  const shortfall = status.startsWith('Maker') ? makerShortfall : status.startsWith('Taker') ? takerShortfall : 0n
  if (shortfall > 0n) values.push({ name: 'shortfall', unit: 'usd', value: shortfall })
  throw new ContractRefusedError({ ...refusal, errorName: status, values })
}
