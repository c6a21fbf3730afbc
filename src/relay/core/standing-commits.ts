import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { isWithinStanding, standingTermsOf } from '@rfqctl/protocol/domain/standing-limit'
import type { CommitInput } from './commit.ts'
import type { Context } from './context.ts'

/** Commits that requests with a standing limit make by themselves (protocol open-11). */
export type StandingCommits = ReturnType<typeof createStandingCommits>

/** Milliseconds between two commits of a request; twice as many after each that failed while quotes came. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 16_000

/** No other quote helps: the request is over, or its proof does not count any more. */
const FINAL: readonly ErrorCode[] = [
  'request_not_found',
  'request_expired',
  'request_closed',
  'already_committed',
  'invalid_signature',
]

/** The commit learned nothing about the quotes. */
const OUTAGES: readonly ErrorCode[] = ['store_unavailable', 'chain_unavailable']

/** Client addresses are not kept with requests: without proof all these commits share the bound of one (protocol commit-15). */
const UNPROVEN = 'standing limits'

/** `news`: makers whose quotes have come, and that no commit of this node has looked at yet. */
type Running = { news: Set<string>; pauseMs: number }

/**
 * One commit of a request at a time, and none without a quote that came since the last: makers choose how often they quote,
 * and each commit reads the chain.
 */
export function createStandingCommits(
  { book, background, clock }: Pick<Context, 'book' | 'background' | 'clock'>,
  commit: (input: CommitInput) => Promise<unknown>,
) {
  const running = new Map<string, Running>()

  /** Leaves in `news` what a later commit has to look at. */
  async function tryCommit(input: CommitInput, { news }: Running): Promise<void> {
    const came = [...news]
    try {
      await commit({ ...input, standing: { onTurn: () => news.clear() } })
      news.clear()
    } catch (fault) {
      if (!(fault instanceof RfqError)) throw fault
      if (OUTAGES.includes(fault.code)) for (const makerId of came) news.add(makerId)
      if (FINAL.includes(fault.code)) news.clear()
      for (const makerId of consideredBy(fault)) news.delete(makerId)
    }
  }

  function run(input: CommitInput, state: Running): void {
    background.run('standing_commit_failed', () =>
      tryCommit(input, state).finally(() => {
        clock.schedule(clock.now() + state.pauseMs, () => {
          state.pauseMs = Math.min(2 * state.pauseMs, LONGEST_PAUSE_MS)
          if (state.news.size === 0) running.delete(input.requestId)
          else run(input, state)
        })
      }),
    )
  }

  /** Commits in the background if a quote that has come is within the standing limit of its request. */
  function note(request: QuoteRequest, quote: Quote): void {
    const terms = standingTermsOf(request)
    if (terms === null || !isWithinStanding(request, quote)) return
    const { requestId, standing } = request
    const state = running.get(requestId)
    if (state !== undefined) {
      state.news.add(quote.makerId)
      return
    }
    const first = { news: new Set([quote.makerId]), pauseMs: FIRST_PAUSE_MS }
    running.set(requestId, first)
    run({ requestId, terms, takerSecret: null, proof: standing?.proof ?? null, clientAddress: UNPROVEN }, first)
  }

  return {
    note,
    /** The same for the quotes in the book, where a commit of a node that is gone may have been cut off. */
    lookAgain: async (requestId: string): Promise<void> => {
      const request = (await book.find(requestId))?.request
      if (request?.standing === undefined) return
      const quotes = await book.ranked(requestId)
      const within = quotes.find((quote) => quote.expiresAt > clock.now() && isWithinStanding(request, quote))
      if (within !== undefined) note(request, within)
    },
  }
}

/** The makers that a commit considered before it failed (protocol commit-16). */
function consideredBy({ data }: RfqError): readonly string[] {
  const { candidates = [] } = data as { candidates?: readonly { makerId: string }[] }
  return candidates.map(({ makerId }) => makerId)
}
