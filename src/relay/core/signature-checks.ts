import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Order } from '@rfqctl/protocol/domain/order'
import { isOfUndeployed, normaliseSignature, signatureForms } from '@rfqctl/protocol/domain/signature'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { FifoMap } from 'toad-cache'
import { createKeyedQueue } from './keyed-queue.ts'
import type { OrderSignature } from './ports/book.ts'
import type { Chain, Signatures } from './ports/chain.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

export type Claim = {
  wallet: Address
  digest: Hex
  text: string
  /** Refused signatures are counted per subject; `name` appears in the refusal. */
  subject: { id: string; name: string }
  /** Replaces the default detail of the refusal. */
  refusal?: { detail: string }
  /** Reads the chain now. Fails with `chain_unavailable`. */
  isCounted: (signature: Hex) => MaybePromise<boolean>
}

/** Follows the settlement contract's rules. */
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

/** Checks signatures against the wallets that they claim (decision C15). */
export type SignatureChecks = ReturnType<typeof createSignatureChecks>

/** Failed chain checks per order, or per request's commits: repeated bad signatures must not keep a node busy. */
const MAX_REFUSED = 8

/** Per subject: each signature waits for the one before. */
const OF_SUBJECT = { atWork: 1, waiting: MAX_REFUSED }

/** Per client, so that one maker's firm quotes or one client's commits cannot starve the others. */
const OF_CLIENT = { atWork: 4, waiting: 256 }

/** Subjects with bad signatures per node. */
const REMEMBERED = 10_000

const UNDEPLOYED = {
  detail:
    'The signature is one of a wallet that is still to be deployed (ERC-6492): deploy the wallet, then sign again.',
}

const tooMany = (name: string): RfqError =>
  new RfqError('invalid_signature', {
    detail: `${MAX_REFUSED} signatures of ${name} were refused: from now on only one of the wallet's own key counts.`,
  })

export function createSignatureChecks(ports: { chain: Pick<Chain, 'mode'>; signatures: Signatures }) {
  const { chain, signatures } = ports
  const refused = new FifoMap<number>(REMEMBERED)
  const ofSubject = createKeyedQueue(OF_SUBJECT)
  const ofClient = createKeyedQueue(OF_CLIENT)

  async function byKey({ wallet, digest, text }: Claim): Promise<OrderSignature | null> {
    const signature = normaliseSignature(text)
    if (signature === null) return null
    const signer = await signatures.recover(digest, signature)
    return signer === wallet ? { signature, shownBy: 'key' } : null
  }

  async function ask(
    { subject: { id, name }, refusal, isCounted }: Claim,
    forms: readonly Hex[],
  ): Promise<OrderSignature | RfqError> {
    const times = refused.get(id) ?? 0
    if (times >= MAX_REFUSED) return tooMany(name)
    const counted = await Promise.all(forms.map(isCounted))
    const signature = forms.find((_, at) => counted[at])
    if (signature !== undefined) return { signature, shownBy: 'chain' }
    refused.set(id, times + 1)
    return new RfqError('invalid_signature', refusal)
  }

  async function byChain(claim: Claim, client: string | null): Promise<OrderSignature | RfqError> {
    const forms = signatureForms(claim.text)
    if (chain.mode === 'simulated' || forms.length === 0) return new RfqError('invalid_signature', claim.refusal)
    if (isOfUndeployed(claim.text)) return new RfqError('invalid_signature', UNDEPLOYED)
    const asking = () => ask(claim, forms)
    return ofSubject(claim.subject.id, client === null ? asking : () => ofClient(client, asking))
  }

  return {
    byKey,
    byChain,
    /**
     * Checks the key, then the chain: the wallet's contract, or a key that the wallet has authorised. A bad signature
     * is `invalid_signature` with its reason; fails with `chain_unavailable`. `client` bounds concurrent checks on the
     * chain, null while a commit waits for the answer.
     */
    find: async (claim: Claim, client: string | null) => (await byKey(claim)) ?? byChain(claim, client),
  }
}

/** `until` is Unix seconds. A signature must count for as long as its order can be filled. */
export const counts = ({ validUntil }: Pick<Order, 'validUntil'>, until: bigint): boolean => until >= BigInt(validUntil)
