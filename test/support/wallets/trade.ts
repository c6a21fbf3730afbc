import { BaseError, type DecodeErrorResultReturnType, decodeErrorResult, type Hex, parseAbi, zeroAddress } from 'viem'
import type { DevClient } from '../../../src/onchain/devnet/client.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import {
  contractFillAuthorization,
  contractPayment,
  type FillAuthorization,
  fillAuthorizationDigest,
  type Payment,
} from '../../../src/protocol/domain/gasless-fill.ts'
import { contractOrder, type Order, orderDigest, orderDomain } from '../../../src/protocol/domain/order.ts'
import { type Address, contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { LATER } from './payments.ts'
import { type Call, call, type TestWallet } from './wallet.ts'
import type { Market } from './world.ts'

/** Ten options at 12 cents. */
const AMOUNT = contracts(10n)
const PREMIUM = usd6(1_200_000n)
/** What the submitter of a gasless fill asks for, micro-dollars. */
export const FEE = usd6(50_000n)
export const FEE_RECIPIENT: Address = '0x00000000000000000000000000000000000FEE00'

let orders = 0

/** An order between two wallets; `makerSelling`: the maker writes the options that the taker buys. */
export function orderOf(market: Market, sides: { maker: Address; taker: Address; makerSelling: boolean }): Order {
  orders += 1
  const { seriesId } = market
  return { ...sides, seriesId, optionAmount: AMOUNT, premiumAmount: PREMIUM, validUntil: LATER, nonce: orders }
}

export const domainOf = ({ domain, deployment }: Market) => orderDomain(domain.chainId, deployment.settlementAddress)

export const digestOf = (market: Market, order: Order): Hex => orderDigest(order, domainOf(market))

/** What each side of an order owes, and the contract that moves it. */
export function duesOf({ deployment, terms }: Market, { makerSelling, optionAmount, premiumAmount }: Order) {
  // A call of 0.45 pays at most 55 cents.
  const collateral = optionAmount * (10_000n - BigInt(terms.strikeBps)) * 100n
  const premium = { due: premiumAmount as bigint, spender: deployment.settlementAddress }
  const locked = { due: collateral, spender: deployment.coreAddress }
  return makerSelling ? { maker: locked, taker: premium } : { maker: premium, taker: locked }
}

/** The fill of an order by its taker, who has approved what it owes. */
export const fillCall = (market: Market, order: Order, makerSignature: Hex): Call =>
  call(market.deployment.settlementAddress, serviceRfqSettlementAbi, 'fill', [contractOrder(order), makerSignature])

/** The fill of an order by its taker, who pays in a way of its own. */
export const fillWithPaymentCall = (market: Market, order: Order, makerSignature: Hex, payment: Payment): Call =>
  call(market.deployment.settlementAddress, serviceRfqSettlementAbi, 'fillWithPayment', [
    contractOrder(order),
    makerSignature,
    contractPayment(payment),
    zeroAddress,
    0,
  ])

/** What a taker signs so that anyone may fill its order for the fee. */
export async function authorizeFill(market: Market, order: Order, taker: TestWallet) {
  const orderHash = digestOf(market, order)
  const fee = { maxFee: FEE, feeRecipient: FEE_RECIPIENT, partnerFee: null }
  const authorization: FillAuthorization = { orderHash, ...fee, deadline: LATER }
  const signature = await taker.signHash(fillAuthorizationDigest(authorization, domainOf(market)))
  return { authorization, signature }
}

/** The fill of an order by anyone, for the fee. */
export const fillForCall = (
  market: Market,
  order: Order,
  signed: {
    makerSignature: Hex
    payment: Payment
    authorization: FillAuthorization
    signature: Hex
  },
): Call =>
  call(market.deployment.settlementAddress, serviceRfqSettlementAbi, 'fillFor', [
    contractOrder(order),
    signed.makerSignature,
    contractPayment(signed.payment),
    contractFillAuthorization(signed.authorization),
    signed.signature,
    FEE,
  ])

const OTHERS_ERRORS = parseAbi([
  'error InvalidContractSignature()',
  'error InvalidSigner()',
  'error InvalidSignatureLength()',
  'error InvalidSignature()',
])
const ABI = [...serviceRfqSettlementAbi, ...serviceCoreAbi, ...testUsdAbi, ...OTHERS_ERRORS]

/** Why a call from an address is refused: the name of the error, or what it says; null when it is not. */
export async function refusalOf(dev: DevClient, from: Address, { to, data }: Call): Promise<string | null> {
  try {
    await dev.call({ account: from, to, data })
    return null
  } catch (fault) {
    if (!(fault instanceof BaseError)) throw fault
    const revert = fault.walk(
      (error) => 'data' in (error as object) && typeof (error as { data: unknown }).data !== 'undefined',
    )
    const raw = (revert as { data?: Hex | { data?: Hex } } | null)?.data
    const hex = typeof raw === 'object' ? raw.data : raw
    if (hex === undefined || hex === '0x') return 'it reverts without a reason'
    return nameOf(hex)
  }
}

function nameOf(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: ABI, data }) as DecodeErrorResultReturnType
    return errorName === 'Error' ? String(args?.[0]) : errorName
  } catch {
    return data.slice(0, 10)
  }
}

/** Takes back what a wallet allowed a market's contracts to move: a trade then pays only as it says. */
export async function forgetAllowances({ deployment }: Market, wallet: TestWallet): Promise<void> {
  const { stablecoinAddress, coreAddress, settlementAddress } = deployment
  const spenders = [coreAddress, settlementAddress]
  await wallet.send(spenders.map((spender) => call(stablecoinAddress, testUsdAbi, 'approve', [spender, 0n])))
}

/** What a wallet has in a market: micro-dollars, options of the series held, and options written. */
export async function holdingsOf(dev: DevClient, { deployment, seriesId }: Market, wallet: Address) {
  const { stablecoinAddress, coreAddress } = deployment
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const id = BigInt(seriesId)
  const [dollars, held, written] = await Promise.all([
    dev.readContract({ address: stablecoinAddress, abi: testUsdAbi, functionName: 'balanceOf', args: [wallet] }),
    dev.readContract({ ...core, functionName: 'balanceOf', args: [wallet, id] }),
    dev.readContract({ ...core, functionName: 'shortOf', args: [id, wallet] }),
  ])
  return { dollars, held, written }
}
