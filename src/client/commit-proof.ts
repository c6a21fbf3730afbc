import { commitTypedData, type ProvenCommit } from '@rfqctl/protocol/domain/commit-proof'
import { orderDomain } from '@rfqctl/protocol/domain/order'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { connectSigner, type Signer } from './signer.ts'
import type { ChainSetup } from './wallet.ts'

/**
 * Signs a commit to prove that its wallet belongs to the taker: the `proof` for a commit sent by hand. The signature moves no money and
 * is valid only for this request and these protections. `commitToBestQuote` signs by itself where the account is the wallet.
 * @param input.account - The wallet that commits, or a key that it has authorised on chain.
 * @param input.chain - The chain and contracts of the relay, as `getEnvironment` returns them even for a relay that settles nowhere.
 * @param input.commit - The request, the wallet and the protections, exactly as they are sent.
 * @returns The signature.
 * @throws WalletError where the wallet or its owner refuses.
 * @example
 * import { type Address, contracts, signCommit, usd6 } from 'rfqctl/client'
 * import { privateKeyToAccount } from 'viem/accounts'
 *
 * // A cold wallet that has authorised this key: authorizeSigner.
 * const wallet: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
 * const account = privateKeyToAccount('0x0101010101010101010101010101010101010101010101010101010101010101')
 * const protections = { limitPrice: usd6(120_000n), minContracts: contracts(400n), expectedQuoteId: null }
 * const chain = await taker.getEnvironment()
 * const proof = await signCommit({ account, chain, commit: { requestId: request.requestId, wallet, ...protections } })
 * await taker.commitToBestQuote({ request, wallet, ...protections, proof })
 */
export async function signCommit(input: {
  account: Signer
  chain: Pick<ChainSetup, 'chainId' | 'settlementAddress' | 'transport'>
  commit: ProvenCommit
}): Promise<Hex> {
  const { account, chain, commit } = input
  const signer = await connectSigner(account, chain)
  return signer.signTypedData(commitTypedData(commit, orderDomain(chain.chainId, chain.settlementAddress)))
}
