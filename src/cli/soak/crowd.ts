import { accountOf } from '../../client/from-text.ts'
import {
  type AnnouncedRequest,
  contracts,
  createMakerClient,
  type MakerClient,
  type MakerSocketMessage,
  RelayError,
  usd6,
} from '../../client/index.ts'
import type { Address, Hex } from '../../domain/units.ts'
import { decodeMakerStreamEvent } from '../../wire/maker-stream.ts'
import { type HeardFrame, listen, requestIdOf } from './ear.ts'
import type { Observer } from './observer.ts'

/** A maker of the crowd: its key and its toy wallet. */
export type SoakMaker = { apiKey: string; privateKey: Hex }

/** What is asked for is far less. */
const SIZE = contracts(1_000n)

/** Prices in micro-dollars: from 5 cents on, below the max payoff of every fixture. */
const LOWEST = 50_000
const RANGE = 50_000

/** One order in so many is sent back unsigned, so that the ladder is climbed. */
const DECLINES_ONE_IN = 20

/** Makers of simulated mode, each on a stream and a socket of its own. */
export function createCrowd({
  url,
  chainId,
  makers,
  quotesPerRequest,
  observer,
  signal,
}: {
  url: string
  chainId: number
  makers: readonly SoakMaker[]
  quotesPerRequest: number
  observer: Observer
  signal: AbortSignal
}): { connected: Promise<unknown>; ended: Promise<unknown> } {
  const chain = { chainId, settlementAddress: ZERO, coreAddress: ZERO, transport: undefined }
  const runs = makers.map(({ apiKey, privateKey }, index) => {
    const client = createMakerClient({ url, apiKey, account: accountOf(privateKey), chain })
    return runMaker({ url, apiKey, client, index, crowd: makers.length, quotesPerRequest, observer, signal })
  })
  return {
    connected: Promise.all(runs.flatMap(({ listening }) => listening)),
    ended: Promise.all(runs.map(({ ended }) => ended)),
  }
}

/** The contracts of simulated mode (ruling C12). */
const ZERO: Address = '0x0000000000000000000000000000000000000000'

function runMaker({
  url,
  apiKey,
  client,
  index,
  crowd,
  quotesPerRequest,
  observer,
  signal,
}: {
  url: string
  apiKey: string
  client: MakerClient
  index: number
  crowd: number
  quotesPerRequest: number
  observer: Observer
  signal: AbortSignal
}): { listening: Promise<void>[]; ended: Promise<unknown> } {
  let asked = 0
  const socket = whenOpen()

  /** Goes on whatever happens to one quote; what should not happen is noted. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted && !isLate(error)) observer.failed(what, error)
    }
  }

  const quote = (request: AnnouncedRequest) =>
    attempt('a quote', async () => {
      const price = usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE)))
      await client.submitQuote({ request, price, size: SIZE, signal })
      observer.quoted(index, request.requestId, price)
    })

  const answer = ({ acceptance }: Extract<MakerSocketMessage, { kind: 'accepted' }>) =>
    attempt('an answer to an order', async () => {
      asked += 1
      if (asked % DECLINES_ONE_IN !== 0) return client.confirm({ acceptance, signal })
      observer.declined(index, acceptance.requestId)
      await client.decline({ quoteId: acceptance.quoteId, signal })
    })

  function hear(frame: HeardFrame): void {
    if (frame.event !== 'quote_request' && frame.event !== 'quote_request_expired') return
    const requestId = requestIdOf(frame)
    observer.streamed(index, { kind: frame.event, id: frame.id, requestId })
    if (frame.event === 'quote_request' && isTurn(requestId, { index, crowd, quotesPerRequest })) {
      const event = decodeMakerStreamEvent(frame)
      if (event?.kind === 'quote_request') void quote(event.request)
    }
  }

  async function hearMessages(): Promise<void> {
    for await (const message of client.messages({ signal })) {
      if (message.kind === 'connected') socket.open()
      observer.messaged(index, message)
      if (message.kind === 'accepted') void answer(message)
    }
  }

  const onLost = (fault: unknown) => observer.failed('a stream', fault)
  return {
    listening: [listen({ url, apiKey, signal, onFrame: hear, onLost }), socket.opened],
    ended: Promise.allSettled([hearMessages()]),
  }
}

/** A request that closed while the quote was on its way is nobody's fault. */
const isLate = (error: unknown): boolean =>
  error instanceof RelayError && ['request_closed', 'request_not_found', 'quote_locked'].includes(error.code)

/** Whether it is this maker's turn: so many of the crowd quote on each request, from a place on that its id tells. */
function isTurn(
  requestId: string,
  { index, crowd, quotesPerRequest }: { index: number; crowd: number; quotesPerRequest: number },
): boolean {
  const first = Number.parseInt(requestId.slice(0, 8), 16) % crowd
  return (index - first + crowd) % crowd < quotesPerRequest
}

function whenOpen(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
