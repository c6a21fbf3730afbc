import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Order } from '@rfqctl/protocol/domain/order'
import { isOfUndeployed, normaliseSignature, signatureForms } from '@rfqctl/protocol/domain/signature'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { FifoMap } from 'toad-cache'
import { createKeyedQueue } from './keyed-queue.ts'
import type { Seal } from './ports/book.ts'
import type { Chain, Signatures } from './ports/chain.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

/** A text that may be a wallet's signature. */
export type Claim = {
  wallet: Address
  /** Of what it would be one. */
  digest: Hex
  text: string
  /** What signatures in vain are counted of, and how that is called. */
  subject: { id: string; name: string }
  /** What is said where it is none, when not what the code says. */
  refusal?: { detail: string }
  /** Whether the chain counts one form of it, read now. Fails with `chain_unavailable`. */
  isCounted: (signature: Hex) => MaybePromise<boolean>
}

/** The claim that a text is the signature of an order's maker, as the settlement contract counts them. */
export const orderClaim = (
  { chain }: { chain: Pick<Chain, 'signedUntil'> },
  { order, digest, text }: { order: Order; digest: Hex; text: string },
): Claim => ({
  wallet: order.maker,
  digest,
  text,
  subject: { id: digest, name: 'this order' },
  isCounted: (signature) => thenMaybe(chain.signedUntil(order, signature), (until) => counts(order, until)),
})

/** Whether signatures are those of the wallets that they are said to be of (decision C15). */
export type SignatureChecks = {
  /** By the maker's key alone, which reads nothing of the chain; null when it is not the key's. */
  byKey: (claim: Claim) => Promise<Seal | null>
  /**
   * By the key, else by the chain: the wallet's contract, or a key that the wallet has authorised. What is not good is `invalid_signature`
   * with its reason; fails with `chain_unavailable`. `client`: of whom only so many wait for the chain at a time, null where a
   * commit waits for the answer.
   */
  find: (claim: Claim, client: string | null) => Promise<Seal | RfqError>
  /** By the chain alone. */
  byChain: (claim: Claim, client: string | null) => Promise<Seal | RfqError>
}

/** How often the chain is asked in vain about one order, or one request's commits: repeating bad signatures must not keep a node busy. */
const MAX_REFUSED = 8

/** Of one subject: a signature is looked at when the one before was. */
const OF_SUBJECT = { atWork: 1, waiting: MAX_REFUSED }

/** Of one client: who seals a hundred quotes, or commits as often, leaves the node to others, too. */
const OF_CLIENT = { atWork: 4, waiting: 256 }

/** How many subjects a node remembers that were signed wrongly. */
const REMEMBERED = 10_000

const UNDEPLOYED = {
  detail:
    'The signature is one of a wallet that is still to be deployed (ERC-6492): deploy the wallet, then sign again.',
}

const tooMany = (name: string): RfqError =>
  new RfqError('invalid_signature', {
    detail: `${MAX_REFUSED} signatures of ${name} were refused: from now on only one of the wallet's own key counts.`,
  })

/** The checks of one relay. */
export function createSignatureChecks({
  chain,
  signatures,
}: {
  chain: Pick<Chain, 'mode'>
  signatures: Signatures
}): SignatureChecks {
  const refused = new FifoMap<number>(REMEMBERED)
  const ofSubject = createKeyedQueue(OF_SUBJECT)
  const ofClient = createKeyedQueue(OF_CLIENT)

  async function byKey({ wallet, digest, text }: Claim): Promise<Seal | null> {
    const signature = normaliseSignature(text)
    if (signature === null) return null
    const signer = await signatures.recover(digest, signature)
    return signer === wallet ? { signature, shownBy: 'key' } : null
  }

  async function ask(
    { subject: { id, name }, refusal, isCounted }: Claim,
    forms: readonly Hex[],
  ): Promise<Seal | RfqError> {
    const times = refused.get(id) ?? 0
    if (times >= MAX_REFUSED) return tooMany(name)
    const counted = await Promise.all(forms.map(isCounted))
    const signature = forms.find((_, at) => counted[at])
    if (signature !== undefined) return { signature, shownBy: 'chain' }
    refused.set(id, times + 1)
    return new RfqError('invalid_signature', refusal)
  }

  async function byChain(claim: Claim, client: string | null): Promise<Seal | RfqError> {
    const forms = signatureForms(claim.text)
    if (chain.mode === 'simulated' || forms.length === 0) return new RfqError('invalid_signature', claim.refusal)
    if (isOfUndeployed(claim.text)) return new RfqError('invalid_signature', UNDEPLOYED)
    const asking = () => ask(claim, forms)
    return ofSubject(claim.subject.id, client === null ? asking : () => ofClient(client, asking))
  }

  return { byKey, byChain, find: async (claim, client) => (await byKey(claim)) ?? byChain(claim, client) }
}

/** Whether a signature that counts until a second, Unix, counts as long as its order can be filled. */
export const counts = ({ validUntil }: Pick<Order, 'validUntil'>, until: bigint): boolean => until >= BigInt(validUntil)
