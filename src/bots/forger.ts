import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  createMakerClient,
  type MakerOptions,
  type RequestTerms,
  type SignatureRequest,
  usd6,
} from '../client/index.ts'

/** Confirms an acceptance with the signature of a key that is not the maker's. */
export type Forge = (acceptance: SignatureRequest, terms: RequestTerms, signal: AbortSignal) => Promise<void>

/** A maker's forging twin: the same API key, another wallet key, and no scruples about whose order it signs. */
export function createForger(maker: MakerOptions): Forge {
  const client = createMakerClient({ ...maker, account: privateKeyToAccount(generatePrivateKey()) })
  return (acceptance, terms, signal) => {
    const { maker: wallet, optionAmount, premiumAmount } = acceptance.order
    const price = usd6(premiumAmount / optionAmount)
    const quote = { maker: wallet, side: terms.trade.side, price, size: optionAmount }
    return client.confirmOrder({ acceptance, offer: { terms, quote, expiresAt: acceptance.deadline }, signal })
  }
}
