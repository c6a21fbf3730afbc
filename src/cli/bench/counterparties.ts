import { accountOf, newPrivateKey } from '@rfqctl/client/from-text'
import {
  type AnnouncedRequest,
  contracts,
  createMakerClient,
  createTakerClient,
  type ListedSeries,
  type MakerClient,
  type TakerClient,
  usd6,
} from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { toRequestedOption } from '@rfqctl/protocol/domain/request'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl, sandboxOf } from '../context/targets.ts'
import { listKept } from '../wallet/keystores.ts'

export type Counterparties = ReturnType<typeof createCounterparties>

const BUDGET = usd6(1_000_000n)
const SIZE = contracts(1_000n)

/** Micro-dollars, below the max payoff of nearly any series. */
const LOWEST = 10_000
const RANGE = 10_000

/** Until the signal ends it, the maker listens and signs every order that it wins. */
export function createCounterparties(parts: {
  maker: MakerClient
  taker: TakerClient
  series: ListedSeries
  signal: AbortSignal
  onFailure: (error: unknown) => void
}) {
  const { maker, taker, series, signal, onFailure } = parts
  const heard = new Map<string, AnnouncedRequest>()
  const waiting = new Map<string, (request: AnnouncedRequest) => void>()

  async function hearRequests(): Promise<void> {
    for await (const event of maker.watchQuoteRequests({ signal })) {
      if (event.kind === 'quote_request_expired') heard.delete(event.requestId)
      if (event.kind !== 'quote_request') continue
      heard.set(event.request.requestId, event.request)
      waiting.get(event.request.requestId)?.(event.request)
    }
  }

  async function signWhatIsWon(): Promise<void> {
    for await (const message of maker.watchOrders({ signal })) {
      if (message.kind !== 'accepted') continue
      // Another process may sign for the same maker first. An order that no one signs fails the commit.
      await maker.confirmOrder({ acceptance: message.acceptance, signal }).catch(() => {})
    }
  }

  /** The failure of a maker that cannot listen aborts the signal, which ends the wait. */
  const announcement = (requestId: string): Promise<AnnouncedRequest> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const fail = () => reject(signal.reason)
      signal.addEventListener('abort', fail, { once: true })
      waiting.set(requestId, (request) => {
        signal.removeEventListener('abort', fail)
        resolve(request)
      })
    })

  for (const work of [hearRequests(), signWhatIsWon()]) work.catch(onFailure)

  return {
    /** Resolves once the maker has the request; `tookMs` is the time from creating it until then. */
    ask: async () => {
      const { conditionId, yesTokenId } = series
      const startedAt = performance.now()
      const request = await taker.openQuoteRequest({
        market: { conditionId, yesTokenId },
        option: toRequestedOption(series),
        trade: { side: 'buy', budget: BUDGET },
        signal,
      })
      const { requestId } = request
      const announced = heard.get(requestId) ?? (await announcement(requestId))
      waiting.delete(requestId)
      return { request, announced, tookMs: performance.now() - startedAt }
    },
    quote: (announced: AnnouncedRequest) =>
      maker.submitQuote({
        request: announced,
        price: usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE))),
        size: SIZE,
        signal,
      }),
  }
}

type Options = RelayOptions & ChainOptions & AccountOptions

/** Simulated mode has no contracts (decision C12). */
const NO_CONTRACT: Address = '0x0000000000000000000000000000000000000000'

/**
 * The maker of the timed trades, from the sandbox or with a key given. Simulated mode fills nothing, so a throwaway
 * wallet is enough there; the API key is `RFQCTL_API_KEY`. Refuses with `no_wallet` where quotes need funds and no
 * wallet is here.
 */
export async function openMaker(cli: Cli, options: Options): Promise<MakerClient> {
  if (hasWallet(cli, options)) return (await makerClient(cli, options)).client
  const url = relayUrl(cli, options)
  const { mode, chainId } = await createTakerClient({ url }).getRelayInfo({ signal: cli.stop })
  if (mode === 'simulated') {
    const chain = { chainId, settlementAddress: NO_CONTRACT, coreAddress: NO_CONTRACT, transport: undefined }
    const apiKey = cli.environment.RFQCTL_API_KEY ?? null
    return createMakerClient({ url, apiKey, account: accountOf(newPrivateKey()), chain })
  }
  throw new CliError(`quotes on ${url} must be backed by funds, but there is no wallet here`, {
    code: 'no_wallet',
    why: [`there is no sandbox in ${dataDirOf(cli, options)}`],
    hint: 'pass a funded wallet with --key-file PATH or --key-stdin, and its maker key in RFQCTL_API_KEY',
  })
}

const hasWallet = (cli: Cli, options: Options): boolean =>
  options.keyFile !== undefined ||
  options.keyStdin === true ||
  sandboxOf(cli, options) !== null ||
  listKept(dataDirOf(cli, options)).length > 0
