import { unlessAborted } from '@rfqctl/lib/abort'
import type { Clock } from '@rfqctl/lib/clock'
import type { QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import type { Level } from '@rfqctl/protocol/domain/surface'
import { encodeConfirm, encodeFirm, type FirmSignatureTexts } from '@rfqctl/protocol/wire/confirm'
import { decodeLevelsKept, encodeLevels } from '@rfqctl/protocol/wire/levels'
import { decodeQuoted, encodeSubmitQuote } from '@rfqctl/protocol/wire/submit-quote'
import { isLost, RelayError } from './errors.ts'
import { type CallOptions, type Http, nothing } from './http.ts'
import type { MakerSocket } from './maker-socket.ts'

type SignedQuote = { quoteId: string; signature: string } & CallOptions

/** Greatest age of a call that is repeated over HTTP after its socket was lost, milliseconds: an older quote is out of date. */
const MAX_AGE_MS = 2_000

export const pathOf = (quoteId: string): string => `/v1/mm/quotes/${encodeURIComponent(quoteId)}`

/**
 * A maker's quote calls: on its socket where one is open and takes calls, else over HTTP. A quote or a withdrawal may be sent twice: the
 * relay holds one quote per maker and request.
 */
export function createMakerCalls(input: { http: Pick<Http, 'call'>; socket: Pick<MakerSocket, 'call'>; clock: Clock }) {
  const { http, socket, clock } = input
  /** Calls whose socket was lost, repeated over HTTP in their order; later calls queue behind them. */
  let repeats: Promise<unknown> = Promise.resolve()
  let repeating = 0

  function inTurn<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    repeating += 1
    const done = repeats.then(call)
    repeats = done.then(nothing, nothing)
    return done.finally(() => {
      repeating -= 1
    })
  }

  async function make<Answer>(input: {
    onSocket: () => Promise<Answer> | null
    overHttp: () => Promise<Answer>
    /** Repeats the call when its effect is unknown. */
    again: () => Promise<Answer>
    signal: AbortSignal | undefined
  }): Promise<Answer> {
    const { onSocket, overHttp, again, signal } = input
    signal?.throwIfAborted()
    if (repeating > 0) return inTurn(overHttp)
    const calledAt = clock.now()
    const answer = onSocket()
    if (answer === null) return overHttp()
    try {
      return await unlessAborted(answer, signal)
    } catch (fault) {
      if (signal?.aborted || !isLost(fault) || clock.now() - calledAt > MAX_AGE_MS) throw fault
      return inTurn(again)
    }
  }

  return {
    quote: ({ signal, ...input }: { requestId: string; submission: QuoteSubmission } & CallOptions) => {
      const body = encodeSubmitQuote(input)
      const overHttp = () => http.call('POST', '/v1/mm/quotes', { body, signal, decode: decodeQuoted })
      const onSocket = () => socket.call('quote', body)?.then(decodeQuoted) ?? null
      return make({ onSocket, overHttp, again: overHttp, signal })
    },

    makeFirm: ({ quoteId, signal, ...signatures }: { quoteId: string } & FirmSignatureTexts & CallOptions) => {
      const body = encodeFirm(signatures)
      const overHttp = () => http.call('POST', `${pathOf(quoteId)}/firm`, { body, signal, decode: nothing })
      const onSocket = () => socket.call('quote:firm', { quoteId, ...body })?.then(nothing) ?? null
      return make({ onSocket, overHttp, again: overHttp, signal })
    },

    withdraw: ({ quoteId, signal }: { quoteId: string } & CallOptions) => {
      const overHttp = () => http.call('DELETE', pathOf(quoteId), { signal, decode: nothing })
      const onSocket = () => socket.call('quote:withdraw', { quoteId })?.then(nothing) ?? null
      // The quote is gone in both cases.
      const again = () =>
        overHttp().catch((fault: unknown) => {
          if (!(fault instanceof RelayError && fault.code === 'quote_not_found')) throw fault
        })
      return make({ onSocket, overHttp, again, signal })
    },

    setLevels: ({ levels, signal }: { levels: readonly Level[] } & CallOptions) => {
      const body = encodeLevels(levels)
      const overHttp = () => http.call('PUT', '/v1/mm/levels', { body, signal, decode: decodeLevelsKept })
      const onSocket = () => socket.call('levels', body)?.then(decodeLevelsKept) ?? null
      return make({ onSocket, overHttp, again: overHttp, signal })
    },

    confirm: async ({ quoteId, signature, signal }: SignedQuote): Promise<void> => {
      const body = encodeConfirm(signature)
      const answer = socket.call('quote:confirm', { quoteId, ...body })
      if (answer !== null) await unlessAborted(answer, signal)
      else await http.call('POST', `${pathOf(quoteId)}/confirm`, { body, signal, decode: nothing })
    },
  }
}
