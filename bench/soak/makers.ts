import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../src/client/from-text.ts'
import { orderDigest } from '../../src/domain/order.ts'
import { contracts, type Hex, type Usd6, usd6 } from '../../src/domain/units.ts'
import { encodeConfirm } from '../../src/wire/confirm.ts'
import { decodeMakerMessage, type SignatureRequest } from '../../src/wire/maker-messages.ts'
import { encodeSubmitQuote } from '../../src/wire/submit-quote.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { encodeRequest, openHttpConnection, textField } from './http-connection.ts'
import { openSse, type SseFrame } from './sse-client.ts'
import { openWebSocket } from './websocket-client.ts'

/** A maker of the crowd: its key and its toy wallet. */
export type SoakMaker = { makerId: string; apiKey: string; privateKey: Hex }

/** What is asked for is far less. */
const SIZE = contracts(1_000n)

/** Prices in micro-dollars: from 5 cents on, below the max payoff of every fixture. */
const LOWEST = 50_000
const RANGE = 50_000

/** One order in so many is sent back unsigned, so that the ladder is climbed. */
const DECLINES_ONE_IN = 20

/** The share of orders that are signed too late: few, because each holds its commit up for as long as a deadline is. */
const LATE = 0.001

/** How much too late, milliseconds. */
const LATE_BY_MS = 500

type MakersOptions = {
  connections: ConnectionPool
  makers: readonly SoakMaker[]
  quotesPerRequest: number
  collector: Collector
  signal: AbortSignal
}

/** Connects all makers, each with a stream, a socket and a connection of its own; resolves when all of them are. */
export async function connectMakers(options: MakersOptions): Promise<void> {
  await Promise.all(options.makers.flatMap((maker, index) => connect(maker, index, options)))
}

function connect(
  { makerId, apiKey, privateKey }: SoakMaker,
  index: number,
  { connections, makers, quotesPerRequest, collector, signal }: MakersOptions,
): Promise<void>[] {
  const account = accountOf(privateKey)
  const headers = { 'x-api-key': apiKey }
  const connection = openHttpConnection(connections)
  const { observe, moment } = collector
  let asked = 0
  let missedLast = false

  /** Goes on whatever happens to one call; what should not happen is noted. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) collector.failed(what, error)
    }
  }

  async function send(path: string, body: unknown): Promise<{ status: number; text: string }> {
    return connection.call(encodeRequest('POST', path, { headers, body }))
  }

  const quote = (requestId: string, side: 'buy' | 'sell') =>
    attempt('a quote', async () => {
      const price = randomPrice()
      const sent = moment()
      const submission = { maker: account.address, side, price, size: SIZE, expiresInMs: null }
      const { status, text } = await send('/v1/mm/quotes', encodeSubmitQuote({ requestId, submission }))
      // A request that closed while the quote was on its way is nobody's fault.
      if (status === 404 || status === 409) return
      if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
      const quoteId = textField(text, 'quoteId')
      const names = { requestId, makerId, quoteId, wallet: account.address }
      const terms = { price, size: SIZE, livesMs: null, countsFrom: null, isRefused: false }
      observe({ kind: 'quote', ...names, ...terms, sent, answered: moment() })
    })

  const answer = ({ requestId, quoteId, order, domain, deadline }: SignatureRequest) =>
    attempt('an answer to an order', async () => {
      asked += 1
      const path = `/v1/mm/quotes/${quoteId}`
      // Never twice in a row: the relay would rank this maker behind, and the best price would not be the best quote.
      const mayMiss = !missedLast
      missedLast = false
      if (mayMiss && asked % DECLINES_ONE_IN === 0) {
        missedLast = true
        observe({ kind: 'order_released', requestId, quoteId, moment: moment() })
        return assertOk(await send(`${path}/decline`, {}))
      }
      const signature = (await account.sign?.({ hash: orderDigest(order, domain) })) as Hex
      const isLate = mayMiss && Math.random() < LATE
      missedLast = isLate
      // One that is late is found nowhere, and not taken (decision C8).
      if (isLate) await pause(deadline - Date.now() + LATE_BY_MS, undefined, { ref: false })
      const names = { requestId, makerId, quoteId, signature: signature.slice(2) }
      const confirm = { kind: 'confirm' as const, ...names, sent: moment(), status: 0 }
      observe(confirm)
      const answered = await send(`${path}/confirm`, encodeConfirm(signature))
      confirm.status = answered.status
      if (!isLate) assertOk(answered)
    })

  function takeFrame({ event, id, data }: SseFrame): void {
    const isAboutRequest = event === 'quote_request' || event === 'quote_request_expired'
    if (!isAboutRequest && event !== 'snapshot_begin' && event !== 'snapshot_complete') return
    const requestId = isAboutRequest ? textField(data, 'requestId') : null
    observe({
      kind: 'maker_event',
      stream: makerId,
      event,
      id: Number.isNaN(id) ? null : id,
      requestId,
      moment: moment(),
    })
    if (event !== 'quote_request' || requestId === null) return
    if (isTurn(requestId, { index, crowd: makers.length, quotesPerRequest })) {
      void quote(requestId, data.includes('"side":"sell"') ? 'sell' : 'buy')
    }
  }

  function takeMessage(text: string): void {
    const message = decodeMakerMessage(JSON.parse(text))
    if (message?.kind === 'confirmed' || message?.kind === 'rejected') {
      const { requestId, quoteId, kind: outcome } = message
      observe({ kind: 'quote_ended', requestId, makerId, socket: makerId, quoteId, outcome })
    }
    if (message?.kind !== 'accepted') return
    const { requestId, quoteId, order, deadline } = message.acceptance
    const amounts = { optionAmount: String(order.optionAmount), premiumAmount: String(order.premiumAmount) }
    const asked = { kind: 'order_sent', requestId, makerId, quoteId, deadline, asked: moment() } as const
    observe({ ...asked, order: { ...order, ...amounts } })
    void answer(message.acceptance)
  }

  const lost = (what: string, reject: (fault: Error) => void) => (fault: Error) => {
    if (!signal.aborted) collector.failed(what, fault)
    reject(fault)
  }

  observe({ kind: 'maker_stream_opened', stream: makerId, after: null, isLasting: true })
  observe({ kind: 'socket_opened', socket: makerId, makerId, isLasting: true })
  return [
    new Promise((resolve, reject) => {
      openSse(connections, {
        path: '/v1/mm/quote-requests/stream',
        headers,
        onFrame: (frame) => {
          takeFrame(frame)
          if (frame.event === 'snapshot_complete') resolve()
        },
        onEnd: lost('a stream', reject),
      })
    }),
    new Promise((resolve, reject) => {
      openWebSocket(connections, {
        apiKey,
        onMessage: (text) => {
          if (text.includes('"type":"connected"')) resolve()
          else takeMessage(text)
        },
        onEnd: lost('a socket', reject),
      })
    }),
  ]
}

const randomPrice = (): Usd6 => usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE)))

function assertOk({ status, text }: { status: number; text: string }): void {
  if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
}

/** Whether it is this maker's turn: so many of the crowd quote on each request, from a place on that its id tells. */
function isTurn(
  requestId: string,
  { index, crowd, quotesPerRequest }: { index: number; crowd: number; quotesPerRequest: number },
): boolean {
  const first = Number.parseInt(requestId.slice(0, 8), 16) % crowd
  return (index - first + crowd) % crowd < quotesPerRequest
}
