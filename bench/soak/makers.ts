import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../src/client/from-text.ts'
import { orderDigest } from '../../src/domain/order.ts'
import { contracts, type Hex, type Usd6, usd6 } from '../../src/domain/units.ts'
import { encodeConfirm } from '../../src/wire/confirm.ts'
import { decodeMakerMessage, type SignatureRequest } from '../../src/wire/maker-messages.ts'
import { encodeSubmitQuote } from '../../src/wire/submit-quote.ts'
import { check } from '../../test/invariants/checks.ts'
import type { Dialler } from './dialler.ts'
import { type HeardFrame, listen } from './event-ear.ts'
import { createLine, encodeCall, textField } from './http-line.ts'
import type { Observer } from './observer.ts'
import { listenToSocket } from './socket-ear.ts'

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

type Crew = {
  dialler: Dialler
  makers: readonly SoakMaker[]
  quotesPerRequest: number
  observer: Observer
  /** Takes down the signatures that came too late: nobody may ever find them (decision C8). */
  late: Hex[]
  signal: AbortSignal
}

/** Connects all makers, each with a stream, a socket and a line of its own; resolves when all of them are. */
export async function connectMakers(crew: Crew): Promise<void> {
  await Promise.all(crew.makers.flatMap((maker, index) => connect(maker, index, crew)))
}

function connect(
  { makerId, apiKey, privateKey }: SoakMaker,
  index: number,
  { dialler, makers, quotesPerRequest, observer, late, signal }: Crew,
): Promise<void>[] {
  const account = accountOf(privateKey)
  const headers = { 'x-api-key': apiKey }
  const line = createLine(dialler)
  let asked = 0
  let missedLast = false

  /** Goes on whatever happens to one call; what should not happen is noted. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) observer.failed(what, error)
    }
  }

  async function send(path: string, body: unknown): Promise<{ status: number; text: string }> {
    return line.call(encodeCall('POST', path, { headers, body }))
  }

  const quote = (requestId: string, side: 'buy' | 'sell') =>
    attempt('a quote', async () => {
      const price = randomPrice()
      const submission = { maker: account.address, side, price, size: SIZE, expiresInMs: null }
      const { status, text } = await send('/v1/mm/quotes', encodeSubmitQuote({ requestId, submission }))
      // A request that closed while the quote was on its way is nobody's fault.
      if (status === 404 || status === 409) return
      if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
      const quoteId = textField(text, 'quoteId')
      observer.saw(requestId, { kind: 'quoted', makerId, quoteId, maker: account.address, price, size: SIZE })
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
        observer.saw(requestId, { kind: 'declined', quoteId })
        return assertOk(await send(`${path}/decline`, {}))
      }
      const signature = (await account.sign?.({ hash: orderDigest(order, domain) })) as Hex
      missedLast = mayMiss && Math.random() < LATE
      if (missedLast) return confirmLate({ path, requestId, signature, deadline })
      assertOk(await send(`${path}/confirm`, encodeConfirm(signature)))
      observer.saw(requestId, { kind: 'signed', quoteId })
    })

  async function confirmLate({
    path,
    requestId,
    signature,
    deadline,
  }: {
    path: string
    requestId: string
    signature: Hex
    deadline: number
  }): Promise<void> {
    late.push(signature)
    await pause(deadline - Date.now() + LATE_BY_MS, undefined, { ref: false })
    const { status } = await send(`${path}/confirm`, encodeConfirm(signature))
    observer.note([check('V3', status === 404, () => `a late signature of ${requestId} was answered by ${status}`)])
  }

  function hearFrame({ event, id, data }: HeardFrame): void {
    if (event !== 'quote_request' && event !== 'quote_request_expired') return
    const requestId = textField(data, 'requestId')
    observer.streamed(makerId, { id, event, requestId })
    if (event === 'quote_request' && isTurn(requestId, { index, crowd: makers.length, quotesPerRequest })) {
      void quote(requestId, data.includes('"side":"sell"') ? 'sell' : 'buy')
    }
  }

  function hearMessage(text: string): void {
    const message = decodeMakerMessage(JSON.parse(text))
    if (message?.kind === 'confirmed' || message?.kind === 'rejected') {
      const { requestId, quoteId, kind: how } = message
      observer.saw(requestId, { kind: 'told', makerId, socket: makerId, quoteId, how })
    }
    if (message?.kind !== 'accepted') return
    const { requestId, quoteId, order, deadline } = message.acceptance
    observer.saw(requestId, { kind: 'asked', makerId, quoteId, order, deadline })
    void answer(message.acceptance)
  }

  const lost = (what: string, reject: (fault: Error) => void) => (fault: Error) => {
    if (!signal.aborted) observer.failed(what, fault)
    reject(fault)
  }

  return [
    new Promise((resolve, reject) => {
      listen(dialler, {
        path: '/v1/mm/quote-requests/stream',
        headers,
        onFrame: (frame) => {
          if (frame.event === 'snapshot_complete') {
            observer.follow(makerId, frame.id)
            resolve()
          } else hearFrame(frame)
        },
        onEnd: lost('a stream', reject),
      })
    }),
    new Promise((resolve, reject) => {
      listenToSocket(dialler, {
        apiKey,
        onMessage: (text) => {
          if (text.includes('"type":"connected"')) resolve()
          else hearMessage(text)
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
