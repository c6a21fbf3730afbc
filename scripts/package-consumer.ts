/** A project that uses `rfqctl/client`. It is compiled against the packed declarations and never run: its types are the test. */
import {
  type AnnouncedRequest,
  type CommittedTrade,
  contracts,
  createMakerClient,
  createTakerClient,
  type MakerClient,
  RelayError,
  type ShownQuote,
  type TakerClient,
  type TakerRequest,
  toRequestedOption,
  type Usd6,
  usd6,
} from 'rfqctl/client'
import { createWalletClient, custom, type EIP1193Provider } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

type IsAny<Type> = 0 extends 1 & Type ? true : false
type Not<Type extends false> = Type

/** Declarations that cannot be resolved become `any`, silently. */
export type Known = [
  Not<IsAny<TakerClient>>,
  Not<IsAny<MakerClient>>,
  Not<IsAny<CommittedTrade['onchain']>>,
  Not<IsAny<ShownQuote['price']>>,
  Not<IsAny<AnnouncedRequest['terms']>>,
]

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const chain = {
  chainId: 80_002,
  settlementAddress: account.address,
  coreAddress: account.address,
  transport: custom({ request: async () => null }),
}

const taker: TakerClient = createTakerClient({ url: 'http://127.0.0.1:8787', account, chain })
const maker = createMakerClient({ url: 'http://127.0.0.1:8787', apiKey: null, account, chain })

/** A wallet of viem's, and one that a page is given. */
declare const injected: EIP1193Provider
const wallet = createWalletClient({ account, transport: chain.transport })
export const ofWallet = createTakerClient({ url: 'http://127.0.0.1:8787', account: wallet, chain })
export const ofPage = createMakerClient({ url: 'http://127.0.0.1:8787', apiKey: null, account: injected, chain })

/** A trade from the request to the fill. */
export async function trade(signal: AbortSignal): Promise<string> {
  const [series] = await taker.listSeries({ optionType: 'call', signal })
  if (series === undefined) return 'none'
  const { conditionId, yesTokenId } = series
  const request: TakerRequest = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: toRequestedOption(series),
    trade: { side: 'buy', budget: usd6(100_000_000n) },
    signal,
  })
  for await (const { bestQuote } of taker.watchBestQuote({ request, signal })) {
    if (bestQuote === null) continue
    const price: Usd6 = bestQuote.price
    const commitment = await taker.commitToBestQuote({ request, shown: bestQuote, limitPrice: price, signal })
    const { fill } = await taker.fillOrder({ commitment, approval: 'permit', signal })
    return fill.transactionHash
  }
  return 'closed'
}

/** Quotes and signs. */
export async function make(signal: AbortSignal): Promise<void> {
  for await (const event of maker.watchQuoteRequests({ signal })) {
    if (event.kind !== 'quote_request') continue
    await maker.submitQuote({ request: event.request, price: usd6(250_000n), size: contracts(10n), signal })
  }
  for await (const message of maker.watchOrders({ signal })) {
    if (message.kind === 'accepted') await maker.confirmOrder({ acceptance: message.acceptance, signal })
  }
}

/** A documented code is known by name; one of a newer relay is a text like any other. */
export function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof RelayError)) return false
  return error.code === 'no_maker_confirmed' || error.code === 'of_a_newer_relay' || error.retryable
}

// @ts-expect-error A buy has a budget, in micro-dollars that were made on purpose: a plain number is none.
taker.openQuoteRequest({ trade: { side: 'buy', budget: 100 } })
// @ts-expect-error A quote needs a price.
maker.submitQuote({ request: {} as AnnouncedRequest, size: contracts(1n) })
// @ts-expect-error A key is no signer: whoever has it makes an account of it.
createMakerClient({ url: '', apiKey: null, account: { privateKey: `0x${'01'.repeat(32)}` }, chain })
