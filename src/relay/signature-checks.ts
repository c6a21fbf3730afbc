import { FifoMap } from 'toad-cache'
import { RfqError } from '../domain/errors.ts'
import type { Order } from '../domain/order.ts'
import { isOfUndeployed, normaliseSignature, signatureForms } from '../domain/signature.ts'
import type { Hex } from '../domain/units.ts'
import { createLines } from './lines.ts'
import type { Seal } from './ports/book.ts'
import type { Chain, Signatures } from './ports/chain.ts'

/** A text that may be a signature of an order, and the order's digest. */
export type Claim = { order: Order; digest: Hex; text: string }

/** Whether signatures are those of the orders' makers, as the settlement contract counts them (decision C15). */
export type SignatureChecks = {
  /** By the maker's key alone, which reads nothing of the chain; null when it is not the key's. */
  byKey: (claim: Claim) => Promise<Seal | null>
  /**
   * By the key, else by the chain: its maker's contract, or a key that its maker has authorised. What is not good is `invalid_signature`
   * with its reason; fails with `chain_unavailable`. `makerId`: of whom only so many wait for the chain at a time, null where a
   * commit waits for the answer.
   */
  find: (claim: Claim, makerId: string | null) => Promise<Seal | RfqError>
  /** By the chain alone. */
  byChain: (claim: Claim, makerId: string | null) => Promise<Seal | RfqError>
}

/** How often the chain is asked in vain about one order: repeating bad signatures must not keep a node busy. */
const MAX_REFUSED = 8

/** Of one order: a signature is looked at when the one before was. */
const OF_ORDER = { atWork: 1, waiting: MAX_REFUSED }

/** Of one maker: who seals a hundred quotes leaves the node to others, too. */
const OF_MAKER = { atWork: 4, waiting: 256 }

/** How many orders a node remembers that were signed wrongly. */
const REMEMBERED = 10_000

const UNDEPLOYED = {
  detail:
    'The signature is one of a wallet that is still to be deployed (ERC-6492): deploy the wallet, then sign again.',
}

const TOO_MANY = { detail: `${MAX_REFUSED} signatures of this order were refused: no other is looked at on chain.` }

/** The checks of one relay. */
export function createSignatureChecks({
  chain,
  signatures,
}: {
  chain: Pick<Chain, 'mode' | 'signedUntil'>
  signatures: Signatures
}): SignatureChecks {
  const refused = new FifoMap<number>(REMEMBERED)
  const ofOrder = createLines(OF_ORDER)
  const ofMaker = createLines(OF_MAKER)

  async function byKey({ order, digest, text }: Claim): Promise<Seal | null> {
    const signature = normaliseSignature(text)
    if (signature === null) return null
    const signer = await signatures.recover(digest, signature)
    return signer === order.maker ? { signature, shownBy: 'key' } : null
  }

  async function ask({ order, digest }: Claim, forms: readonly Hex[]): Promise<Seal | RfqError> {
    const times = refused.get(digest) ?? 0
    if (times >= MAX_REFUSED) return new RfqError('invalid_signature', TOO_MANY)
    const untils = await Promise.all(forms.map((form) => chain.signedUntil(order, form)))
    const signature = forms.find((_, at) => counts(order, untils[at] as bigint))
    if (signature !== undefined) return { signature, shownBy: 'chain' }
    refused.set(digest, times + 1)
    return new RfqError('invalid_signature')
  }

  async function byChain(claim: Claim, makerId: string | null): Promise<Seal | RfqError> {
    const forms = signatureForms(claim.text)
    if (chain.mode === 'simulated' || forms.length === 0) return new RfqError('invalid_signature')
    if (isOfUndeployed(claim.text)) return new RfqError('invalid_signature', UNDEPLOYED)
    const asking = () => ask(claim, forms)
    return ofOrder(claim.digest, makerId === null ? asking : () => ofMaker(makerId, asking))
  }

  return { byKey, byChain, find: async (claim, makerId) => (await byKey(claim)) ?? byChain(claim, makerId) }
}

/** Whether a signature that counts until a second, Unix, counts as long as its order can be filled. */
export const counts = ({ validUntil }: Pick<Order, 'validUntil'>, until: bigint): boolean => until >= BigInt(validUntil)
