import { maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevAccount } from '../../src/onchain/devnet/accounts.ts'
import type { DevClient } from '../../src/onchain/devnet/client.ts'
import type { Devnet } from '../../src/onchain/devnet/start.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import { type SeriesTerms, seriesIdOf } from '../../src/protocol/domain/series.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'

/** A trade as two wallets agree on it: how many options, at what price each in micro-dollars, and who writes them. */
export type ChainTrade = {
  series: SeriesTerms
  maker: DevAccount
  taker: DevAccount
  makerSelling: boolean
  amount: bigint
  price: bigint
}

let nonce = 0

/** Fills a trade on the chain, without a relay. The maker must have approved both contracts, as those of the sandbox have. */
export async function fillOnChain(client: DevClient, devnet: Devnet, trade: ChainTrade): Promise<void> {
  const { series, maker, taker, makerSelling, amount, price } = trade
  const { settlementAddress, coreAddress, stablecoinAddress } = devnet.deployment
  nonce += 1
  const order: Order = {
    maker: maker.address,
    seriesId: seriesIdOf(series),
    optionAmount: contracts(amount),
    premiumAmount: usd6(amount * price),
    makerSelling,
    taker: taker.address,
    validUntil: series.expiry,
    nonce,
  }
  const signature = await privateKeyToAccount(maker.privateKey).signTypedData(
    orderTypedData(order, orderDomain(devnet.chainId, settlementAddress)),
  )
  const account = taker.address
  const approval = await client.writeContract({
    account,
    address: stablecoinAddress,
    abi: testUsdAbi,
    functionName: 'approve',
    args: [makerSelling ? settlementAddress : coreAddress, maxUint256],
  })
  await client.waitForTransactionReceipt({ hash: approval })
  const { seriesId, validUntil } = order
  const onchain = { ...order, seriesId: BigInt(seriesId), validUntil: BigInt(validUntil), nonce: BigInt(order.nonce) }
  const hash = await client.writeContract({
    account,
    address: settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'fill',
    args: [onchain, signature],
  })
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('the fill reverted')
}
