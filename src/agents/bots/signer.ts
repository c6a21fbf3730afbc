import {
  type Clock,
  createMakerClient,
  type MakerClient,
  type MakerOptions,
  OrderMismatchError,
  type RequestTerms,
  type SignatureRequest,
  usd6,
} from '@rfqctl/client/index'
import { pause } from '@rfqctl/lib/clock'
import { takerSideOf } from '@rfqctl/protocol/domain/order'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { OnMakerEvent } from './maker-events.ts'
import type { Random } from './random.ts'
import type { Signing } from './style.ts'

/** Share of acceptances that a flaky maker does not answer. */
const FLAKY_SILENCE = 0.5

/** A late maker answers this long after the deadline, milliseconds. */
const LATE_BY_MS = 500

/**
 * Answers an acceptance in the maker's style. Every style declines an order that differs from its own offer. Failures
 * are reported, not thrown. `signInvalid` confirms with a signature that is not the maker's.
 */
export async function answerAcceptance(input: {
  client: Pick<MakerClient, 'confirmOrder' | 'declineOrder'>
  signInvalid: () => Promise<void>
  acceptance: SignatureRequest
  signing: Signing
  random: Random
  clock: Clock
  signal: AbortSignal
  onEvent: OnMakerEvent
}): Promise<void> {
  const { client, signInvalid, acceptance, signing, random, clock, signal, onEvent } = input
  const { requestId, quoteId, deadline } = acceptance

  async function decline(reason: string): Promise<void> {
    await client.declineOrder({ quoteId, reason, signal })
    onEvent({ kind: 'declined', requestId, quoteId, reason })
  }

  async function sign(): Promise<void> {
    try {
      await client.confirmOrder({ acceptance, signal })
      onEvent({ kind: 'signed', requestId, quoteId })
    } catch (error) {
      if (!(error instanceof OrderMismatchError)) throw error
      onEvent({ kind: 'failed', doing: 'confirm', requestId, error })
      await decline('not my offer')
    }
  }

  const answers: Record<Signing, () => Promise<void>> = {
    prompt: sign,
    late: async () => {
      await pause(deadline - clock.now() + LATE_BY_MS, { clock, signal })
      await sign()
    },
    silent: async () => {},
    flaky: async () => (random() < FLAKY_SILENCE ? undefined : sign()),
    declining: () => decline('this maker declines everything'),
    'bad-signature': signInvalid,
  }

  onEvent({ kind: 'asked', acceptance })
  try {
    await answers[signing]()
  } catch (error) {
    if (signal.aborted) return
    onEvent({ kind: 'failed', doing: 'confirm', requestId, error: error as Error })
  }
}

/** A client with the maker's API key and another wallet key: its signatures of the maker's orders are invalid. */
export function createInvalidSigner(maker: MakerOptions) {
  const client = createMakerClient({ ...maker, account: privateKeyToAccount(generatePrivateKey()) })
  return (acceptance: SignatureRequest, terms: RequestTerms, signal: AbortSignal): Promise<void> => {
    const { maker: wallet, optionAmount, premiumAmount } = acceptance.order
    const price = usd6(premiumAmount / optionAmount)
    const quote = { maker: wallet, side: takerSideOf(acceptance.order), price, size: optionAmount }
    return client.confirmOrder({ acceptance, offer: { terms, quote, expiresAt: acceptance.deadline }, signal })
  }
}
