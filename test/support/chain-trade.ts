import { privateKeyToAccount } from 'viem/accounts'
import type { DevAccount } from '../../src/onchain/devnet/accounts.ts'
import { type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import { type SeriesTerms, seriesIdOf } from '../../src/protocol/domain/series.ts'
import { type Address, contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { type ChainFacts, openChain } from '../kit/chain.ts'

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
export async function fillOnChain(facts: ChainFacts & { chainId: number }, trade: ChainTrade): Promise<void> {
  const { series, maker, makerSelling, amount, price } = trade
  const chain = openChain(facts)
  const taker = privateKeyToAccount(trade.taker.privateKey)
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
  const domain = orderDomain(facts.chainId, facts.settlementAddress as Address)
  const signature = await privateKeyToAccount(maker.privateKey).signTypedData(orderTypedData(order, domain))
  await chain.approveAll(taker)
  await chain.fill(taker, order, signature)
}
